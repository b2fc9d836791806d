/**
 * The engine worker: the kernel, and the GPU where it is faster; or onnxruntime-web for a graph that
 * neither can run. It holds several models. The page ends this worker.
 *
 *     page -- connect, port --> starts to load the kernel; what comes over the port is `EngineWorker`'s
 *     page <-- engine, bundle: what computes a model, at each change
 */

import { fetchFrom, type Place } from "../../base/addresses.ts";
import { timed } from "../../base/stages.ts";
import type { LanguageToEngine } from "../../wire/engine-protocol.ts";
import type { ConnectMessage, EngineToPage } from "../../wire/protocol.ts";
import { openPublished, publishedPair } from "../../published/bundle.ts";
import { PublishedStore } from "../../published/store.ts";
import { browserHost, ModelStore, type Bundle } from "../../stores/model-store.ts";
import { watchingFetches } from "../loading.ts";
import { tellStarted } from "../started.ts";
import { startEngine } from "./engine-start.ts";
import { EngineWorker } from "./engine-worker.ts";
import { fetchKernel } from "./kernel-engine.ts";

declare const self: DedicatedWorkerGlobalScope;

self.onmessage = (event: MessageEvent<ConnectMessage>) => {
  const [port] = event.ports;
  if (port) connect(event.data, port);
};

void tellStarted(self, () => {
  tell({ type: "started" });
});

function tell(message: EngineToPage): void {
  self.postMessage(message);
}

function connect(place: Place, port: MessagePort): void {
  fetchFrom(place, self);
  const host = browserHost(self.fetch.bind(self)); // as it is before it is watched
  const published = new PublishedStore();
  const worker = new EngineWorker({
    post: (message, transfer = []) => {
      port.postMessage(message, transfer);
    },
    onstate: (bundle, state) => {
      tell({ type: "engine", bundle, ...(state && { state }) });
    },
    loadKernel: async (onbytes) => {
      const fetching = () => fetchKernel(place, self.crossOriginIsolated);
      const modules = await timed("kernel, compiled", () => watchingFetches(self, STAGE_BYTES.engine, onbytes, fetching));
      return (bundle, options, onstate) =>
        timed("model, placed", () => startEngine(place, modules, bundle, options, onstate));
    },
    loadBundle: ({ bundle, shortlist }, onbytes) => {
      const pair = publishedPair(bundle);
      return timed<Bundle>("model, verified", () => pair
        ? openPublished(published, pair, onbytes, shortlist)
        : new ModelStore(place.base, bundle, host).load(onbytes, shortlist));
    },
  });
  port.onmessage = ({ data }: MessageEvent<LanguageToEngine>) => {
    worker.receive(data);
  };
}
