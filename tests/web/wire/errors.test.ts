import { describe, expect, it } from "vitest";
import { DragomanError, fromWire, QuotaError, toWire } from "../../../web/src/wire/errors.ts";

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
