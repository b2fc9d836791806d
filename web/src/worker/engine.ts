/**
 * The engine worker: onnxruntime-web on its WASM provider.
 *
 *     page -- connect, port --> starts to load the runtime
 *     language worker -- load --> session -- loaded -->
 *                     -- run, ticket --> one at a time -- output | failed, ticket -->
 *
 * What fails before "loaded" is final ("failed" without a ticket). The page ends this worker.
 */

import type * as Ort from "onnxruntime-web";
import { toWire } from "../errors.ts";
import { holdLifeline } from "../lifeline.ts";
import type {
  ConnectMessage,
  EngineInput,
  EngineOutput,
  EngineToLanguage,
  EngineToPage,
  LanguageToEngine,
} from "../protocol.ts";
import { watchingFetches } from "./loading.ts";

declare const self: DedicatedWorkerGlobalScope;

const OUTPUTS = ["target_ids", "log_probabilities"] as const;

type Runtime = typeof Ort;

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
  const runtime = loadRuntime(base, (loaded, total) => {
    post({ type: "loading", loaded, total });
  });
  runtime.catch(fail);
  let session: Promise<Ort.InferenceSession>;
  let last: Promise<void> = Promise.resolve();
  port.onmessage = ({ data: message }: MessageEvent<LanguageToEngine>) => {
    if (message.type === "load") {
      session = runtime.then((ort) => createSession(ort, message.graph, message.threads));
      session.then(() => {
        post({ type: "loaded" });
      }, fail);
      return;
    }
    const { ticket } = message;
    last = last.then(async () => {
      try {
        const output = await run(await runtime, await session, message);
        post({ type: "output", ticket, ...output }, transferables(output));
      } catch (error) {
        post({ type: "failed", ticket, error: toWire(error, "engine") });
      }
    });
  };
}

async function loadRuntime(
  base: string,
  onbytes: (loaded: number, total: number) => void,
): Promise<Runtime> {
  const folder = new URL("runtime/ort/", base).href;
  return watchingFetches(self, STAGE_BYTES.engine, onbytes, async () => {
    // Fetched here, not by onnxruntime: it would start only once the graph has come.
    const [ort, binary] = await Promise.all([
      import(`${folder}ort.wasm.min.mjs`) as Promise<Runtime>,
      fetch(`${folder}ort-wasm-simd-threaded.wasm`),
    ]);
    ort.env.wasm.wasmPaths = folder;
    ort.env.wasm.wasmBinary = await binary.arrayBuffer();
    return ort;
  });
}

async function createSession(
  ort: Runtime,
  graph: ArrayBuffer,
  threads: number,
): Promise<Ort.InferenceSession> {
  ort.env.wasm.numThreads = threads;
  return ort.InferenceSession.create(graph, { executionProviders: ["wasm"] });
}

async function run(
  ort: Runtime,
  session: Ort.InferenceSession,
  { ids, lengths, limits, rows, width, attention }: EngineInput,
): Promise<EngineOutput> {
  const feeds = {
    source_ids: new ort.Tensor("int32", ids, [rows, width]),
    lengths: new ort.Tensor("int32", lengths, [rows]),
    limits: new ort.Tensor("int32", limits, [rows]),
  };
  const output = await session.run(feeds, attention ? [...OUTPUTS, "attention"] : [...OUTPUTS]);
  const targetIds = named(output, "target_ids");
  return {
    steps: targetIds.dims[1] ?? 0,
    ids: targetIds.data as Int32Array,
    logProbabilities: named(output, "log_probabilities").data as Float32Array,
    attention: attention ? (named(output, "attention").data as Float32Array) : new Float32Array(0),
  };
}

function named(output: Ort.InferenceSession.ReturnType, name: string): Ort.Tensor {
  const tensor = output[name];
  if (!tensor) throw new Error(`the graph gave no ${name}`);
  return tensor;
}

function transferables(output: EngineOutput): Transferable[] {
  return [output.ids, output.logProbabilities, output.attention].map(({ buffer }) => buffer as ArrayBuffer);
}
