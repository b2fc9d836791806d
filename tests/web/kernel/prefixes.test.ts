import { describe, expect, it } from "vitest";
import { joined, prefixesInside, prefixRows } from "../../../web/src/kernel/prefixes.ts";

/** Of three rows: a piece with another that is allowed; none; two pieces. */
const PREFIXES = Int32Array.of(1, 7, 2, 7, 9, 0, 2, 5, 1, 5, 6, 2, 5, 6);

describe("prefixes", () => {
  it("are cut row by row, and joined", () => {
    const rows = prefixRows(PREFIXES);
    expect(rows.map((row) => [...row])).toEqual([[1, 7, 2, 7, 9], [0], [2, 5, 1, 5, 6, 2, 5, 6]]);
    expect([...joined(rows)]).toEqual([...PREFIXES]);
    expect(prefixRows(new Int32Array(0))).toEqual([]);
  });

  it("have the kernel's names of pieces, in its order; what has none is left out", () => {
    const names = [0, 6, 7, 5];
    const insideOf = (name: number) => (names.includes(name) ? names.indexOf(name) : undefined);
    expect([...prefixesInside(PREFIXES, insideOf)]).toEqual([1, 2, 1, 2, 0, 2, 3, 1, 3, 1, 2, 1, 3]);
  });

  it("refuse a piece that the model cannot say", () => {
    expect(() => prefixesInside(PREFIXES, () => undefined)).toThrow("a prefix has piece 7, which the model cannot say");
  });
});
