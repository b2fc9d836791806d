/** What `run_node.mjs` takes of the browser host's TypeScript. */

import { runBatch } from "../../web/src/kernel/batch.ts";
import { Kernel } from "../../web/src/kernel/kernel.ts";
import { placeModel } from "../../web/src/kernel/model.ts";
import { readModel } from "../../web/src/kernel/onnx.ts";
import { isRunnable } from "../../web/src/kernel/student.ts";
import type { EngineInput, EngineOutput } from "../../web/src/wire/protocol.ts";

export { CoreSession } from "../../web/src/workers/language/python.ts";

/** The kernel's run function for a graph; undefined when it takes onnxruntime-web. */
export async function kernelRun(
  graph: Uint8Array,
  wasm: Uint8Array<ArrayBuffer>,
): Promise<((input: EngineInput) => Promise<EngineOutput>) | undefined> {
  const onnx = readModel(graph);
  if (!isRunnable(onnx)) return undefined;
  const plain = await WebAssembly.compile(wasm);
  const kernel = await Kernel.start({ relaxed: undefined, plain, shared: false });
  const model = placeModel(kernel, onnx.tensors);
  return (input) => runBatch(kernel, model, input, () => Promise.resolve());
}
