/**
 * A pair of workers with one model: opened once, dead once.
 *
 *     page ----- open, translate, cancel, close ----> language worker (Pyodide)
 *       |                                                  | MessageChannel: load, run
 *       `------- connect ------------------------> engine worker (kernel)
 *
 * States: opening -> ready -> closed, or opening -> closed. `closed` is final and has one reason:
 *
 *     the worker says "failed"                      its error
 *     `error` or `messageerror` of either worker    worker-gone
 *     the page is granted a worker's lifeline       worker-gone
 *     nothing is heard while it opens               network, `silent` seconds
 *     close(reason)                                 the reason
 *
 * Whatever the reason, both workers are terminated here and by nobody else, `ready` and every call
 * reject, and `closed` resolves. A translator that wants to go on opens another connection.
 */

import { deferred } from "../base/deferred.ts";
import { DragomanError, fromWire } from "../wire/errors.ts";
import { watchLifeline } from "../base/lifeline.ts";
import type {
  EngineState,
  EngineStateMessage,
  EngineToPage,
  LanguageToPage,
  LoadingMessage,
  Manifest,
  OpenMessage,
  PageToEngine,
  PageToLanguage,
} from "../wire/protocol.ts";
import { CallTable } from "../calls/table.ts";

/** The part of `Worker` that a connection uses, so that tests can do without one. */
export interface WorkerPort<Out> extends EventTarget {
  postMessage(message: Out, transfer?: Transferable[]): void;
  terminate(): void;
}

/** Loading that is not heard of for so many seconds has got stuck (seen in Firefox, on busy machines). */
const LONGEST_SILENCE = 60;

export interface WorkerPair {
  readonly language: WorkerPort<PageToLanguage>;
  readonly engine: WorkerPort<PageToEngine>;
  /** What the workers are called, and their lifelines with them. */
  readonly names: { readonly language: string; readonly engine: string };
}

/** A model by its bundle, and what computes it. */
export type ModelEngine = EngineState & { readonly bundle: string };

export interface ConnectionOptions {
  readonly spawn: () => WorkerPair;
  readonly open: Omit<OpenMessage, "type">;
  readonly locks?: LockManager | undefined;
  readonly onloading?: ((message: LoadingMessage) => void) | undefined;
}

export class Connection {
  /** The manifest, once translations can start. */
  readonly ready: Promise<Manifest>;
  /** Resolves with the reason when the workers are gone. */
  readonly closed: Promise<DragomanError | DOMException>;
  readonly calls: CallTable;

  readonly #engines = new Map<string, EngineState>();
  readonly #workers: WorkerPair;
  readonly #options: ConnectionOptions;
  readonly #watching = new AbortController();
  readonly #ready = deferred<Manifest>();
  readonly #closed = deferred<DragomanError | DOMException>();
  /** Until it is ready or closed. */
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.ready = this.#ready.promise;
    this.closed = this.#closed.promise;
    this.ready.catch(() => undefined); // A connection may be closed before anyone has asked.
    this.#workers = options.spawn();
    const { language, engine, names } = this.#workers;
    this.calls = new CallTable((message) => {
      language.postMessage(message);
    });
    this.#listen(language, "language", (event: MessageEvent<LanguageToPage>) => {
      this.#receive(event.data);
    });
    this.#listen(engine, "engine", (event: MessageEvent<EngineToPage>) => {
      if (event.data.type === "started") this.#watch(names.engine, "engine");
      else this.#changeEngine(event.data);
    });
    const { port1, port2 } = new MessageChannel();
    const { base, urls } = options.open;
    engine.postMessage({ type: "connect", base, ...(urls && { urls }) }, [port1]);
    language.postMessage({ type: "open", ...options.open }, [port2]);
    this.#listenOn();
  }

  /** What computes each loaded model now. */
  get engines(): readonly ModelEngine[] {
    return [...this.#engines].map(([bundle, state]) => ({ bundle, ...state }));
  }

  /** End both workers; what is under way rejects with `reason`. */
  close(reason: DragomanError | DOMException): void {
    this.#stopListening();
    this.#watching.abort();
    this.calls.fail(reason);
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
        if (this.#silence !== undefined) this.#listenOn();
        this.#options.onloading?.(message);
        break;
      case "ready":
        this.#stopListening();
        this.#ready.resolve(message.bundle);
        break;
      case "failed":
        this.close(fromWire(message.error));
        break;
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
        this.calls.receive(message);
    }
  }

  #stopListening(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  #listenOn(): void {
    this.#stopListening();
    this.#silence = setTimeout(() => {
      const message = `loading has stood still for ${LONGEST_SILENCE} s`;
      this.close(new DragomanError("network", message, { silent: LONGEST_SILENCE }));
    }, LONGEST_SILENCE * 1000);
  }

  #watch(name: string, role: string): void {
    const { locks } = this.#options;
    if (!locks || this.#watching.signal.aborted) return;
    watchLifeline(locks, name, this.#watching.signal, () => {
      this.#gone(role, "the browser ended it");
    });
  }

  #gone(role: string, why: string): void {
    this.close(new DragomanError("worker-gone", `the ${role} worker has gone: ${why}`, { worker: role }));
  }
}
