// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { readGlossaryFile, readTbx, readTerms, writeTerms } from "../../../web/src/glossary/files.ts";

const PAIR = { source: "de", target: "en" };
const TBX = `<martif><text><body>
<termEntry><langSet xml:lang="de-AT"><tig><term>Rechner</term></tig><ntig><termGrp><term>Rechen
  anlage</term></termGrp></ntig></langSet>
<langSet xml:lang="en"><tig><term>computer</term><termNote>deprecatedTerm</termNote></tig><tig><term>workstation</term></tig></langSet></termEntry>
<termEntry><langSet xml:lang="de"><tig><term>Zug</term></tig></langSet></termEntry>
</body></text></martif>`;
const DCT = `<tbx><text><body><conceptEntry><langSec xml:lang="de"><termSec><term>Zug</term></termSec></langSec>
<langSec xml:lang="en"><termSec><term>train</term></termSec></langSec></conceptEntry></body></text></tbx>`;

describe("TSV", () => {
  it("is a term a line, which stays as it is without a translation", () => {
    expect(readTerms("\uFEFFRechner\tworkstation\ta note\r\n\r\nHabicht\n Zug \t train\n")).toEqual([
      { source: "Rechner", target: "workstation" },
      { source: "Habicht" },
      { source: "Zug", target: "train" },
    ]);
  });

  it("names the line that has no term", () => {
    expect(() => readTerms("Rechner\tworkstation\n\n\tnothing\n")).toThrow(
      expect.objectContaining({ code: "invalid-glossary", details: { reason: "term", line: 3 } }) as Error,
    );
  });

  it("is written as it is read", () => {
    const terms = [{ source: "Rechner", target: "workstation" }, { source: "Habicht" }];
    expect(writeTerms(terms)).toBe("Rechner\tworkstation\nHabicht\n");
    expect(readTerms(writeTerms(terms))).toEqual(terms);
  });
});

describe("TBX", () => {
  it("gives each term the first that is not deprecated, in both its forms", () => {
    expect(readTbx(TBX, PAIR)).toEqual([
      { source: "Rechner", target: "workstation" },
      { source: "Rechen anlage", target: "workstation" },
    ]);
    expect(readTbx(DCT, PAIR)).toEqual([{ source: "Zug", target: "train" }]);
    expect(readTbx(DCT, { source: "en", target: "de" })).toEqual([{ source: "train", target: "Zug" }]);
  });

  it.each([
    ["<tbx>", "xml"],
    ['<!DOCTYPE x [<!ENTITY a "b">]><tbx>&a;</tbx>', "entities"],
  ])("refuses %s", (text, reason) => {
    expect(() => readTbx(text, PAIR)).toThrow(expect.objectContaining({ code: "invalid-glossary", details: { reason } }) as Error);
  });
});

describe("a file", () => {
  const read = (name: string, content: BlobPart) => readGlossaryFile(new File([content], name), PAIR);

  it("is read by its ending", async () => {
    expect(await read("a.TBX", DCT)).toEqual([{ source: "Zug", target: "train" }]);
    expect(await read("a.txt", "Zug\ttrain\n")).toEqual([{ source: "Zug", target: "train" }]);
  });

  it("is refused where it has nothing, too much, or is no text", async () => {
    await expect(read("a.tbx", "<tbx/>")).rejects.toMatchObject({ code: "invalid-glossary", details: { reason: "empty" } });
    await expect(read("a.tsv", new Uint8Array([0xc3, 0x28]))).rejects.toMatchObject({ details: { reason: "encoding" } });
    const many = Array.from({ length: 10_001 }, (_, at) => `Wort${at}\tword\n`).join("");
    await expect(read("a.tsv", many)).rejects.toMatchObject({ code: "glossary-too-large", requested: 10_001, quota: 10_000 });
  });
});
