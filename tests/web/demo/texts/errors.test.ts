import { describe, expect, it } from "vitest";
import { errorMessage } from "../../../../web/demo/texts/errors.ts";
import { DragomanError, QuotaError } from "../../../../web/src/wire/errors.ts";
import type { ErrorCode } from "../../../../web/src/wire/protocol.ts";

describe("errorMessage", () => {
  it("says both figures of a limit", () => {
    const error = new QuotaError("text-too-long", "long", { requested: 600_000, allowed: 500_000 });
    expect(errorMessage(error)).toEqual({
      title: "The text is too long",
      advice: "Shorten it, or translate it in parts. It has 600,000 of 500,000 allowed.",
      technical: "text-too-long: long",
    });
  });

  it("has words for what it does not know", () => {
    expect(errorMessage(new Error("odd")).title).toBe("Something went wrong");
    expect(errorMessage(new DragomanError("request", "odd")).technical).toBe("request: odd");
  });

  it("says of a document what is to be done", () => {
    const advice = (code: ErrorCode, details: Record<string, string | number>): string =>
      errorMessage(new DragomanError(code, "", details)).advice;
    expect(advice("document", { reason: "no-text" })).toMatch(/^There is no text in it/);
    expect(advice("unsupported-format", { format: "xlsx" })).toBe("Save the sheet as csv first.");
    expect(advice("unsupported-format", { format: "rtf" })).toBe("Save it as docx, odt, html or txt first.");
    expect(advice("document", { reason: "encrypted" })).toMatch(/password/);
    expect(advice("document", { reason: "entities" })).toMatch(/can do harm/);
    expect(advice("document", { reason: "damaged" })).toMatch(/damaged/);
    const large = new QuotaError("document-too-large", "", { requested: 300e6, allowed: 250e6, counted: "unpacked bytes" });
    expect(errorMessage(large).advice).toMatch(/It has 300\.0 MB, at most 250\.0 MB are allowed\.$/);
  });
});

it.each([
  [new DragomanError("invalid-glossary", "", { reason: "term", line: 3 }),
    "Line 3 has no term in it: letters or figures on each side, without line breaks or control characters."],
  [new DragomanError("invalid-glossary", "", { reason: "term" }), "A term needs letters or figures on each side, and no control characters."],
  [new DragomanError("invalid-glossary", "", { reason: "xml" }), "A file has to be TSV (term, tabulator, translation) or TBX."],
  [new QuotaError("glossary-too-large", "", { requested: 10_001, allowed: 10_000, counted: "terms" }),
    "10,001 terms, at most 10,000 are allowed. Remove others, or take a part of the file."],
  [new QuotaError("glossary-too-large", "", { requested: 201, allowed: 200, counted: "characters of a term", line: 1_200 }),
    "In line 1,200: A term has 201 characters, at most 200 are allowed."],
])("tells of a glossary which line or which limit: %#", (error, advice) => {
  expect(errorMessage(error).advice).toBe(advice);
});
