/**
 * The engine worker: the kernel, or onnxruntime-web for a graph that the kernel cannot run.
 *
 *     page -- connect, port --> starts to load the kernel
 *     language worker -- load, model --> engine -- loaded | failed, model -->
 *                     -- run, ticket --> one at a time -- output | failed, ticket -->
 *                     -- stop, ticket --> heard between two slices of work
 *
 *                     -- unload, model --> its memory and threads go
 *
 * It holds several models. A kernel that cannot be loaded is final ("failed" with neither a ticket nor
 * a model). The page ends this worker.
 */

import { DragomanError, toWire } from "../errors.ts";
import type { Pause } from "../kernel/batch.ts";
import { readModel } from "../kernel/onnx.ts";
import { isRunnable } from "../kernel/student.ts";
import type { KernelModules } from "../kernel/kernel.ts";
import { holdLifeline } from "../lifeline.ts";
import type {
  ConnectMessage,
  EngineInput,
  EngineOutput,
  EngineToLanguage,
  EngineToPage,
  LanguageToEngine,
} from "../protocol.ts";
import { fetchKernel, KernelEngine } from "./kernel-engine.ts";
import { watchingFetches } from "./loading.ts";
import { OrtEngine } from "./ort-engine.ts";
import { Stops } from "./stops.ts";
import { transferables } from "./transferables.ts";

declare const self: DedicatedWorkerGlobalScope;

interface Engine {
  run(input: EngineInput, pause: Pause): Promise<EngineOutput>;
  close(): Promise<void>;
}

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
  const onbytes = (loaded: number, total: number): void => {
    post({ type: "loading", loaded, total });
  };
  const kernel = watchingFetches(self, STAGE_BYTES.engine, onbytes, () => fetchKernel(base, self.crossOriginIsolated));
  kernel.catch(fail);
  const stops = new Stops();
  const engines = new Map<number, Promise<Engine>>();
  let last: Promise<void> = Promise.resolve();
  port.onmessage = ({ data: message }: MessageEvent<LanguageToEngine>) => {
    if (message.type === "load") {
      const { model, graph, threads } = message;
      const engine = kernel.then((modules) => startEngine(base, modules, new Uint8Array(graph), threads));
      engines.set(model, engine);
      engine.then(
        () => {
          post({ type: "loaded", model });
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
      last = Promise.all([leaving, last]).then(([engine]) => engine?.close(), () => undefined);
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
      const engine = await engines.get(model);
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

async function startEngine(
  base: string,
  modules: KernelModules,
  graph: Uint8Array,
  threads: number,
): Promise<Engine> {
  const model = readModel(graph);
  return isRunnable(model)
    ? KernelEngine.start(modules, model.tensors, threads)
    : OrtEngine.start(base, graph, threads);
}
