/** Which engine a model gets: what was asked for, what its graph allows, what was measured here before. */

import type { Place } from "../../base/addresses.ts";
import { release } from "../../base/bytes.ts";
import { DragomanError } from "../../wire/errors.ts";
import type { LoadOptions } from "../../wire/engine-protocol.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { readModel, type OnnxModel } from "../../kernel/onnx.ts";
import { isRunnable } from "../../kernel/student.ts";
import { placeModel } from "../../kernel/model.ts";
import { placePublished } from "../../kernel/published.ts";
import { withShortlist } from "../../kernel/shortlist.ts";
import { isPublished, type OwnBundle } from "../../stores/model-store.ts";
import { Choices } from "./choices.ts";
import { KernelEngine, type KernelFiles } from "./kernel-engine.ts";
import { OrtEngine } from "./ort-engine.ts";
import { ThreadChoice } from "./thread-choice.ts";
import type { ReadModel } from "./engine-worker.ts";
import { TwoEngines, type Engine, type OnState } from "./two-engines.ts";
import { findAny, findHardware, WebGpuEngine } from "./webgpu-engine.ts";

const WEEK = 7 * 24 * 60 * 60 * 1000;

/** `sha256` is the graph's, or the published model's. */
type GraphOptions = LoadOptions & { readonly sha256: string };

/** @throws DragomanError "not-supported", "bundle-corrupt", "engine". */
export async function startEngine(
  built: Place,
  modules: KernelFiles,
  given: Pick<OwnBundle, "graph" | "manifest" | "shortlist"> | ReadModel,
  options: LoadOptions,
  onstate: OnState,
): Promise<Engine> {
  const { files } = given.manifest;
  const load: GraphOptions = { ...options, sha256: (isPublished(files) ? files.model : files.graph).sha256 };
  return "graph" in given
    ? startOwn(built, modules, given, load, onstate)
    : startPublished(modules, given, load, onstate);
}

/** The GPU's mathematics is that of our own models. */
async function startPublished(
  modules: KernelFiles,
  { file, shortlist, ...layout }: ReadModel,
  load: GraphOptions,
  onstate: OnState,
): Promise<Engine> {
  const detail = "published models are computed by the processor";
  if (load.engine === "webgpu") throw noGpu(detail);
  const choice = await chooseThreads(modules, load);
  const place = (kernel: Kernel) => withShortlist(kernel, placePublished(kernel, layout, file), shortlist);
  const kernel = await KernelEngine.start(modules, place, choice);
  release(file.buffer); // The kernel has a copy.
  onstate(load.engine === "wasm" ? { name: "wasm", why: "asked" } : { name: "wasm", why: "no-gpu", detail });
  return kernel;
}

async function startOwn(
  built: Place,
  modules: KernelFiles,
  { graph, shortlist }: Pick<OwnBundle, "graph" | "shortlist">,
  load: GraphOptions,
  onstate: OnState,
): Promise<Engine> {
  const { sha256, threads, engine } = load;
  const model = readModel(graph);
  if (!isRunnable(model)) {
    if (engine === "webgpu") throw noGpu("the model's graph is not an int8 student");
    const runtime = await OrtEngine.start(built, graph, threads);
    onstate({ name: "onnxruntime", why: "graph" });
    return runtime;
  }
  const candidate = { graph: sha256, threads };
  const drop = () => { release(graph.buffer); };
  if (engine === "webgpu") {
    const both = await startBoth(modules, model.tensors, load, onstate);
    drop();
    return both;
  }
  const place = (kernel: Kernel) => withShortlist(kernel, placeModel(kernel, model.tensors), shortlist);
  const kernel = await KernelEngine.start(modules, place, await chooseThreads(modules, load));
  if (engine === "auto") {
    const find = () => findHardware(candidate);
    return TwoEngines.auto(kernel, { find, start: () => WebGpuEngine.start(model.tensors), release: drop }, onstate);
  }
  drop();
  onstate({ name: "wasm", why: "asked" });
  return kernel;
}

async function startBoth(
  modules: KernelFiles,
  tensors: OnnxModel["tensors"],
  load: GraphOptions,
  onstate: OnState,
): Promise<Engine> {
  const gpu = await findAny({ graph: load.sha256, threads: load.threads });
  if (typeof gpu === "string") throw noGpu(gpu);
  const place = (kernel: Kernel) => placeModel(kernel, tensors);
  const kernel = await KernelEngine.start(modules, place, await chooseThreads(modules, load));
  try {
    return TwoEngines.asked(kernel, await WebGpuEngine.start(tensors), gpu, onstate);
  } catch (error) {
    await kernel.close();
    throw error;
  }
}

/** A number that was asked for is kept to; else it is measured, once on each machine. */
async function chooseThreads(modules: KernelFiles, load: GraphOptions): Promise<ThreadChoice> {
  const { sha256: graph, threads, measureThreads } = load;
  if (!modules.shared) return ThreadChoice.fixed(1);
  if (!measureThreads) return ThreadChoice.fixed(threads);
  const choices = new Choices<number>(caches, "threads");
  // The machine may have been busy with something else.
  const here = { graph, threads, browser: navigator.userAgent, week: Math.floor(Date.now() / WEEK) };
  const kept = await choices.find(here);
  if (kept !== undefined) return ThreadChoice.fixed(kept);
  return new ThreadChoice(threads, (chosen) => void choices.keep(here, chosen));
}

function noGpu(why: string): DragomanError {
  return new DragomanError("not-supported", `WebGPU was asked for: ${why}`, {});
}
