/**
 * Parts of a mini-batch for several threads.
 *
 *     part --> thread that is free --> output
 *     part --> thread that is free --> output
 *     ...
 */

import type { EngineInput, EngineOutput, Parts } from "../wire/engine-protocol.ts";
import { sliced, type Pause } from "./batch.ts";
import { partOf } from "./rows.ts";

/** A row takes hardly longer in a part of so many rows than in a larger one, and half again with four (docs/adr/0052). */
const ROWS_A_PART = 8;
/** A thread that is held up by others leaves to the rest what it has not begun. */
const PARTS_A_THREAD = 4;

/** How many parts so many threads take of so many rows: as many each, if they are as fast; none is empty. */
export function partsFor(rows: number, threads: number): number {
  if (threads === 1) return 1;
  const each = Math.floor(rows / (threads * ROWS_A_PART));
  return Math.min(rows, threads * Math.min(Math.max(each, 1), PARTS_A_THREAD));
}

/**
 * Run parts that no other thread has taken, while there are any; the outputs by part.
 *
 * @throws what `run` or `pause` rejects with; nobody takes a part from then on.
 */
export async function takeParts(
  input: EngineInput,
  { count, taken }: Parts,
  pause: Pause,
  run: (part: EngineInput, pause: Pause) => Promise<EngineOutput>,
): Promise<[part: number, output: EngineOutput][]> {
  const rest = sliced(pause); // of all parts together: one may be too short for a pause
  const outputs: [number, EngineOutput][] = [];
  const next = (): number => Atomics.add(taken, 0, 1);
  try {
    for (let part = next(); part < count; part = next()) {
      await rest();
      outputs.push([part, await run(partOf(input, part, count), rest)]);
    }
  } catch (error) {
    Atomics.store(taken, 0, count);
    throw error;
  }
  return outputs;
}
