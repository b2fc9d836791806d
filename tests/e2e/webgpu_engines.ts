/** Both engines in a page, side by side, for `test_webgpu.py`. */

import { runBatch, type Pause } from "../../web/src/kernel/batch.ts";
import { Kernel } from "../../web/src/kernel/kernel.ts";
import { placeModel } from "../../web/src/kernel/model.ts";
import { readModel } from "../../web/src/kernel/onnx.ts";
import { readStudent } from "../../web/src/kernel/student.ts";
import type { EngineInput, EngineOutput } from "../../web/src/protocol.ts";
import { BatchRunner } from "../../web/src/webgpu/batch.ts";
import { findAdapter, Gpu } from "../../web/src/webgpu/device.ts";
import { placeStudent } from "../../web/src/webgpu/model.ts";

const never: Pause = () => Promise.resolve();

async function fetched(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(path);
  return new Uint8Array(await response.arrayBuffer());
}

async function start() {
  const { tensors } = readModel(await fetched("/models/de-en/model.onnx"));
  const plain = await WebAssembly.compile(await fetched("/runtime/kernel/plain-one.wasm"));
  const kernel = await Kernel.start({ relaxed: undefined, plain, shared: false });
  const model = placeModel(kernel, tensors);
  const adapter = await findAdapter(navigator.gpu);
  if (typeof adapter === "string") throw new Error(adapter);
  const gpu = await Gpu.open(adapter);
  const runner = new BatchRunner(await placeStudent(gpu, readStudent(tensors), never));
  return {
    gpu,
    wasm: (input: EngineInput) => runBatch(kernel, model, input, never),
    webgpu: (input: EngineInput, pause = never) => runner.run(input, pause),
  };
}

/** Rows of pieces, EOS included. */
function batch(rows: readonly (readonly number[])[], limits: readonly number[], attention: boolean): EngineInput {
  const width = Math.max(...rows.map((row) => row.length));
  const ids = new Int32Array(rows.length * width);
  rows.forEach((row, number) => { ids.set(row, number * width); });
  return {
    ids,
    lengths: Int32Array.from(rows, (row) => row.length),
    limits: Int32Array.from(limits),
    rows: rows.length,
    width,
    attention,
  };
}

function plain({ steps, ids, logProbabilities, attention }: EngineOutput) {
  return { steps, ids: [...ids], logProbabilities: [...logProbabilities], attention: [...attention] };
}

Object.assign(globalThis, { engines: { start, batch, plain } });
