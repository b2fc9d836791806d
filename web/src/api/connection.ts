/**
 * A pair of workers: opened once, dead once. Translators share it, each with a table of calls of its own.
 *
 *     page ----- prepare, open, translate, cancel, close ----> language worker (Pyodide)
 *       |                                                           | MessageChannel: load, run
 *       `------- connect ---------------------------------> engine worker (kernel)
 *
 * States: prepared -> opening -> ready -> closed; each may be closed. `closed` is final and has one reason:
 *
 *     the worker says "failed"                      its error
 *     `error` or `messageerror` of either worker    worker-gone
 *     the page is granted a worker's lifeline       worker-gone
 *     nothing is heard while it opens               network, `silent` seconds
 *     close(reason), the last one leaves            the reason
 *
 * Whatever the reason, both workers are terminated here and by nobody else, `ready` and every call
 * reject, and `closed` resolves. Who wants to go on opens another connection: `pool.ts`.
 */

import type { Place } from "../base/addresses.ts";
import { deferred } from "../base/deferred.ts";
import { DragomanError, fromWire } from "../wire/errors.ts";
import { watchLifeline } from "../base/lifeline.ts";
import { Silence } from "../base/silence.ts";
import type { Manifest } from "../wire/bundle.ts";
import type {
  EngineState,
  EngineStateMessage,
  EngineToPage,
  LanguageToPage,
  LoadingMessage,
  LoadingStage,
  OfferedModel,
  OpenMessage,
  PageToEngine,
  PageToLanguage,
} from "../wire/protocol.ts";
import { CallTable, counter } from "../calls/table.ts";

/** The part of `Worker` that a connection uses, so that tests can do without one. */
export interface WorkerPort<Out> extends EventTarget {
  postMessage(message: Out, transfer?: Transferable[]): void;
  terminate(): void;
}

/** Loading that is not heard of for so many seconds has got stuck (seen in Firefox, on busy machines). */
export const LONGEST_SILENCE = 60;

export interface WorkerPair {
  readonly language: WorkerPort<PageToLanguage>;
  readonly engine: WorkerPort<PageToEngine>;
  /** What the workers are called, and their lifelines with them. */
  readonly names: { readonly language: string; readonly engine: string };
}

/** A model by its bundle, and what computes it. */
export type ModelEngine = EngineState & { readonly bundle: string };

/** What has workers, and where their files are. */
export interface Host extends Place {
  readonly locks?: LockManager | undefined;
  spawn(): WorkerPair;
}

export type OnLoading = (message: LoadingMessage) => void;

export class Connection {
  /** The manifest, once translations can start. */
  readonly ready: Promise<Manifest>;
  /** Resolves with the reason when the workers are gone. */
  readonly closed: Promise<DragomanError | DOMException>;

  readonly #nextId = counter();
  /** Who uses the workers, and what hears of their loading. */
  readonly #users = new Map<CallTable, OnLoading>();
  readonly #engines = new Map<string, EngineState>();
  readonly #workers: WorkerPair;
  readonly #locks: LockManager | undefined;
  readonly #watching = new AbortController();
  readonly #ready = deferred<Manifest>();
  readonly #closed = deferred<DragomanError | DOMException>();
  /** What has been loaded before anyone listened. */
  readonly #loaded = new Map<LoadingStage, LoadingMessage>();
  #silence: Silence | undefined;
  #isOpen = false;
  #closedFor: DragomanError | DOMException | undefined;

