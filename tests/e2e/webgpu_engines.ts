/** Both engines in a page, side by side, for `test_webgpu.py`. */

import { runBatch, type Pause } from "../../web/src/kernel/batch.ts";
import { Kernel } from "../../web/src/kernel/kernel.ts";
import { placeModel } from "../../web/src/kernel/model.ts";
import { readModel } from "../../web/src/kernel/onnx.ts";
import type { EngineInput, EngineOutput } from "../../web/src/wire/engine-protocol.ts";
import { WebGpuEngine } from "../../web/src/workers/engine/webgpu-engine.ts";

/** A mini-batch as JSON: rows of pieces, EOS included. */
interface Case {
  readonly rows: readonly (readonly number[])[];
  readonly limits: readonly number[];
  readonly attention: boolean;
}

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
  const buffers = countBuffers();
  const gpu = await WebGpuEngine.start(tensors);
  return {
    buffers,
    wasm: async (given: Case) => asJson(await runBatch(kernel, model, inputOf(given), never)),
    webgpu: async (given: Case, pause = never) => asJson(await gpu.run(inputOf(given), pause)),
    close: () => gpu.close(),
  };
}

/** Buffers that were made and not destroyed, and what became of their device. */
function countBuffers() {
  const alive = new Set<GPUBuffer>();
  const counted = { lost: "", count: () => alive.size };
  const { requestDevice } = methodsOf(GPUAdapter.prototype);
  GPUAdapter.prototype.requestDevice = async function (...options) {
    const device = await requestDevice.apply(this, options);
    void device.lost.then(({ reason }) => { counted.lost = reason; });
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      const destroy = buffer.destroy.bind(buffer);
      buffer.destroy = () => {
        alive.delete(buffer);
        destroy();
        return undefined;
      };
      alive.add(buffer);
      return buffer;
    };
    return device;
  };
  return counted;
}

function methodsOf<T extends object>(prototype: T): Readonly<T> {
  return Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(prototype)).map(([name, { value }]) => [name, value as unknown]),
  ) as T;
}

function inputOf({ rows, limits, attention }: Case): EngineInput {
  const width = Math.max(...rows.map((row) => row.length));
  const ids = new Int32Array(rows.length * width);
  rows.forEach((row, number) => { ids.set(row, number * width); });
  const lengths = Int32Array.from(rows, (row) => row.length);
  return { ids, lengths, limits: Int32Array.from(limits), rows: rows.length, width, attention };
}

function asJson({ steps, ids, logProbabilities, attention }: EngineOutput) {
  return { steps, ids: [...ids], scores: [...logProbabilities], attention: [...attention] };
}

Object.assign(globalThis, { startEngines: start });
