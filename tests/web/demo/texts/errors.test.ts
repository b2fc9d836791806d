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
