/** What `run_node.mjs` takes of the browser host's TypeScript. */

import { runBatch } from "../../web/src/kernel/batch.ts";
import { Kernel } from "../../web/src/kernel/kernel.ts";
import { placeModel } from "../../web/src/kernel/model.ts";
import { readModel } from "../../web/src/kernel/onnx.ts";
import { isRunnable } from "../../web/src/kernel/student.ts";
import { placePublished } from "../../web/src/kernel/published.ts";
import { withShortlist } from "../../web/src/kernel/shortlist.ts";
import type { EngineInput, EngineOutput, PlacedModel, PublishedLayout } from "../../web/src/wire/engine-protocol.ts";

export { CoreSession, readPublished } from "../../web/src/workers/language/python.ts";

type Run = (input: EngineInput) => Promise<EngineOutput>;

/** The kernel's run function for a graph; undefined when it takes onnxruntime-web. */
export async function kernelRun(
  graph: Uint8Array,
  shortlist: Uint8Array<ArrayBuffer> | undefined,
  wasm: Uint8Array<ArrayBuffer>,
): Promise<Run | undefined> {
  const onnx = readModel(graph);
  if (!isRunnable(onnx)) return undefined;
  return started(wasm, (kernel) => withShortlist(kernel, placeModel(kernel, onnx.tensors), shortlist));
}

/** The same for a published model. */
export function publishedRun(
  layout: PublishedLayout,
  file: Uint8Array<ArrayBuffer>,
  shortlist: Uint8Array<ArrayBuffer> | undefined,
  wasm: Uint8Array<ArrayBuffer>,
): Promise<Run> {
  return started(wasm, (kernel) => withShortlist(kernel, placePublished(kernel, layout, file), shortlist));
}

async function started(wasm: Uint8Array<ArrayBuffer>, place: (kernel: Kernel) => PlacedModel): Promise<Run> {
  const plain = await WebAssembly.compile(wasm);
  const kernel = await Kernel.start({ relaxed: undefined, plain, shared: false });
  const model = place(kernel);
  return (input) => runBatch(kernel, model, input, () => Promise.resolve());
}