  /** Loads what every model needs. */
  constructor(host: Host) {
    this.#locks = host.locks;
    this.ready = this.#ready.promise;
    this.closed = this.#closed.promise;
    this.ready.catch(() => undefined); // A connection may be closed before anyone has asked.
    this.#workers = host.spawn();
    const { language, engine, names } = this.#workers;
    this.#listen(language, "language", (event: MessageEvent<LanguageToPage>) => {
      this.#receive(event.data);
    });
    this.#listen(engine, "engine", (event: MessageEvent<EngineToPage>) => {
      if (event.data.type === "started") this.#watch(names.engine, "engine");
      else this.#changeEngine(event.data);
    });
    const { port1, port2 } = new MessageChannel();
    const place = { base: host.base, ...(host.urls && { urls: host.urls }) };
    engine.postMessage({ type: "connect", ...place }, [port1]);
    language.postMessage({ type: "prepare", ...place }, [port2]);
  }

  /** Load a model: once only. */
  open(open: Omit<OpenMessage, "type">): void {
    if (this.isClosed) return;
    this.#workers.language.postMessage({ type: "open", ...open });
    this.#silence = new Silence(LONGEST_SILENCE, () => {
      this.close(silenceError());
    });
  }

  /** Whether it has been ready at any time. */
  get hasOpened(): boolean {
    return this.#isOpen;
  }

  get isClosed(): boolean {
    return this.#closedFor !== undefined;
  }

  /** Use the workers, until `leave`. */
  join(onloading: OnLoading = () => undefined): CallTable {
    const { language } = this.#workers;
    const calls = new CallTable((message) => {
      language.postMessage(message);
    }, this.#nextId);
    if (this.#closedFor) {
      calls.fail(this.#closedFor);
    } else {
      this.#users.set(calls, onloading);
      if (!this.#isOpen) for (const message of this.#loaded.values()) onloading(message);
    }
    return calls;
  }

  /** What is under way in a table is taken back and rejects with `reason`; the last one ends the workers. */
  leave(calls: CallTable, reason: DragomanError | DOMException): void {
    if (!this.#users.has(calls)) return;
    if (this.#users.size === 1) {
      this.close(reason);
    } else {
      this.#users.delete(calls);
      calls.withdraw(reason);
    }
  }

  /** No user asks for a direction any more. */
  unload({ source, target }: OfferedModel): void {
    if (!this.isClosed) this.#workers.language.postMessage({ type: "unload", source, target });
  }

  /** What computes each loaded model now. */
  get engines(): readonly ModelEngine[] {
    return [...this.#engines].map(([bundle, state]) => ({ bundle, ...state }));
  }

  /** End both workers; what is under way rejects with `reason`. */
  close(reason: DragomanError | DOMException): void {
    if (this.#closedFor) return;
    this.#closedFor = reason;
    this.#silence?.end();
    this.#watching.abort();
    for (const calls of this.#users.keys()) calls.fail(reason);
    this.#users.clear();
    this.#ready.reject(reason);
    this.#workers.language.terminate();
    this.#workers.engine.terminate();
    this.#closed.resolve(reason);
  }

  #listen<M>(
    worker: WorkerPort<never>,
    role: string,
    onmessage: (event: MessageEvent<M>) => void,
  ): void {
    worker.addEventListener("message", onmessage as EventListener);
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      const message = "message" in event ? String(event.message) : "its script did not load";
      this.#gone(role, message);
    });
    worker.addEventListener("messageerror", () => {
      this.#gone(role, "a message could not be read");
    });
  }

  #changeEngine({ bundle, state }: EngineStateMessage): void {
    if (state) this.#engines.set(bundle, state);
    else this.#engines.delete(bundle);
  }

  #receive(message: LanguageToPage): void {
    switch (message.type) {
      case "started":
        this.#watch(this.#workers.names.language, "language");
        break;
      case "loading":
        this.#silence?.heard();
        this.#loaded.set(message.stage, message);
        for (const onloading of this.#users.values()) onloading(message);
        break;
      case "ready":
        this.#silence?.end();
        this.#loaded.clear();
        this.#isOpen = true;
        this.#ready.resolve(message.bundle);
        break;
      case "failed":
        this.close(fromWire(message.error));
        break;
      case "loaded":
      case "progress":
      case "settled":
      case "output":
      case "outputs":
      case "beginning":
      case "document-settled":
      case "fed":
      case "piece":
      case "ended":
      case "statistics":
      case "cleared":
        // Ids are counted together: it is known to one of them at most.
        for (const calls of this.#users.keys()) calls.receive(message);
    }
  }

  #watch(name: string, role: string): void {
    if (!this.#locks || this.#watching.signal.aborted) return;
    watchLifeline(this.#locks, name, this.#watching.signal, () => {
      this.#gone(role, "the browser ended it");
    });
  }

  #gone(role: string, why: string): void {
    this.close(new DragomanError("worker-gone", `the ${role} worker has gone: ${why}`, { worker: role }));
  }
}

export function silenceError(): DragomanError {
  const message = `loading has stood still for ${LONGEST_SILENCE} s`;
  return new DragomanError("network", message, { silent: LONGEST_SILENCE });
}
