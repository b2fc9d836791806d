/**
 * Rows of a mini-batch for several threads, and their outputs put together again.
 *
 *     part --> thread that is free --> output \
 *     part --> thread that is free --> output --+--> gather
 *     ...
 */

import type { EngineInput, EngineOutput, Parts } from "../wire/engine-protocol.ts";
import { joined, prefixRows } from "./prefixes.ts";

/** A row takes no longer in a part of so many rows than in a larger one. */
const ROWS_A_PART = 4;
/** A thread that is held up by others leaves to the rest what it has not begun. */
const PARTS_A_THREAD = 4;

/** How many parts so many threads take of so many rows: none is empty. */
export function partsFor(rows: number, threads: number): number {
  if (threads === 1) return 1;
  const most = Math.max(threads, Math.floor(rows / ROWS_A_PART));
  return Math.min(rows, most, threads * PARTS_A_THREAD);
}

/** Rows `part`, `part + count`, `part + 2 count` ... */
export function partOf(input: EngineInput, part: number, count: number): EngineInput {
  return count === 1 ? input : rowsOf(input, part, count);
}

/** Run parts that no other thread has taken, while there are any; the outputs by part. */
export async function takeParts(
  input: EngineInput,
  { count, taken }: Parts,
  run: (part: EngineInput) => Promise<EngineOutput>,
): Promise<[part: number, output: EngineOutput][]> {
  const outputs: [number, EngineOutput][] = [];
  for (let part = next(taken); part < count; part = next(taken)) {
    outputs.push([part, await run(partOf(input, part, count))]);
  }
  return outputs;
}

function next(taken: Int32Array): number {
  return Atomics.add(taken, 0, 1);
}

/** The different pieces of a mini-batch's sources. */
export function piecesOf({ ids }: EngineInput): Int32Array<ArrayBuffer> {
  return Int32Array.from(new Set(ids));
}

function rowsOf(input: EngineInput, first: number, step: number): EngineInput {
  const { width, attention, companions, beams } = input;
  const rows = Math.ceil((input.rows - first) / step);
  const part = {
    ids: new Int32Array(rows * width),
    lengths: new Int32Array(rows),
    limits: new Int32Array(rows),
  };
  for (let row = 0; row < rows; row++) {
    const from = first + row * step;
    part.ids.set(input.ids.subarray(from * width, (from + 1) * width), row * width);
    part.lengths[row] = input.lengths[from] ?? 0;
    part.limits[row] = input.limits[from] ?? 0;
  }
  const prefixes = beams && joined(prefixRows(beams.prefixes).filter((_, row) => row % step === first));
  return {
    ...part,
    rows,
    width,
    attention,
    ...(companions && { companions }),
    ...(beams && prefixes && { beams: { ...beams, prefixes } }),
  };
}

/** The output of a mini-batch from those of all its parts, in their order. */
export function gather(input: EngineInput, parts: readonly EngineOutput[]): EngineOutput {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const { width, beams } = input;
  const kept = beams?.kept ?? 1;
  const rows = input.rows * kept;
  const steps = Math.max(...parts.map((part) => part.steps));
  const ids = new Int32Array(rows * steps);
  const logProbabilities = new Float32Array(rows * steps);
  const attention = new Float32Array(input.attention ? rows * steps * width : 0);
  const scores = new Float32Array(beams ? rows : 0);
  parts.forEach((part, first) => {
    for (let from = 0; from < part.ids.length / part.steps; from++) {
      const to = (Math.floor(from / kept) * parts.length + first) * kept + (from % kept);
      const own = from * part.steps;
      ids.set(part.ids.subarray(own, own + part.steps), to * steps);
      logProbabilities.set(part.logProbabilities.subarray(own, own + part.steps), to * steps);
      if (beams) scores[to] = part.scores?.[from] ?? 0;
      if (!input.attention) continue;
      attention.set(part.attention.subarray(own * width, (own + part.steps) * width), to * steps * width);
    }
  });
  return { steps, ids, logProbabilities, attention, ...(beams && { scores }) };
}
