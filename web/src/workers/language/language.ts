/**
 * The language worker: the Python core under Pyodide.
 *
 *     open:  runtime, SentencePiece --> imported --.
 *            engine: the model, verified ---------- +--> session --> "ready"
 *                                                       (all rejections --> "failed", once)
 *     translate, id --> session.translate --> "settled", id      always exactly one
 *     graph, id     --> session.graph     --> "output" ..., "outputs", id
 *     stream, id    --> session.startStream;  feed, finish --> "fed";  pull --> "piece" or "ended", id
 *     cancel, id    --> session.cancel    --> the same, as "cancelled"
 *     prioritize, id --> session.prioritize
 *     statistics, id --> session.statistics --> "statistics", id
 *     clear-cache, id --> session, store     --> "cleared", id
 *     close         --> session.close     --> all settled, then this worker ends itself
 *
 * The engine worker and the port to it belong to the page. What Python raises is an outcome; if the
 * interpreter itself dies, "failed" says so and the page ends both workers.
 */

import { toWire } from "../../wire/errors.ts";
import { holdLifeline } from "../../base/lifeline.ts";
import type {
  ErrorCode,
  Graph,
  LanguageToPage,
  LoadingStage,
  LoadOptions,
  OpenMessage,
  PageToLanguage,
  PersistentCacheState,
  StreamOptions,
  TranslationRequest,
} from "../../wire/protocol.ts";
import { LIMITS } from "../../wire/contract.ts";
import { modelKey, parseManifest } from "../../stores/model-store.ts";
import { EngineChannel } from "./engine-channel.ts";
import { Keeping } from "./keeping.ts";
import { watchingFetches } from "../loading.ts";
import {
  fetchSentencePiece,
  importSentencePiece,
  loadRuntime,
  Session,
  type EngineHost,
  type LoadedModel,
  type OnOutput,
  type OnProgress,
} from "./python.ts";
import { SentenceStore } from "../../stores/sentence-store.ts";

declare const self: DedicatedWorkerGlobalScope;

let session: Session | undefined;
/** Where sentences are kept for later visits, if they are; and what brings them there. */
let store: SentenceStore | undefined;
let keeping: Keeping | undefined;
/** Requests and graphs under way. */
let busy = 0;
let failed = false;

self.onmessage = (event: MessageEvent<PageToLanguage>) => {
  const message = event.data;
  switch (message.type) {
    case "open":
      if (event.ports[0]) open(message, event.ports[0]).catch((error: unknown) => { failAs("error", error); });
      break;
    case "translate":
      translate(message.id, message.request).catch(fail);
      break;
    case "graph":
      graph(message.id, message.graph).catch(fail);
      break;
    case "stream":
      stream(message.id, message.options);
      break;
    case "feed":
      fed(message.id, opened().feed(message.id, message.text)).catch(fail);
      break;
    case "finish":
      fed(message.id, opened().finish(message.id)).catch(fail);
      break;
    case "pull":
      pull(message.id).catch(fail);
      break;
    case "cancel":
      session?.cancel(message.id, message.output);
      break;
    case "prioritize":
      session?.prioritize(message.id, message.priority);
      break;
    case "statistics":
      if (session) tellStatistics(message.id, session);
      break;
    case "clear-cache":
      clearCache(message.id).catch(fail);
      break;
    case "close":
      close().catch(fail);
  }
};

// What Pyodide's own tasks throw reaches no `catch` of ours.
self.addEventListener("unhandledrejection", (event) => {
  fail(event.reason);
});

void holdLifeline(self.navigator.locks, self.name).then(() => {
  post({ type: "started" });
});

function post(message: LanguageToPage): void {
  self.postMessage(message);
}

function fail(thrown: unknown): void {
  failAs("worker-gone", thrown);
}

/** `code` is for what has none of its own. */
function failAs(code: ErrorCode, thrown: unknown): void {
  if (failed) return;
  failed = true;
  post({ type: "failed", error: toWire(thrown, code) });
}

function loading(stage: LoadingStage) {
  return (loaded: number, total: number): void => {
    post({ type: "loading", stage, loaded, total });
  };
}

