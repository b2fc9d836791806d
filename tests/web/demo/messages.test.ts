import { describe, expect, it } from "vitest";
import { errorMessage } from "../../../web/demo/messages.ts";
import { DragomanError, QuotaError } from "../../../web/src/wire/errors.ts";

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
});
