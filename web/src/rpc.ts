/**
 * The page's table of calls to the language worker: every promise settles.
 *
 *     translate() --> table[id] --> {translate, id} -----> language worker
 *                        |
 *                        |-- {settled, id, outcome}          resolves or rejects
 *                        |-- the caller's signal             rejects at once; {cancel, id} follows
 *                        `-- fail(error)                     rejects all: the worker failed, went
 *                                                            away, or was closed
 *
 * Whoever comes first removes the entry, so what comes later finds nothing and is ignored. The table
 * closes nothing: the worker belongs to `connection.ts`.
 */

import { fromWire, type DragomanError } from "./errors.ts";
import type {
  LanguageToPage,
  Outcome,
  PageToLanguage,
  ProgressState,
  TranslationRequest,
  TranslationResponse,
} from "./protocol.ts";

export interface TranslationProgress {
  readonly state: ProgressState;
  /** Sentences done of all. */
  readonly done: number;
  readonly total: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onprogress?: ((progress: TranslationProgress) => void) | undefined;
}

interface Call {
  settle(outcome: Outcome): void;
  reject(reason: unknown): void;
  readonly onprogress: CallOptions["onprogress"];
}

export class CallTable {
  readonly #post: (message: PageToLanguage) => void;
  readonly #calls = new Map<number, Call>();
  #lastId = 0;
  #failure: DragomanError | DOMException | undefined;

  constructor(post: (message: PageToLanguage) => void) {
    this.#post = post;
  }

  /** Calls that have not settled. */
  get size(): number {
    return this.#calls.size;
  }

  translate(request: TranslationRequest, options: CallOptions = {}): Promise<TranslationResponse> {
    const { signal, onprogress } = options;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#failure) {
        reject(this.#failure);
        return;
      }
      const id = ++this.#lastId;
      const onabort = (): void => {
        this.#take(id)?.reject(signal?.reason);
        this.#post({ type: "cancel", id });
      };
      const forget = (): void => signal?.removeEventListener("abort", onabort);
      this.#calls.set(id, {
        onprogress,
        settle(outcome) {
          forget();
          if (outcome.ok) resolve(outcome.response);
          else reject(fromWire(outcome.error));
        },
        reject(reason) {
          forget();
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason may be anything
          reject(reason);
        },
      });
      signal?.addEventListener("abort", onabort);
      this.#post({ type: "translate", id, request });
    });
  }

  /** Take what the worker says of a call; other messages are not for this table. */
  receive(message: LanguageToPage): void {
    if (message.type === "progress") {
      const { state, done, total } = message;
      this.#calls.get(message.id)?.onprogress?.({ state, done, total });
    } else if (message.type === "settled") {
      this.#take(message.id)?.settle(message.outcome);
    }
  }

  /** Reject all that is open and all that comes. The first reason stands. */
  fail(reason: DragomanError | DOMException): void {
    this.#failure ??= reason;
    for (const id of [...this.#calls.keys()]) this.#take(id)?.reject(reason);
  }

  #take(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }
}
