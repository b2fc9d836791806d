/**
 * The language worker: the Python core under Pyodide. What is said to the page is `LanguageWorker`'s.
 *
 * The engine worker and the port to it belong to the page, which ends both workers.
 */

import { fetchFrom, type Place } from "../../base/addresses.ts";
import { timed } from "../../base/stages.ts";
import type { LanguageToPage, PageToLanguage } from "../../wire/protocol.ts";
import { SentenceStore } from "../../stores/sentence-store.ts";
import { watchingFetches } from "../loading.ts";
import { tellStarted } from "../started.ts";
import { EngineChannel } from "./engine-channel.ts";
import { loadRuntime } from "./interpreter.ts";
import { LanguageWorker, type Core, type OnLoading } from "./language-worker.ts";
import { CoreSession, fetchSentencePiece, importDocuments, importSentencePiece, readPublished } from "./python.ts";

declare const self: DedicatedWorkerGlobalScope;

/** Comes with the first message. */
let place: Place = { base: "" };

const worker = new LanguageWorker({
  post,
  connectEngine: (port, listener) => new EngineChannel(port, listener),
  loadPython,
  openStore: (bytes) => new SentenceStore({ core: CORE, limit: bytes }),
});

self.onmessage = ({ data, ports }: MessageEvent<PageToLanguage>) => {
  if (data.type === "prepare") {
    place = data;
    fetchFrom(place, self);
  }
  worker.receive(data, ports[0]);
};

// What Pyodide's own tasks throw reaches no `catch` of ours.
self.addEventListener("unhandledrejection", (event) => {
  worker.fail(event.reason);
});

void tellStarted(self, () => {
  post({ type: "started" });
});

function post(message: LanguageToPage): void {
  self.postMessage(message);
}

async function loadPython(
  base: string,
  onloading: OnLoading,
  onfatal: (reason: unknown) => void,
): Promise<Core> {
  onloading("core", 0, STAGE_BYTES.core);
  const onruntime = (loaded: number, total: number): void => {
    onloading("runtime", loaded, total);
  };
  const [sentencePiece, pyodide] = await Promise.all([
    timed("SentencePiece, compiled", () => fetchSentencePiece(base)),
    watchingFetches(self, STAGE_BYTES.runtime, onruntime, () => loadRuntime(place, onfatal)),
  ]);
  await timed("SentencePiece, imported", () => {
    importSentencePiece(pyodide, sentencePiece);
  });
  onloading("core", STAGE_BYTES.core, STAGE_BYTES.core);
  let documents: Promise<void> | undefined;
  return {
    loadDocuments: () => {
      documents ??= importDocuments(pyodide, base).catch((error: unknown) => {
        documents = undefined; // The next document tries again.
        throw error;
      });
      return documents;
    },
    start: (first, limits, memory) => new CoreSession(pyodide, first, limits, memory),
    read: (published) => readPublished(pyodide, published),
  };
}
