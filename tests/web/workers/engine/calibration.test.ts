import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EngineInput, EngineOutput } from "../../../../web/src/wire/engine-protocol.ts";
import { calibrate, sampleOf, type Run } from "../../../../web/src/workers/engine/calibration.ts";

const never = (): Promise<void> => Promise.resolve();

function input(rows: readonly (readonly number[])[]): EngineInput {
  const width = Math.max(...rows.map((row) => row.length));
  const ids = new Int32Array(rows.length * width);
  rows.forEach((row, number) => {
    ids.set(row, number * width);
  });
  const lengths = Int32Array.from(rows, (row) => row.length);
  return { ids, lengths, limits: lengths.map((length) => 2 * length), rows: rows.length, width, attention: false };
}

const SAMPLE = input([[11, 12, 13, 14, 15, 16, 17, 0]]);

/** Answers with the pieces of its input; a row takes so long. */
function engine(milliseconds: (rows: number) => number, answer = (id: number) => id): Run {
  return ({ ids, rows, width }) => {
    vi.advanceTimersByTime(milliseconds(rows));
    const output: EngineOutput = {
      steps: width,
      ids: ids.map(answer),
      logProbabilities: new Float32Array(ids.length),
      attention: new Float32Array(0),
    };
    expect(ids.length).toBe(rows * width);
    return Promise.resolve(output);
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a sample", () => {
  it("is the first row of eight pieces, alone", () => {
    const sample = sampleOf(input([[11, 0], [21, 22, 23, 24, 25, 26, 27, 0], [31, 32, 33, 34, 35, 36, 37, 38, 0]]));
    expect(sample).toMatchObject({ rows: 1, width: 8, ids: SAMPLE.ids.map((id) => (id ? id + 10 : 0)) });
    expect([...(sample?.lengths ?? []), ...(sample?.limits ?? [])]).toEqual([8, 16]);
  });

  it("is not found among short rows", () => {
    expect(sampleOf(input([[11, 0], [12, 13, 0]]))).toBeUndefined();
  });
});

describe("calibration", () => {
  const wasm = engine((rows) => 10 * rows);

  it.each([
    ["is faster with any number of rows", () => 5, 1],
    ["is faster with many", (rows: number) => 40 + rows, 8],
    ["is slower", (rows: number) => 11 * rows, null],
    ["is hardly faster", (rows: number) => 9 * rows, null],
    ["is faster with one row only", (rows: number) => (rows > 1 ? 1000 : 1), null],
  ])("takes a GPU that %s from the right number of rows on", async (_, milliseconds, fromRows) => {
    expect(await calibrate(SAMPLE, wasm, engine(milliseconds), never)).toBe(fromRows);
  });

  it("does not take a GPU of which a coarse clock says nothing", async () => {
    expect(await calibrate(SAMPLE, engine(() => 0), engine(() => 0), never)).toBeNull();
  });

  it("does not take a GPU that computes something else, however fast", async () => {
    expect(await calibrate(SAMPLE, wasm, engine(() => 1, () => 7), never)).toBeNull();
  });

  it("takes one that rounds differently now and then", async () => {
    const rounding = engine(() => 1, (id) => (id === 13 ? 99 : id));
    expect(await calibrate(SAMPLE, wasm, rounding, never)).toBe(1);
  });

  it("does not count the first run, which makes what the others use", async () => {
    let runs = 0;
    const slowAtFirst = engine(() => (runs++ === 0 ? 10_000 : 1));
    expect(await calibrate(SAMPLE, wasm, slowAtFirst, never)).toBe(1);
  });

  it("ends with what a pause rejects with", async () => {
    const pause = () => Promise.reject(new Error("something to do"));
    await expect(calibrate(SAMPLE, wasm, wasm, pause)).rejects.toThrow("something to do");
  });
});
