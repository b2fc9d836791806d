/**
 * The page's table of calls to the language worker: every promise settles.
 *
 *     submit() --> table[id] --> {translate, id} --------> language worker
 *                     |          {prioritize, id}, {cancel, id}
 *                     |
 *                     |-- {settled, id, outcome}          resolves or rejects
 *                     |-- cancel(), the caller's signal   rejects at once; {cancel, id} follows
 *                     |-- the deadline                    the same, as "deadline": should the worker
 *                     |                                   have more to do than to say so
 *                     `-- fail(error)                     rejects all: the worker failed, went
 *                                                         away, or was closed
 *
 * Whoever comes first removes the entry, so what comes later finds nothing and is ignored. The table
 * closes nothing: the worker belongs to `connection.ts`.
 */

import { deferred } from "./deferred.ts";
import { DragomanError, fromWire } from "./errors.ts";
import type {
  LanguageToPage,
  Outcome,
  PageToLanguage,
  Priority,
  ProgressState,
  Statistics,
  TranslationRequest,
  TranslationResponse,
} from "./protocol.ts";

export const PRIORITIES: readonly Priority[] = ["interactive", "visible", "near", "background"];

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

/** A request under way. */
export interface Submission {
  readonly result: Promise<TranslationResponse>;
  /** Give what still waits another priority. */
  readonly prioritize: (priority: Priority) => void;
  /** Take the request back: `result` rejects with `reason`, if it has not settled. */
  readonly cancel: (reason?: unknown) => void;
}

interface Call {
  settle(outcome: Outcome): void;
  reject(reason: unknown): void;
  readonly onprogress: CallOptions["onprogress"];
  progress?: TranslationProgress;
}

/** Seconds that the worker has to say itself that a deadline is over. */
const GRACE = 1;

/** Milliseconds; a longer timer would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

export class CallTable {
  readonly #post: (message: PageToLanguage) => void;
  readonly #calls = new Map<number, Call>();
  readonly #questions = new Map<number, (answer: Statistics | DragomanError | DOMException) => void>();
  #lastId = 0;
  #failure: DragomanError | DOMException | undefined;

  constructor(post: (message: PageToLanguage) => void) {
    this.#post = post;
  }

  /** Promises that have not settled. */
  get size(): number {
    return this.#calls.size + this.#questions.size;
  }

  translate(request: TranslationRequest, options: CallOptions = {}): Promise<TranslationResponse> {
    return this.submit(request, options).result;
  }

  submit(request: TranslationRequest, options: CallOptions = {}): Submission {
    const { signal, onprogress } = options;
    const answer = deferred<TranslationResponse>();
    const id = ++this.#lastId;
    const submission: Submission = {
      result: answer.promise,
      prioritize: (priority) => {
        checkPriority(priority);
        if (this.#calls.has(id)) this.#post({ type: "prioritize", id, priority });
      },
      cancel: (reason = new DOMException("the request was cancelled", "AbortError")) => {
        this.#withdraw(id, reason);
      },
    };
    const refusal: unknown = signal?.aborted ? signal.reason : this.#failure;
    if (refusal !== undefined) {
      answer.reject(refusal);
      return submission;
    }
    const onabort = (): void => {
      this.#withdraw(id, signal?.reason);
    };
    const timer = this.#watchDeadline(id, request);
    const forget = (): void => {
      signal?.removeEventListener("abort", onabort);
      clearTimeout(timer);
    };
    this.#calls.set(id, {
      onprogress,
      settle(outcome) {
        forget();
        if (outcome.ok) answer.resolve(outcome.response);
        else answer.reject(fromWire(outcome.error));
      },
      reject(reason) {
        forget();
        answer.reject(reason);
      },
    });
    signal?.addEventListener("abort", onabort);
    this.#post({ type: "translate", id, request });
    return submission;
  }

  statistics(): Promise<Statistics> {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#questions.set(id, (answer) => {
        this.#questions.delete(id);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      });
      this.#post({ type: "statistics", id });
    });
  }

  /** Take what the worker says of a call; other messages are not for this table. */
  receive(message: LanguageToPage): void {
    if (message.type === "progress") {
      const { state, done, total } = message;
      const call = this.#calls.get(message.id);
      if (!call) return;
      call.progress = { state, done, total };
      call.onprogress?.(call.progress);
    } else if (message.type === "settled") {
      this.#take(message.id)?.settle(message.outcome);
    } else if (message.type === "statistics") {
      this.#questions.get(message.id)?.(message.statistics);
    }
  }

  /** Reject all that is open and all that comes. The first reason stands. */
  fail(reason: DragomanError | DOMException): void {
    this.#failure ??= reason;
    for (const id of [...this.#calls.keys()]) this.#take(id)?.reject(reason);
    for (const answer of [...this.#questions.values()]) answer(reason);
  }

  #withdraw(id: number, reason: unknown): void {
    const call = this.#take(id);
    if (!call) return;
    call.reject(reason);
    this.#post({ type: "cancel", id });
  }

  #watchDeadline(id: number, { deadline }: TranslationRequest): ReturnType<typeof setTimeout> | undefined {
    if (deadline === undefined) return undefined;
    return setTimeout(
      () => {
        const { done = 0, total = 0 } = this.#calls.get(id)?.progress ?? {};
        this.#withdraw(id, deadlineError(deadline, done, total));
      },
      Math.min((deadline + GRACE) * 1000, LONGEST_TIMER),
    );
  }

  #take(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }
}

/** As the core words it. */
export function deadlineError(deadline: number, done = 0, total = 0): DragomanError {
  return new DragomanError(
    "deadline",
    `not ready within ${deadline} s: ${done} of ${total} sentences were done`,
    { deadline, done, total },
  );
}

/** @throws TypeError there is no such priority. */
export function checkPriority(priority: Priority): void {
  if (!PRIORITIES.includes(priority)) throw new TypeError(`there is no priority "${priority}"`);
}
