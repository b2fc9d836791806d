/** What mini-batches need on the device: buffers, made anew only for a larger one than ever before. */

import type { EngineInput } from "../wire/engine-protocol.ts";
import { mostStepsOf } from "../kernel/output.ts";
import { vectorsOf, type GpuModel } from "./model.ts";

/** Shape letters as in `shaders.ts`; P pieces of all rows of the source. */
export interface Workspace {
  readonly capacity: Capacity;
  /** `Progress` over the pieces of the source, and over the rows that go on. */
  readonly source: Rows;
  readonly target: Rows;
  /** [R]: start, length */
  readonly sentences: GPUBuffer;
  /** [R] */
  readonly limits: GPUBuffer;
  /** [P][D], then [R][D] */
  readonly x: GPUBuffer;
  /** [P][3 D], the widest product. */
  readonly wide: GPUBuffer;
  /** Quantized [P][D], [P][F] */
  readonly q: GPUBuffer;
  readonly inner: GPUBuffer;
  /** Of each decoder layer: keys and values [P][2 D], states [R][D]. */
  readonly memories: readonly GPUBuffer[];
  readonly states: readonly GPUBuffer[];
  /** Keys of the alignment head [P][A]. */
  readonly aligned: GPUBuffer;
  /** [R][V] */
  readonly logits: GPUBuffer;
  /** [R][T] */
  readonly chosen: GPUBuffer;
  readonly sums: GPUBuffer;
  /** [R][T][W] */
  readonly attention: GPUBuffer;
  /** Progress, then the three above, for the host. */
  readonly reader: GPUBuffer;
}

/** What one step goes over. */
export interface Rows {
  readonly progress: GPUBuffer;
  /** The piece that is the input, its place in its sentence, and which row it belongs to. */
  readonly pieces: GPUBuffer;
  readonly places: GPUBuffer;
  readonly rowOf: GPUBuffer;
}

/** What a workspace has room for. */
export interface Capacity {
  readonly rows: number;
  readonly pieces: number;
  /** R T */
  readonly cells: number;
  /** R T W, or 0 */
  readonly weights: number;
}

const WORD = 4;
export const PROGRESS_BYTES = 4 * WORD;

export function capacityFor(input: EngineInput): Capacity {
  const cells = input.rows * mostStepsOf(input);
  return {
    rows: input.rows,
    pieces: Math.max(input.rows, input.lengths.reduce((sum, length) => sum + length, 0)),
    cells,
    weights: input.attention ? cells * input.width : 0,
  };
}

/** The one that there is, if there is room in it; else a larger one in its place. */
export function fit(model: GpuModel, needed: Capacity, present: Workspace | undefined): Workspace {
  if (present && holds(present.capacity, needed)) return present;
  const capacity = larger(present?.capacity, needed);
  const { sizes, gpu, decoder } = model;
  checkLimits(model, capacity);
  if (present) destroyWorkspace(present);
  const { rows, pieces, cells, weights } = capacity;
  const words = (count: number): GPUBuffer => gpu.storage(WORD * count);
  const rowsOf = (count: number): Rows => ({
    progress: gpu.storage(PROGRESS_BYTES),
    pieces: words(count),
    places: words(count),
    rowOf: words(count),
  });
  return {
    capacity,
    source: rowsOf(pieces),
    target: rowsOf(rows),
    sentences: words(2 * rows),
    limits: words(rows),
    x: words(pieces * sizes.dimension),
    wide: words(3 * pieces * sizes.dimension),
    q: gpu.storage(16 * pieces * vectorsOf(sizes.dimension)),
    inner: gpu.storage(16 * pieces * vectorsOf(sizes.inner)),
    memories: decoder.map(() => words(2 * pieces * sizes.dimension)),
    states: decoder.map(() => words(rows * sizes.dimension)),
    aligned: words(pieces * (model.alignment?.key.outputs ?? 0)),
    logits: words(rows * sizes.vocabulary),
    chosen: words(cells),
    sums: words(cells),
    attention: words(weights),
    reader: gpu.reader(readerBytes(capacity)),
  };
}

export function destroyWorkspace(workspace: Workspace): void {
  for (const part of Object.values(workspace) as unknown[]) {
    if (isBuffer(part)) part.destroy();
    else if (typeof part === "object" && part) Object.values(part).filter(isBuffer).forEach((each) => { each.destroy(); });
  }
}

export function readerBytes({ cells, weights }: Pick<Capacity, "cells" | "weights">): number {
  return PROGRESS_BYTES + WORD * (2 * cells + weights);
}

function isBuffer(part: unknown): part is GPUBuffer {
  return typeof part === "object" && part !== null && "destroy" in part;
}

/** Before anything is made or destroyed. A workgroup takes one row. */
function checkLimits({ gpu, sizes }: GpuModel, { rows, pieces, cells, weights }: Capacity): void {
  gpu.checkLimit("maxComputeWorkgroupsPerDimension", Math.max(rows, pieces));
  const wide = 3 * pieces * sizes.dimension;
  gpu.checkBuffer(WORD * Math.max(wide, rows * sizes.vocabulary, cells, weights));
  gpu.checkBuffer(16 * pieces * vectorsOf(sizes.inner));
  gpu.checkLimit("maxBufferSize", readerBytes({ cells, weights }));
}

function holds(capacity: Capacity, needed: Capacity): boolean {
  return keys(needed).every((key) => capacity[key] >= needed[key]);
}

function larger(present: Capacity | undefined, needed: Capacity): Capacity {
  const most = (key: keyof Capacity): number => Math.max(present?.[key] ?? 0, needed[key]);
  return { rows: most("rows"), pieces: most("pieces"), cells: most("cells"), weights: most("weights") };
}

function keys(capacity: Capacity): (keyof Capacity)[] {
  return Object.keys(capacity) as (keyof Capacity)[];
}
