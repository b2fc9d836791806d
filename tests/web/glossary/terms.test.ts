import { describe, expect, it } from "vitest";
import { checkCount, checkTerm, termOf, termsFor, termText } from "../../../web/src/glossary/terms.ts";

describe("a term", () => {
  it("stays as it is without a translation, or with the same", () => {
    expect(termOf(" Rechner ", "workstation")).toEqual({ source: "Rechner", target: "workstation" });
    expect(termOf("Habicht", "  ")).toEqual({ source: "Habicht" });
    expect(termOf("Habicht", "Habicht")).toEqual({ source: "Habicht" });
    expect(termText({ source: "Rechner", target: "workstation" })).toBe("Rechner → workstation");
    expect(termText({ source: "Habicht", target: "Habicht" })).toBe("Habicht");
  });

  it.each([
    [{ source: "", target: "x" }, "the source needs a letter or figure, and no space around it"],
    [{ source: "x", target: "…" }, "the target needs a letter or figure, and no space around it"],
    [{ source: "a\u0007b" }, "the source has a line break or another control character"],
    [{ source: "a\u00a0b" }, "the source has a line break or another control character"],
  ])("%o cannot be used", (term, message) => {
    expect(() => { checkTerm(term); }).toThrow(message);
    expect(() => { checkTerm(term, 7); }).toThrow(`line 7: ${message}`);
  });

  it("has 200 characters on each side, by code points", () => {
    checkTerm({ source: "𝔛".repeat(200) });
    expect(() => { checkTerm({ source: "x".repeat(201) }, 3); }).toThrow(
      expect.objectContaining({ code: "glossary-too-large", requested: 201, quota: 200, details: { requested: 201, allowed: 200, counted: "characters of a term", line: 3 } }) as Error,
    );
  });

  it("is one of 10,000", () => {
    checkCount(10_000);
    expect(() => { checkCount(10_001); }).toThrow(expect.objectContaining({ code: "glossary-too-large", requested: 10_001, quota: 10_000 }) as Error);
  });
});

describe("the terms of a text", () => {
  const of = (text: string, ...sources: string[]): readonly string[] =>
    termsFor(text, sources.map((source) => ({ source }))).map(({ source }) => source);

  it("are those whose first word may be in it, with endings and capitals", () => {
    expect(of("Die Rechnern stehen dort.", "Rechner", "Habicht")).toEqual(["Rechner"]);
    expect(of("Elektrische Anlagen", "elektrische Anlage")).toEqual(["elektrische Anlage"]);
    expect(of("Two Companies", "company", "city")).toEqual(["company"]);
    expect(of("C++ und .NET", "C++", ".NET", "Rust")).toEqual(["C++", ".NET"]);
  });
});
