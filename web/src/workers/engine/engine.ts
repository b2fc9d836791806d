/**
 * The engine worker: the kernel, and the GPU where it is faster; or onnxruntime-web for a graph that
 * neither can run.
 *
 *     page -- connect, port --> starts to load the kernel
 *     language worker -- load, model --> bundle, verified --> engine -- loaded | failed, model -->
 *                     -- run, ticket --> one at a time -- output | failed, ticket -->
 *                     -- stop, ticket --> heard between two slices of work
 *
 *                     -- unload, model --> its memory and threads go
 *     page <-- engine, bundle: what computes a model, at each change
 *
 * It holds several models. A kernel that cannot be loaded is final ("failed" with neither a ticket nor
 * a model). The page ends this worker.
 */

import { DragomanError, toWire } from "../../wire/errors.ts";
import { readModel, type OnnxModel } from "../../kernel/onnx.ts";
import { isRunnable } from "../../kernel/student.ts";
import type { KernelModules } from "../../kernel/kernel.ts";
import { holdLifeline } from "../../base/lifeline.ts";
import type {
  ConnectMessage,
  EngineToLanguage,
  EngineToPage,
  LanguageToEngine,
  LoadingStage,
  LoadOptions,
} from "../../wire/protocol.ts";
import { fetchKernel, KernelEngine } from "./kernel-engine.ts";
import { watchingFetches } from "../loading.ts";
import { OrtEngine } from "./ort-engine.ts";
import { browserHost, ModelStore, type Bundle } from "../../stores/model-store.ts";
import { Choices } from "./choices.ts";
import { Stops } from "./stops.ts";
import { ThreadChoice } from "./thread-choice.ts";
import { transferables } from "./transferables.ts";
import { TwoEngines, type Engine, type OnState } from "./two-engines.ts";
import { findAny, findHardware, WebGpuEngine } from "./webgpu-engine.ts";

declare const self: DedicatedWorkerGlobalScope;

const WEEK = 7 * 24 * 60 * 60 * 1000;

/** `sha256` is the graph's. */
type GraphOptions = LoadOptions & { readonly sha256: string };

self.onmessage = (event: MessageEvent<ConnectMessage>) => {
  const [port] = event.ports;
  if (port) connect(event.data.base, port);
};

void holdLifeline(self.navigator.locks, self.name).then(() => {
  self.postMessage({ type: "started" } satisfies EngineToPage);
});

function connect(base: string, port: MessagePort): void {
  const post = (message: EngineToLanguage, transfer: Transferable[] = []): void => {
    port.postMessage(message, transfer);
  };
  const fail = (thrown: unknown): void => {
    post({ type: "failed", error: toWire(thrown, "engine") });
  };
  const loading = (stage: LoadingStage) => (loaded: number, total: number): void => {
    post({ type: "loading", stage, loaded, total });
  };
  const host = browserHost(self.fetch.bind(self)); // as it is before it is watched
  const kernel = watchingFetches(self, STAGE_BYTES.engine, loading("engine"), () =>
    fetchKernel(base, self.crossOriginIsolated),
  );
  kernel.catch(fail);
  const stops = new Stops();
  const engines = new Map<number, { readonly bundle: string; readonly engine: Promise<Engine> }>();
  let last: Promise<void> = Promise.resolve();
  port.onmessage = ({ data: message }: MessageEvent<LanguageToEngine>) => {
    if (message.type === "load") {
      const { model } = message;
      const bundle = new ModelStore(base, message.bundle, host).load(loading("model"));
      const engine = start(base, kernel, bundle, message);
      engines.set(model, { bundle: message.bundle, engine });
      Promise.all([bundle, engine]).then(
        ([{ manifestText, vocabulary }]) => {
          post({ type: "loaded", model, manifestText, vocabulary }, [vocabulary.buffer]);
        },
        (error: unknown) => {
          engines.delete(model);
          post({ type: "failed", model, error: toWire(error, "engine") });
        },
      );
      return;
    }
    if (message.type === "unload") {
      const leaving = engines.get(message.model);
      engines.delete(message.model);
      // Nothing of it runs any more, and a model that never came holds nothing.
      last = Promise.all([leaving?.engine, last]).then(([engine]) => engine?.close(), () => undefined);
      if (leaving) self.postMessage({ type: "engine", bundle: leaving.bundle } satisfies EngineToPage);
      return;
    }
    if (message.type === "stop") {
      stops.stop(message.ticket);
      return;
    }
    const { ticket, model } = message;
    const before = last;
    const output = stops.run(ticket, async (pause) => {
      await before;
      stops.throwIfStopped(ticket);
      const engine = await engines.get(model)?.engine;
      if (!engine) throw new DragomanError("engine", `the engine has no model ${model}`, { model });
      return engine.run(message, pause);
    });
    last = output.then(
      (result) => {
        post({ type: "output", ticket, ...result }, transferables(result));
      },
      (error: unknown) => {
        post({ type: "failed", ticket, error: toWire(error, "engine") });
      },
    );
  };
}

async function start(
  base: string,
  kernel: Promise<KernelModules>,
  bundle: Promise<Bundle>,
  load: LoadOptions,
): Promise<Engine> {
  const [modules, { graph, manifest }] = await Promise.all([kernel, bundle]);
  return startEngine(base, modules, graph, { ...load, sha256: manifest.files.graph.sha256 });
}

async function startEngine(
  base: string,
  modules: KernelModules,
  graph: Uint8Array<ArrayBuffer>,
  load: GraphOptions,
): Promise<Engine> {
  const { sha256, threads, engine } = load;
  const model = readModel(graph);
  const onstate = reporter(load.bundle);
  if (!isRunnable(model)) {
    if (engine === "webgpu") throw noGpu("the model's graph is not an int8 student");
    onstate({ name: "onnxruntime", why: "graph" });
    return OrtEngine.start(base, graph, threads);
  }
  const candidate = { graph: sha256, threads };
  if (engine === "webgpu") return startBoth(modules, model.tensors, load, onstate);
  const kernel = await KernelEngine.start(modules, model.tensors, await chooseThreads(modules, load));
  if (engine === "auto") {
    const find = () => findHardware(candidate);
    return TwoEngines.auto(kernel, { find, start: () => WebGpuEngine.start(model.tensors) }, onstate);
  }
  onstate({ name: "wasm", why: "asked" });
  return kernel;
}

async function startBoth(
  modules: KernelModules,
  tensors: OnnxModel["tensors"],
  load: GraphOptions,
  onstate: OnState,
): Promise<Engine> {
  const gpu = await findAny({ graph: load.sha256, threads: load.threads });
  if (typeof gpu === "string") throw noGpu(gpu);
  const kernel = await KernelEngine.start(modules, tensors, await chooseThreads(modules, load));
  try {
    return TwoEngines.asked(kernel, await WebGpuEngine.start(tensors), gpu, onstate);
  } catch (error) {
    await kernel.close();
    throw error;
  }
}

/** A number that was asked for is kept to; else it is measured, once on each machine. */
async function chooseThreads(modules: KernelModules, load: GraphOptions): Promise<ThreadChoice> {
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

/** Outlives the loading: it must not share a scope with the model's file, or it would keep it. */
function reporter(bundle: string): OnState {
  return (state) => {
    self.postMessage({ type: "engine", bundle, state } satisfies EngineToPage);
  };
}

function noGpu(why: string): DragomanError {
  return new DragomanError("not-supported", `WebGPU was asked for: ${why}`, {});
}
