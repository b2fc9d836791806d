import { describe, expect, it } from "vitest";
import { deferred } from "../../../web/src/base/deferred.ts";
import { partsFor, takeParts } from "../../../web/src/kernel/parts.ts";
import type { EngineInput, EngineOutput } from "../../../web/src/wire/engine-protocol.ts";

const INPUT: EngineInput = {
  ids: Int32Array.of(11, 0, 21, 0, 31, 0),
  lengths: Int32Array.of(2, 2, 2),
  limits: Int32Array.of(4, 5, 6),
  rows: 3,
  width: 2,
  attention: false,
};

const never = () => Promise.resolve();

/** The first piece of each row. */
function firsts({ ids, rows, width }: EngineInput): EngineOutput {
  const found = Int32Array.from({ length: rows }, (_, row) => ids[row * width] ?? 0);
  return { steps: 1, ids: found, logProbabilities: new Float32Array(rows), attention: new Float32Array(0) };
}

const told = (taken: readonly (readonly [number, EngineOutput])[]) => taken.map(([part, { ids }]) => [part, ...ids]);

describe("parts of a mini-batch", () => {
  it("are up to four for each of several threads, of eight rows and more where there are, and never empty", () => {
    const counts = (rows: number) => [1, 2, 4].map((threads) => partsFor(rows, threads));
    expect([1, 3, 12, 16, 24, 48, 64].map(counts)).toEqual([
      [1, 1, 1],
      [1, 2, 3],
      [1, 2, 4],
      [1, 2, 4],
      [1, 2, 4],
      [1, 6, 4],
      [1, 8, 8],
    ]);
  });

  it("go to whoever is free", async () => {
    const parts = { count: 3, taken: new Int32Array(1) };
    const held = deferred<undefined>();
    const slow = takeParts(INPUT, parts, never, async (part) => {
      await held.promise;
      return firsts(part);
    });
    const fast = await takeParts(INPUT, parts, never, (part) => Promise.resolve(firsts(part)));
    held.resolve(undefined);
    expect(told(await slow)).toEqual([[0, 11]]);
    expect(told(fast)).toEqual([
      [1, 21],
      [2, 31],
    ]);
  });

  it("are left where they are once one has failed", async () => {
    const parts = { count: 3, taken: new Int32Array(1) };
    const failing = takeParts(INPUT, parts, never, () => Promise.reject(new Error("no memory")));
    await expect(failing).rejects.toThrow("no memory");
    expect(await takeParts(INPUT, parts, never, (part) => Promise.resolve(firsts(part)))).toEqual([]);
  });

  it("are stopped between two that are too short for a pause of their own", async () => {
    const parts = { count: 3, taken: new Int32Array(1) };
    const begun: number[] = [];
    const stopped = takeParts(
      INPUT,
      parts,
      () => Promise.reject(new Error("stopped")),
      (part) => {
        begun.push(part.ids[0] ?? 0);
        const end = performance.now() + 16;
        while (performance.now() < end);
        return Promise.resolve(firsts(part));
      },
    );
    await expect(stopped).rejects.toThrow("stopped");
    expect(begun).toEqual([11]);
  });
});
