import { expect, it } from "vitest";
import { mostStepsOf, outputOf } from "../../../web/src/kernel/output.ts";
import type { EngineInput } from "../../../web/src/wire/engine-protocol.ts";

const NONE = -1e30;

function input(fields: Partial<EngineInput>): EngineInput {
  return {
    rows: 2, width: 2, ids: new Int32Array(4), lengths: new Int32Array([2, 1]),
    limits: new Int32Array([4, 2]), attention: false, ...fields,
  };
}

it("leaves out what is after a row's end, or its limit", () => {
  const { steps, ids, logProbabilities, attention } = outputOf(input({}), {
    steps: 3,
    mostSteps: 4,
    target: Int32Array.of(5, 0, 7, 7, 8, 9, 9, 9), // ended; cut at two
    logProbabilities: Float32Array.of(-1, -2, -3, -4, -5, -6, -7, -8),
    attention: new Float32Array(0),
  });
  expect(steps).toBe(3);
  expect([...ids]).toEqual([5, 0, 0, 8, 9, 0]);
  expect([...logProbabilities]).toEqual([-1, -2, 0, -5, -6, 0]);
  expect(attention.length).toBe(0);
});

it("has the attention of the steps that count", () => {
  const { attention } = outputOf(input({ rows: 1, limits: Int32Array.of(3), attention: true }), {
    steps: 3,
    mostSteps: 3,
    target: Int32Array.of(5, 0, 7),
    logProbabilities: new Float32Array(3),
    attention: Float32Array.of(0.25, 0.75, 0.5, 0.5, 1, 1),
  });
  expect([...attention]).toEqual([0.25, 0.75, 0.5, 0.5, 0, 0]);
});

it("has several hypotheses of a row, and zeros for those that there are not", () => {
  const beams = { kept: 2 } as NonNullable<EngineInput["beams"]>;
  const output = outputOf(input({ beams }), {
    steps: 2,
    mostSteps: 2,
    target: Int32Array.of(1, 0, 2, 0, 3, 4, 5, 6),
    logProbabilities: new Float32Array(8).fill(-1),
    attention: new Float32Array(0),
    scores: Float32Array.of(-1, -2, -3, NONE),
  });
  expect([...output.ids]).toEqual([1, 0, 2, 0, 3, 4, 0, 0]);
  expect([...(output.scores ?? [])]).toEqual([-1, -2, -3, Math.fround(NONE)]);
});

it("takes as many steps as the row that may need most", () => {
  expect(mostStepsOf(input({ limits: Int32Array.of(3, 9, 4) }))).toBe(9);
  expect(mostStepsOf(input({ limits: new Int32Array(0) }))).toBe(0);
});
