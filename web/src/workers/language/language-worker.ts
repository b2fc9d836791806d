/**
 * The language worker's answers to the page.
 *
 *     prepare:  runtime, SentencePiece --> imported --.
 *     open:     engine: the model, verified ----------+--> session --> "ready"
 *                       (published: read by the core, and placed)
 *                                                       (all rejections --> "failed", once)
 *     load, id      --> once it is open: session.offer, session.load --> "loaded", id
 *     unload        --> session.unload
 *     translate, id --> session.translate --> "settled", id      always exactly one
 *     graph, id     --> session.graph     --> "output" ..., "outputs", id
 *     document, id  --> what reads it, fetched once --> session.document --> "beginning", "document-settled", id
 *     stream, id    --> session.startStream;  feed, finish --> "fed";  pull --> "piece" or "ended", id
 *     cancel, id    --> session.cancel    --> the same, as "cancelled"
 *     prioritize, id --> session.prioritize
 *     statistics, id --> session.statistics --> "statistics", id
 *     clear-cache, id --> session, store     --> "cleared", id
 *
 * What Python raises is an outcome; if the interpreter itself dies, "failed" says so, and the page ends
 * both workers.
 */

import { LIMITS } from "../../wire/contract.ts";
import { toWire } from "../../wire/errors.ts";
import type { LoadOptions, PublishedText } from "../../wire/engine-protocol.ts";
import type {
  ErrorCode,
  LanguageToPage,
  Limits,
  LoadingStage,
  MemoryEntry,
  OpenMessage,
  PageToLanguage,
  PersistentCacheState,
  PrepareMessage,
  StreamOptions,
} from "../../wire/protocol.ts";
import { modelKey, parseManifest } from "../../stores/model-store.ts";
import type { SentenceStore } from "../../stores/sentence-store.ts";
import { release } from "../../base/bytes.ts";
import { deferred } from "../../base/deferred.ts";
import { timed } from "../../base/stages.ts";
import type { EngineChannel, EngineListener, ReadFiles, ReadPublished } from "./engine-channel.ts";
import { Documents } from "./documents.ts";
import { Keeping } from "./keeping.ts";
import type { CoreSession, EngineHost, LoadedModel, LoadModel, OnProgress } from "./python.ts";

export type OnLoading = (stage: LoadingStage, loaded: number, total: number) => void;

/** The session, without what only its class has. */
export type SessionPort = Pick<CoreSession, Exclude<keyof CoreSession, "close">>;

/** The core, imported. */
export interface Core {
  readonly start: (
    first: LoadedModel,
    limits: Limits | undefined,
    memory: readonly MemoryEntry[] | undefined,
  ) => SessionPort;
  /** What it makes of published files. */
  readonly read: (published: PublishedText) => ReadPublished;
  /** What reads documents, if it is not there yet. */
  readonly loadDocuments: () => Promise<void>;
}

export type EnginePort = Pick<EngineChannel, "load" | "run" | "stop" | "unload">;

/** What the worker stands on; tests give fakes. */
export interface LanguageSurroundings {
  readonly post: (message: LanguageToPage) => void;
  readonly connectEngine: (port: MessagePort, listener: EngineListener) => EnginePort;
  readonly loadPython: (base: string, onloading: OnLoading, onfatal: (reason: unknown) => void) => Promise<Core>;
  readonly openStore: (bytes: number) => Pick<SentenceStore, "load" | "write" | "clear" | "close" | "fault">;
}

type Message<T extends PageToLanguage["type"]> = Extract<PageToLanguage, { readonly type: T }>;

/** What every model needs, and the way to the engine. */
interface Prepared {
  readonly channel: EnginePort;
  readonly core: Promise<Core>;
}

export class LanguageWorker {
  readonly #around: LanguageSurroundings;
  #prepared: Prepared | undefined;
  #session: SessionPort | undefined;
  /** The session, and what loads its models; it never rejects: where nothing opens, "failed" says so. */
  readonly #whenOpened = deferred<{ readonly session: SessionPort; readonly load: LoadModel }>();
  #documents: Documents | undefined;
  /** Models that were asked for, and taken back before it was open. */
  readonly #unwanted = new Set<number>();
  /** Where sentences are kept for later visits, if they are; and what brings them there. */
  #store: ReturnType<LanguageSurroundings["openStore"]> | undefined;
  #keeping: Keeping | undefined;
  /** Requests and graphs under way. */
  #busy = 0;
  #hasFailed = false;

