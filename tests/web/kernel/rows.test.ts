import { describe, expect, it } from "vitest";
import { gather, partOf } from "../../../web/src/kernel/rows.ts";
import type { EngineInput, EngineOutput } from "../../../web/src/wire/engine-protocol.ts";

const INPUT: EngineInput = {
  ids: Int32Array.of(11, 0, 0, 21, 22, 0, 31, 32, 0),
  lengths: Int32Array.of(2, 3, 3),
  limits: Int32Array.of(4, 5, 6),
  rows: 3,
  width: 3,
  attention: true,
};

/** One step a row: its first piece; attention counts from there. */
function echo({ ids, rows, width, attention }: EngineInput, steps: number): EngineOutput {
  const firsts = Array.from({ length: rows }, (_, row) => ids[row * width] ?? 0);
  const padded = firsts.flatMap((piece) => [piece, ...Array.from({ length: steps - 1 }, () => 0)]);
  return {
    steps,
    ids: Int32Array.from(padded),
    logProbabilities: Float32Array.from(padded, (piece) => -piece),
    attention: Float32Array.from(attention ? padded.flatMap((piece) => [piece, piece + 1, piece + 2]) : []),
  };
}

function partsOf(input: EngineInput, count: number): EngineInput[] {
  return Array.from({ length: count }, (_, part) => partOf(input, part, count));
}

describe("partOf and gather", () => {
  it("deal row by row", () => {
    const parts = partsOf(INPUT, 2);
    expect(parts.map(({ ids }) => [...ids])).toEqual([[11, 0, 0, 31, 32, 0], [21, 22, 0]]);
    expect(parts.map(({ limits }) => [...limits])).toEqual([[4, 6], [5]]);
  });

  it("leave a mini-batch of one part as it is", () => {
    expect(partOf(INPUT, 0, 1)).toBe(INPUT);
  });

  it("put outputs of unlike length together in the order of the rows", () => {
    const [first, second] = partsOf(INPUT, 2);
    if (!first || !second) throw new Error("two parts are expected");
    const whole = gather(INPUT, [echo(first, 1), echo(second, 2)]);
    expect(whole.steps).toBe(2);
    expect([...whole.ids]).toEqual([11, 0, 21, 0, 31, 0]);
    expect([...whole.logProbabilities]).toEqual([-11, 0, -21, -0, -31, 0]);
    expect([...whole.attention.subarray(6, 12)]).toEqual([21, 22, 23, 0, 1, 2]);
  });

  it("deal prefixes with their rows, and put hypotheses of a row together", () => {
    const prefixes = Int32Array.of(1, 7, 2, 7, 9, 0, 2, 5, 1, 5, 6, 1, 6);
    const beams = { beam: 4, kept: 2, branching: false, normalize: 1, wordPenalty: 0, prefixes };
    const parts = partsOf({ ...INPUT, attention: false, beams }, 2);
    expect(parts.map((part) => [...(part.beams?.prefixes ?? [])])).toEqual([[1, 7, 2, 7, 9, 2, 5, 1, 5, 6, 1, 6], [0]]);
    const said = (ids: number[]): EngineOutput => ({
      steps: 1,
      ids: Int32Array.from(ids),
      logProbabilities: new Float32Array(ids.length),
      attention: new Float32Array(0),
      scores: Float32Array.from(ids, (id) => -id),
    });
    const whole = gather({ ...INPUT, attention: false, beams }, [said([11, 12, 31, 32]), said([21, 22])]);
    expect([...whole.ids]).toEqual([11, 12, 21, 22, 31, 32]);
    expect([...(whole.scores ?? [])]).toEqual([-11, -12, -21, -22, -31, -32]);
  });

  it("leave out the attention that nobody asked for", () => {
    const input = { ...INPUT, attention: false };
    const whole = gather(input, partsOf(input, 3).map((part) => echo(part, 1)));
    expect(whole.attention.length).toBe(0);
    expect([...whole.ids]).toEqual([11, 21, 31]);
  });
});
