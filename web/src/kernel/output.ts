/** What an engine hands back, out of what decoding has left in its memory. */

import type { EngineInput, EngineOutput } from "../wire/engine-protocol.ts";

/** Of a mini-batch that has ended. R rows, N hypotheses of each, T most steps, W width. */
export interface Decoded {
  /** How many steps were taken, at most T. */
  readonly steps: number;
  readonly mostSteps: number;
  /** [R][N][T] */
  readonly target: Int32Array;
  /** [R][N][T], natural, of the chosen piece. */
  readonly logProbabilities: Float32Array;
  /** [R][N][T][W], or of length 0. */
  readonly attention: Float32Array;
  /** [R][N]; absent for greedy search. */
  readonly scores?: Float32Array;
}

/** Of a hypothesis that there is not, or less. */
const NO_SCORE = -1e30;

/** Cells after a row's end hold anything: zeros in the output. */
export function outputOf(input: EngineInput, decoded: Decoded): EngineOutput {
  const { width, limits } = input;
  const { steps, mostSteps, target, scores } = decoded;
  const kept = input.beams?.kept ?? 1;
  const rows = input.rows * kept;
  const ids = new Int32Array(rows * steps);
  const logProbabilities = new Float32Array(rows * steps);
  const attention = new Float32Array(input.attention ? rows * steps * width : 0);
  for (let row = 0; row < rows; row++) {
    if (scores && (scores[row] ?? 0) <= NO_SCORE) continue;
    const from = row * mostSteps;
    const length = rowLength(target.subarray(from, from + Math.min(steps, limits[Math.floor(row / kept)] ?? 0)));
    ids.set(target.subarray(from, from + length), row * steps);
    logProbabilities.set(decoded.logProbabilities.subarray(from, from + length), row * steps);
    const weights = decoded.attention.subarray(from * width, (from + length) * width);
    if (input.attention) attention.set(weights, row * steps * width);
  }
  return { steps, ids, logProbabilities, attention, ...(scores && { scores: scores.slice() }) };
}

/** Steps of a row up to its EOS (piece 0), that one included. */
function rowLength(row: Int32Array): number {
  const end = row.indexOf(0);
  return end < 0 ? row.length : end + 1;
}

/** The most that any row of a mini-batch may need: T. */
export function mostStepsOf({ limits }: EngineInput): number {
  return limits.reduce((most, limit) => Math.max(most, limit), 0);
}