  constructor(around: LanguageSurroundings) {
    this.#around = around;
  }

  /** `port` comes with "prepare" and leads to the engine. */
  receive(message: PageToLanguage, port?: MessagePort): void {
    this.#answer(message, port).catch((error: unknown) => {
      // What cannot be opened has its own reasons; later only the interpreter's death throws.
      const isOpening = message.type === "prepare" || message.type === "open";
      this.#failAs(isOpening ? "error" : "worker-gone", error);
    });
  }

  /** The interpreter has died. */
  fail(thrown: unknown): void {
    this.#failAs("worker-gone", thrown);
  }

  async #answer(message: PageToLanguage, port: MessagePort | undefined): Promise<void> {
    switch (message.type) {
      case "prepare":
        if (port) await this.#prepare(message, port);
        break;
      case "open":
        if (this.#prepared) await this.#open(message, this.#prepared);
        break;
      case "load":
        await this.#loadAnother(message);
        break;
      case "unload": {
        // It may be that of who opened, who has left while it was loaded.
        const { session } = await this.#whenOpened.promise;
        await session.unload(message.source, message.target);
        break;
      }
      case "translate":
        await this.#translate(message);
        break;
      case "graph":
        await this.#graph(message);
        break;
      case "document": {
        const outcome = await this.#whileBusy(this.#documents?.translate(message) ?? notOpened());
        if (outcome) this.#around.post({ type: "document-settled", id: message.id, outcome });
        break;
      }
      case "stream":
        this.#stream(message.id, message.options);
        break;
      case "feed":
        await this.#tellFed(message.id, this.#opened().feed(message.id, message.text));
        break;
      case "finish":
        await this.#tellFed(message.id, this.#opened().finish(message.id));
        break;
      case "pull":
        await this.#pull(message.id);
        break;
      case "cancel":
        this.#documents?.cancel(message.id);
        if (this.#session) this.#session.cancel(message.id, message.output);
        else this.#unwanted.add(message.id);
        break;
      case "prioritize":
        this.#session?.prioritize(message.id, message.priority);
        break;
      case "statistics":
        if (this.#session) {
          const statistics = this.#session.statistics();
          this.#around.post({ type: "statistics", id: message.id, statistics, persistentCache: this.#persistentState() });
        }
        break;
      case "clear-cache":
        await this.#clearCache(message.id);
    }
  }

  async #prepare({ base }: PrepareMessage, port: MessagePort): Promise<void> {
    const onloading: OnLoading = (stage, loaded, total) => {
      this.#around.post({ type: "loading", stage, loaded, total });
    };
    const fail = (error: unknown): void => {
      this.fail(error);
    };
    const channel = this.#around.connectEngine(port, { onloading: this.#around.post, onfailed: fail });
    const core = this.#around.loadPython(base, onloading, fail);
    this.#prepared = { channel, core };
    await core;
  }

  async #open(message: OpenMessage, { channel, core }: Prepared): Promise<void> {
    const { bundle, threads, measureThreads, engine = "auto", shortlist, limits, memory, models } = message;
    if (message.persistentCache) {
      this.#store = this.#around.openStore({ ...LIMITS, ...limits }.persistent_cache_bytes);
    }
    const read: ReadFiles = async (published) => (await core).read(published);
    const options = { threads, measureThreads, engine, ...(shortlist !== undefined && { shortlist }) };
    const load = (name: string) => this.#load({ bundle: name, ...options }, channel, read);
    const [{ start, loadDocuments }, first] = await Promise.all([core, load(bundle)]);
    const session = await timed("vocabulary", () => start(first, limits, memory));
    // Python has copies.
    release(first.vocabulary.buffer, ...(first.nameTable ? [first.nameTable.buffer] : []));
    this.#session = session;
    this.#documents = new Documents({ post: this.#around.post, load: loadDocuments, session });
    if (models) session.offer(models, load);
    if (this.#store) this.#keeping = this.#keepingOf(session, this.#store);
    this.#around.post({ type: "ready", bundle: parseManifest(first.manifestText) });
    this.#whenOpened.resolve({ session, load });
  }

  async #loadAnother({ id, source, target, models }: Message<"load">): Promise<void> {
    const { session, load } = await this.#whenOpened.promise;
    if (this.#unwanted.delete(id)) return;
    let why: unknown;
    session.offer(models, (bundle) => load(bundle).catch((error: unknown) => {
      why = error; // It has a code, which the core would not know of.
      throw error;
    }));
    const outcome = await session.load(id, source, target);
    const isOurs = !outcome.ok && why !== undefined;
    this.#around.post({ type: "loaded", id, outcome: isOurs ? { ok: false, error: toWire(why, "bundle") } : outcome });
  }

  async #load(options: LoadOptions, channel: EnginePort, read: ReadFiles): Promise<LoadedModel> {
    const { model, ...text } = await channel.load(options, read);
    const kept = await this.#store?.load(modelKey(parseManifest(text.manifestText)));
    return { ...text, engine: engineOf(channel, model), kept };
  }

  #keepingOf(from: SessionPort, to: Pick<SentenceStore, "write">): Keeping {
    return new Keeping({
      take: (most) => from.news(most),
      write: (news) => to.write(news),
      isBusy: () => this.#busy > 0,
      onfailed: (error) => {
        this.fail(error);
      },
    });
  }

  async #translate({ id, request, progress = false }: Message<"translate">): Promise<void> {
    const tell: OnProgress = (state, done, total) => {
      this.#around.post({ type: "progress", id, state, done, total });
    };
    const work = this.#opened().translate(id, request, progress ? tell : undefined);
    this.#around.post({ type: "settled", id, outcome: await this.#whileBusy(work) });
  }

  async #graph({ id, graph }: Message<"graph">): Promise<void> {
    const work = this.#opened().graph(id, graph, (name, outcome) => {
      this.#around.post({ type: "output", id, name, outcome });
    });
    this.#around.post({ type: "outputs", id, outcome: await this.#whileBusy(work) });
  }

  async #whileBusy<T>(work: Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work;
    } finally {
      this.#busy--;
      this.#touch();
    }
  }

  #stream(id: number, options: StreamOptions): void {
    const started = this.#opened().startStream(id, options);
    if (!started.ok) this.#around.post({ type: "ended", id, error: started.error });
  }

  async #tellFed(id: number, work: Promise<boolean>): Promise<void> {
    this.#around.post({ type: "fed", id, open: await work });
  }

  async #pull(id: number): Promise<void> {
    const outcome = await this.#opened().nextPiece(id);
    this.#touch();
    if (!outcome.ok) this.#around.post({ type: "ended", id, error: outcome.error });
    else if (outcome.piece) this.#around.post({ type: "piece", id, piece: outcome.piece });
    else this.#around.post({ type: "ended", id });
  }

  #persistentState(): PersistentCacheState {
    if (!this.#store) return { state: "off" };
    const { fault } = this.#store;
    return fault ? { state: "failed", ...fault } : { state: "on" };
  }

  async #clearCache(id: number): Promise<void> {
    await this.#keeping?.settled();
    this.#opened().clearCache();
    // Earlier visits may have kept some where this one keeps none, and what fails to be written can still be deleted.
    if (this.#store && !this.#store.fault) await this.#store.clear();
    else await clearOnce(this.#around.openStore(LIMITS.persistent_cache_bytes));
    this.#around.post({ type: "cleared", id });
  }

  /** Something has ended: there may be sentences to keep. */
  #touch(): void {
    if (!this.#store?.fault) this.#keeping?.touch();
  }

  #opened(): SessionPort {
    return this.#session ?? notOpened();
  }

  /** `code` is for what has none of its own. */
  #failAs(code: ErrorCode, thrown: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#around.post({ type: "failed", error: toWire(thrown, code) });
  }
}

async function clearOnce(store: ReturnType<LanguageSurroundings["openStore"]>): Promise<void> {
  await store.clear();
  await store.close();
}

function notOpened(): never {
  throw new Error('a request came before "ready"');
}

function engineOf(channel: EnginePort, model: number): EngineHost {
  return {
    run: (input) => channel.run(model, input),
    stop: () => {
      channel.stop(model);
    },
    close: () => {
      channel.unload(model);
    },
  };
}
