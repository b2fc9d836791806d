import { describe, expect, it } from "vitest";
import { LIMIT_CODES } from "../../../web/src/wire/contract.ts";
import { fromWire, QuotaError } from "../../../web/src/wire/errors.ts";

describe("errors of limits", () => {
  it("are all quota errors with both figures", () => {
    expect([...LIMIT_CODES]).toContain("graph-too-large");
    const error = fromWire({ code: "graph-too-large", message: "large", details: { requested: 5, allowed: 4 } });
    expect(error).toBeInstanceOf(QuotaError);
    expect(error).toMatchObject({ requested: 5, quota: 4 });
  });
});
