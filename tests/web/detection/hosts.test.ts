/** What the demo and the extension do with texts in many languages; the cases are told in `tests/py/detection/test_hosts.py`. */

import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { Offer } from "../../../web/src/api/offers.ts";
import { Detector } from "../../../web/src/detection/detector.ts";
import { NgramTable } from "../../../web/src/detection/table.ts";
import { languageDoubt } from "../../../web/src/ui/language-notice.ts";

interface Case {
  readonly text: string;
  readonly is: string | null;
  readonly does: string;
}

const root = new URL("../../../", import.meta.url);
const detector = new Detector(new NgramTable(inflateSync(readFileSync(new URL("py/dragoman/detection/ngrams.bin", root)))));
const cases = readFileSync(new URL("tests/golden/languages.jsonl", root), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);
const expected = cases.map(({ text, does }) => [text, does]);
const offer = (source: string, target: string): Offer =>
  ({ bundle: `${source}-${target}`, name: "", version: "", source, target, bytes: 9, download: 9, isKept: true });
const OFFERS = [offer("de", "en"), offer("en", "de")];

describe("the extension", () => {
  let decide: (text: string, chosen: string) => string;

  beforeAll(async () => {
    const getMessage = (name: string, values: string[]): string => (name === "language" ? "en" : [name, ...values].join(" "));
    Object.assign(globalThis, { chrome: { i18n: { getMessage, getUILanguage: () => "en" } } });
    const { choosePair } = await import("../../../extension/src/models.ts");
    const { combine } = await import("../../../extension/src/page-language.ts");
    decide = (text, chosen) => {
      const { language } = combine(detector.detect(text), "", text.length);
      const pair = choosePair(OFFERS, language, chosen);
      return typeof pair === "string" ? pair : `${pair.source}-${pair.target}`;
    };
  });

  it("translates no page from a language without a model", () => {
    const named: Record<string, string> = { notSure: "ask", noModel: "no-model" };
    const decided = cases.map(({ text, does }) => {
      const [name = ""] = decide(text, does === "en-de" ? "de" : "en").split(" ");
      return [text, named[name] ?? name];
    });
    expect(decided).toEqual(expected);
  });

  it("leaves alone what is in the reader's language", () => {
    const own = cases.filter(({ does }) => does === "en-de").map(({ text }) => decide(text, "en"));
    expect([...new Set(own)]).toEqual(["ownAlready English"]);
  });
});

describe("the demo", () => {
  it("translates nothing from a language without a model where that is sure", () => {
    const through = cases.flatMap(({ text, does }) => {
      const { name } = languageDoubt(text, detector.detect(text), "de", ["de", "en"]);
      return does === "no-model" && name !== "no-model" ? [[text, name]] : [];
    });
    // So short that it is translated, with a remark that it may be Norwegian or Swedish.
    expect(through).toEqual([["Hva er det?", "not-sure"], ["Hur mår du?", "not-sure"]]);
  });

  it("says so where it is not sure and the language may be another one", () => {
    const silent = cases.filter(({ text, is, does }) =>
      does === "ask" && is !== "de" && languageDoubt(text, detector.detect(text), "de", ["de", "en"]).name === "none");
    // Short, and likelier German than anything else, or without words.
    expect(silent.map(({ text }) => text)).toEqual([
      "Wie gaht's dir hüt?", "Grüezi mitenand", "Hotel", "Warm Winter", "12,50 € am 21.11.2026", "+49 30 123456-78", "😀 🎉 → ✓",
    ]);
  });

  it("says so of little that is in the chosen language", () => {
    const own = cases.filter(({ text, is }) => is === "de" && languageDoubt(text, detector.detect(text), "de", ["de", "en"]).name !== "none");
    expect(own.map(({ text }) => text)).toEqual(["Rufen Sie die Funktion `open_file(path)` auf, bevor Sie die Zeilen lesen."]);
  });
});
