// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { checkMemory, readMemoryFile } from "../../../web/src/memory/files.ts";
import { readTsv, writeTsv } from "../../../web/src/memory/tables.ts";
import { nearest } from "../../../web/src/memory/tags.ts";
import { readTmx, writeTmx } from "../../../web/src/memory/tmx.ts";

const PAIR = { source: "de", target: "en" };
const unit = (german: string, english: string): string =>
  `<tu><tuv xml:lang="de-DE"><seg>${german}</seg></tuv><tuv xml:lang="en"><seg>${english}</seg></tuv></tu>`;
const tmx = (...units: string[]): string => `<tmx version="1.4"><header/><body>${units.join("")}</body></tmx>`;

describe("TSV", () => {
  it("is an entry a line, and gives nothing without a translation", () => {
    expect(readTsv("\uFEFFGuten  Morgen!\tGood morning!\r\n\r\nJa.\t\nNein.\tNo.\ta note\n", PAIR)).toEqual([
      { source: "Guten Morgen!", target: "Good morning!" },
      { source: "Nein.", target: "No." },
    ]);
  });

  it("has columns that its first row names", () => {
    expect(readTsv("en-GB\tde\tfr\nYes.\tJa.\tOui.\n", PAIR)).toEqual([{ source: "Ja.", target: "Yes." }]);
  });

  it("names the line without a tabulator", () => {
    expect(() => readTsv("Ja.\tYes.\nNein.\n", PAIR)).toThrow("line 2 has no tabulator");
  });

  it("is written as it is read", () => {
    const entries = [{ source: "Ja.", target: "Yes." }];
    expect(writeTsv(entries, PAIR)).toBe("de\ten\nJa.\tYes.\n");
    expect(readTsv(writeTsv(entries, PAIR), PAIR)).toEqual(entries);
  });
});

describe("TMX", () => {
  it.each([
    ["Ja  <hi>doch</hi>.", "Yes.", [{ source: "Ja doch.", target: "Yes." }]],
    ['Ja<bpt i="1">&lt;b&gt;</bpt>.', "Yes.", [{ source: "Ja.", target: "Yes." }]],
    ["Ja<ph/>.", "Yes.", []],
    ["Ja.", "", []],
  ])("reads %j", (german, english, entries) => {
    expect(readTmx(tmx(unit(german, english)), PAIR)).toEqual(entries);
  });

  it.each([
    ['<!DOCTYPE tmx [<!ENTITY a "b">]><tmx/>', "it declares entities"],
    ["<tmx>", "it is not XML"],
    ["<a>".repeat(65) + "</a>".repeat(65), "65 levels of elements, up to 64 are read"],
  ])("refuses %s", (text, message) => {
    expect(() => readTmx(text, PAIR)).toThrow(message);
  });

  it("is written as it is read", () => {
    const entries = [{ source: "A & B < C", target: "“D”" }];
    expect(readTmx(writeTmx(entries, PAIR), PAIR)).toEqual(entries);
  });
});

describe("a file", () => {
  it("has to have an entry of the pair", async () => {
    const file = new File([tmx(unit("Ja.", "Yes."))], "archiv.tmx");
    expect(await readMemoryFile(file, PAIR)).toEqual([{ source: "Ja.", target: "Yes." }]);
    await expect(readMemoryFile(file, { source: "fr", target: "en" })).rejects.toMatchObject({
      code: "invalid-translation-memory", details: { reason: "empty" },
    });
  });

  it("is within the limits", () => {
    const many = Array.from({ length: 100_001 }, () => ({ source: "a", target: "b" }));
    expect(() => { checkMemory(many); }).toThrow(expect.objectContaining({ requested: 100_001, quota: 100_000 }));
    expect(() => { checkMemory([{ source: "a".repeat(2_001), target: "b" }]); }).toThrow(expect.objectContaining({ requested: 2_001, quota: 2_000 }));
  });
});

it.each([[["en", "de", "de-AT"], 2], [["de-DE", "de"], 1], [["de-DE", "de-CH"], 0], [["en"], undefined]])("of %j, de-AT is %s", (tags, at) => {
  expect(nearest(tags, "de-AT")).toBe(at);
});
