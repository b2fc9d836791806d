import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Detector, type Detection } from "../../../web/src/detection/detector.ts";
import { ngramNumber, wordNgrams } from "../../../web/src/detection/ngrams.ts";
import { NgramTable } from "../../../web/src/detection/table.ts";

const root = new URL("../../../", import.meta.url);
const table = new NgramTable(inflateSync(readFileSync(new URL("py/dragoman/detection/ngrams.bin", root))));
const detector = new Detector(table);
const cases = readFileSync(new URL("tests/golden/detection.jsonl", root), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Detection & { text: string });

describe("the detector", () => {
  it.each(cases.map((golden) => [golden.text.slice(0, 30), golden] as const))("answers as Python does: %s", (_, golden) => {
    const { language, confidence, candidates } = golden;
    expect(detector.detect(golden.text)).toEqual({ language, confidence, candidates });
  });

  it("knows more than sixty languages", () => {
    expect(detector.languages).toHaveLength(76);
  });

  it("looks at whole characters only", () => {
    expect(detector.detect("😀".repeat(3_999) + "a").candidates).toEqual(detector.detect("a").candidates);
  });
});

describe("n-grams", () => {
  const text = (bytes: string): number => ngramNumber([...new TextEncoder().encode(bytes)]);

  it("are four bytes, every third byte", () => {
    expect(wordNgrams("guten")).toEqual([text(" gute"), text("uten ")]);
    expect(wordNgrams("a")).toEqual([text(" a ")]);
  });

  it("are numbers in the order of their bytes", () => {
    expect(ngramNumber([32, 97, 32])).toBe(0x206120000000);
  });
});