async function open(message: OpenMessage, port: MessagePort): Promise<void> {
  const { base, bundle, threads, measureThreads, engine: preference = "auto", limits, models } = message;
  if (message.persistentCache) {
    store = new SentenceStore({ core: CORE, limit: { ...LIMITS, ...limits }.persistent_cache_bytes });
  }
  const onloading = (stage: LoadingStage, loaded: number, total: number): void => {
    post({ type: "loading", stage, loaded, total });
  };
  const engine = new EngineChannel(port, { onloading, onfailed: fail });
  const load = (name: string) => loadModel({ bundle: name, threads, measureThreads, engine: preference }, engine);
  const [pyodide, first] = await Promise.all([loadPython(base), load(bundle)]);
  session = new Session(pyodide, first, limits);
  if (models) session.offer(models, load);
  if (store) keeping = keep(session, store);
  post({ type: "ready", bundle: parseManifest(first.manifestText) });
}

async function loadPython(base: string) {
  const oncore = loading("core");
  oncore(0, STAGE_BYTES.core);
  const [sentencePiece, pyodide] = await Promise.all([
    fetchSentencePiece(base),
    watchingFetches(self, STAGE_BYTES.runtime, loading("runtime"), () => loadRuntime(base, fail)),
  ]);
  importSentencePiece(pyodide, sentencePiece);
  oncore(STAGE_BYTES.core, STAGE_BYTES.core);
  return pyodide;
}

async function loadModel(options: LoadOptions, engine: EngineChannel): Promise<LoadedModel> {
  const { model, manifestText, vocabulary } = await engine.load(options);
  const kept = await store?.load(modelKey(parseManifest(manifestText)));
  return { manifestText, vocabulary, engine: modelEngine(engine, model), kept };
}

function keep(from: Session, to: SentenceStore): Keeping {
  return new Keeping({
    take: (most) => from.news(most),
    write: (news) => to.write(news),
    isBusy: () => busy > 0,
    onfailed: fail,
  });
}

/** Something has ended: there may be sentences to keep. */
function touch(): void {
  if (!store?.fault) keeping?.touch();
}

function tellStatistics(id: number, from: Session): void {
  post({ type: "statistics", id, statistics: from.statistics(), persistentCache: persistentState() });
}

function persistentState(): PersistentCacheState {
  if (!store) return { state: "off" };
  return store.fault ? { state: "failed", ...store.fault } : { state: "on" };
}

async function clearCache(id: number): Promise<void> {
  await keeping?.settled();
  opened().clearCache();
  await store?.clear();
  post({ type: "cleared", id });
}

function modelEngine(engine: EngineChannel, model: number): EngineHost {
  return {
    run: (input) => engine.run(model, input),
    stop: () => {
      engine.stop(model);
    },
    close: () => {
      engine.unload(model);
    },
  };
}

async function translate(id: number, request: TranslationRequest): Promise<void> {
  const report: OnProgress = (state, done, total) => {
    post({ type: "progress", id, state, done, total });
  };
  const outcome = await whileBusy(opened().translate(id, request, report));
  post({ type: "settled", id, outcome });
}

async function graph(id: number, asked: Graph): Promise<void> {
  const tell: OnOutput = (name, end) => {
    post({ type: "output", id, name, outcome: end });
  };
  const outcome = await whileBusy(opened().graph(id, asked, tell));
  post({ type: "outputs", id, outcome });
}

async function whileBusy<T>(work: Promise<T>): Promise<T> {
  busy++;
  try {
    return await work;
  } finally {
    busy--;
    touch();
  }
}

function stream(id: number, options: StreamOptions): void {
  const started = opened().startStream(id, options);
  if (!started.ok) post({ type: "ended", id, error: started.error });
}

async function fed(id: number, work: Promise<boolean>): Promise<void> {
  post({ type: "fed", id, open: await work });
}

async function pull(id: number): Promise<void> {
  const outcome = await opened().nextPiece(id);
  touch();
  if (!outcome.ok) post({ type: "ended", id, error: outcome.error });
  else if (outcome.piece) post({ type: "piece", id, piece: outcome.piece });
  else post({ type: "ended", id });
}

function opened(): Session {
  if (!session) throw new Error('a request came before "ready"');
  return session;
}

async function close(): Promise<void> {
  await session?.close();
  self.close();
}
