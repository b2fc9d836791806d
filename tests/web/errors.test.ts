import { describe, expect, it } from "vitest";
import { errorMessage } from "../../web/demo/messages.ts";
import { DragomanError, fromWire, QuotaError, toWire } from "../../web/src/errors.ts";

describe("fromWire", () => {
  it("turns cancelled into the platform's AbortError", () => {
    expect(fromWire({ code: "cancelled", message: "taken back", details: {} })).toMatchObject({
      name: "AbortError",
      message: "taken back",
    });
  });

  it("keeps code, message and details", () => {
    const wire = { code: "bundle-corrupt", message: "corrupt", details: { requested: 3, allowed: 4 } } as const;
    const error = fromWire(wire);
    expect(error).toBeInstanceOf(DragomanError);
    expect(error).not.toBeInstanceOf(QuotaError);
    expect(toWire(error, "error")).toEqual(wire);
  });
});

describe("toWire", () => {
  it("gives a code to what has none", () => {
    expect(toWire(new TypeError("bad"), "engine")).toEqual({ code: "engine", message: "bad", details: {} });
    expect(toWire("text", "worker-gone")).toEqual({ code: "worker-gone", message: "text", details: {} });
  });
});

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
