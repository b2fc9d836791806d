/** Which engine is faster here, for few rows and for many: measured, never assumed. */

import type { Pause } from "../../kernel/batch.ts";
import type { EngineInput, EngineOutput } from "../../wire/engine-protocol.ts";

export type Run = (input: EngineInput, pause: Pause) => Promise<EngineOutput>;

/** Mini-batches of so many rows and more go to the GPU; `null`: none does. */
export type FromRows = number | null;

/** Rows of the two mini-batches that are measured, and from where on the larger one speaks. */
const ROWS = { few: 1, many: 32 } as const;
const MANY_FROM = 8;
/** The best of so many counts, after one more that nobody looks at. */
const TURNS = 3;
/** The GPU's time is to be less than this share of the kernel's: a tie is not worth its memory and its power. */
const WORTH = 0.8;
/** Share of equal pieces, at least: rounding may turn a translation, a broken driver turns all. */
const AGREEMENT = 0.5;
/** Pieces of a row that says something about rows. */
const SAMPLE_PIECES = 8;

/** A row of a mini-batch that is fit to be measured with, alone; `undefined` if all are short. */
export function sampleOf({ ids, lengths, limits, rows, width }: EngineInput): EngineInput | undefined {
  const row = lengths.findIndex((length) => length >= SAMPLE_PIECES);
  if (row < 0 || row >= rows) return undefined;
  const length = lengths[row] ?? 0;
  return {
    ids: ids.slice(row * width, row * width + length),
    lengths: Int32Array.of(length),
    limits: limits.slice(row, row + 1),
    rows: 1,
    width: length,
    attention: true,
  };
}

/** @throws what `pause` rejects with, and what an engine does. */
export async function calibrate(sample: EngineInput, wasm: Run, webgpu: Run, pause: Pause): Promise<FromRows> {
  const isWorthIt = async (rows: number): Promise<boolean> => {
    const input = repeated(sample, rows);
    const kernel = await measure(wasm, input, pause);
    const gpu = await measure(webgpu, input, pause);
    return agree(kernel.output, gpu.output) && gpu.milliseconds < WORTH * kernel.milliseconds;
  };
  if (!(await isWorthIt(ROWS.many))) return null;
  return (await isWorthIt(ROWS.few)) ? ROWS.few : MANY_FROM;
}

async function measure(run: Run, input: EngineInput, pause: Pause): Promise<{ output: EngineOutput; milliseconds: number }> {
  let output = await run(input, pause);
  let milliseconds = Infinity;
  for (let turn = 0; turn < TURNS; turn++) {
    await pause();
    const start = performance.now();
    output = await run(input, pause);
    milliseconds = Math.min(milliseconds, performance.now() - start);
  }
  return { output, milliseconds };
}

/** Row by row, up to the shorter one's end. */
function agree(a: EngineOutput, b: EngineOutput): boolean {
  const rows = a.ids.length / a.steps;
  const most = Math.max(a.steps, b.steps);
  let equal = 0;
  for (let row = 0; row < rows; row++) {
    for (let step = 0; step < most; step++) equal += Number(pieceAt(a, row, step) === pieceAt(b, row, step));
  }
  return equal >= AGREEMENT * rows * most;
}

/** EOS after a row's end. */
function pieceAt({ ids, steps }: EngineOutput, row: number, step: number): number {
  return step < steps ? (ids[row * steps + step] ?? 0) : 0;
}

/** `sample` has one row. */
function repeated(sample: EngineInput, rows: number): EngineInput {
  const repeat = (values: Int32Array): Int32Array<ArrayBuffer> => {
    const all = new Int32Array(values.length * rows);
    for (let row = 0; row < rows; row++) all.set(values, row * values.length);
    return all;
  };
  return { ...sample, ids: repeat(sample.ids), lengths: repeat(sample.lengths), limits: repeat(sample.limits), rows };
}
