/**
 * The kernel's stages on the clock: `runBatch` of the shipped engine, with timers around its functions.
 * Bundled and served by `kernel_stages.py`.
 */

import { runBatch } from "../../../web/src/kernel/batch.ts";
import { Kernel } from "../../../web/src/kernel/kernel.ts";
import { placeModel } from "../../../web/src/kernel/model.ts";
import { readModel } from "../../../web/src/kernel/onnx.ts";
import type { EngineInput } from "../../../web/src/wire/engine-protocol.ts";
import { fetchKernel } from "../../../web/src/workers/engine/kernel-engine.ts";

const STAGES = ["batch_embed", "batch_encode", "batch_remember", "batch_decode"] as const;
const EOS = 0;

interface Batch {
  readonly ids: readonly number[];
  readonly lengths: readonly number[];
  readonly limits: readonly number[];
  readonly width: number;
}

interface Given {
  /** Address of the graph. */
  readonly model: string;
  readonly batches: readonly Batch[];
  readonly turns: number;
}

/** Seconds of each stage over all batches, the best of some turns; source pieces; rows times steps. */
export async function measure({ model, batches, turns }: Given) {
  const kernel = await Kernel.start(await fetchKernel({ base: new URL("/", location.href).href }, false));
  const graph = new Uint8Array(await (await fetch(model)).arrayBuffer());
  const placed = placeModel(kernel, readModel(graph).tensors);
  const inputs: EngineInput[] = batches.map(({ ids, lengths, limits, width }) => ({
    ids: Int32Array.from(ids),
    lengths: Int32Array.from(lengths),
    limits: Int32Array.from(limits),
    rows: lengths.length,
    width,
    attention: false,
  }));
  let best: Record<string, number> | undefined;
  let steps = 0;
  for (let turn = 0; turn <= turns; turn++) {
    const seconds: Record<string, number> = Object.fromEntries(STAGES.map((name) => [name, 0]));
    const timed = onTheClock(kernel, seconds);
    steps = 0;
    for (const input of inputs) {
      const output = await runBatch(timed, placed, input, () => Promise.resolve());
      steps += stepsOf(output.ids, output.steps);
    }
    if (turn > 0 && (!best || sum(seconds) < sum(best))) best = seconds; // the first is the compiler's
  }
  const pieces = inputs.reduce((all, { lengths }) => all + lengths.reduce((a, b) => a + b, 0), 0);
  return { seconds: best, pieces, steps };
}

function onTheClock(kernel: Kernel, seconds: Record<string, number>): Kernel {
  const functions: Record<string, unknown> = { ...kernel.functions };
  for (const name of STAGES) {
    functions[name] = (model: number, batch: number, layer: number): unknown => {
      const start = performance.now();
      const result: unknown = kernel.functions[name](model, batch, layer);
      seconds[name] = (seconds[name] ?? 0) + (performance.now() - start) / 1000;
      return result;
    };
  }
  return Object.assign(Object.create(Kernel.prototype), kernel, { functions }) as Kernel;
}

/** Rows are computed to their end, EOS included. */
function stepsOf(ids: Int32Array, steps: number): number {
  let all = 0;
  for (let start = 0; start < ids.length; start += steps) {
    const end = ids.subarray(start, start + steps).indexOf(EOS);
    all += end < 0 ? steps : end + 1;
  }
  return all;
}

function sum(values: Record<string, number>): number {
  return Object.values(values).reduce((a, b) => a + b, 0);
}
