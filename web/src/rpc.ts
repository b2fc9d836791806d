/**
 * The page's table of calls to the language worker: every promise settles.
 *
 *     submit() --> table[id] --> {translate, id} --------> language worker
 *     submitGraph()   |          {prioritize, id}, {cancel, id} ...
 *     openStream()    |
 *                     |-- its last message              resolves or rejects
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
import { GraphCall, type OnOutput } from "./graph-call.ts";
import type {
  Graph,
  LanguageToPage,
  PageToLanguage,
  Priority,
  ProgressState,
  StreamOptions,
  TranslationRequest,
  TranslationResponse,
} from "./protocol.ts";
import { StreamCall } from "./stream-call.ts";

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

export interface GraphCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onoutput?: OnOutput | undefined;
}

/** A request under way. */
export interface Submission {
  readonly result: Promise<TranslationResponse>;
  /** Give what still waits another priority. */
  readonly prioritize: (priority: Priority) => void;
  /** Take the request back: `result` rejects with `reason`, if it has not settled. */
  readonly cancel: (reason?: unknown) => void;
}

/** What the worker says of a call. */
export type Answer = Extract<LanguageToPage, { readonly id: number }>;

export type StatisticsAnswer = Extract<Answer, { readonly type: "statistics" }>;

/** A call in the table. It ends by its last message or by `reject`, never by both. */
export interface Call {
  /** Take a message; returns whether it was the last. */
  receive(answer: Answer): boolean;
  reject(reason: unknown): void;
}

/** Seconds that the worker has to say itself that a deadline is over. */
const GRACE = 1;

/** Milliseconds; a longer timer would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

export class CallTable {
  readonly #post: (message: PageToLanguage) => void;
  readonly #calls = new Map<number, { readonly call: Call; readonly forget: () => void }>();
  #lastId = 0;
  #failure: DragomanError | DOMException | undefined;

  constructor(post: (message: PageToLanguage) => void) {
    this.#post = post;
  }

  /** Calls that have not ended. */
  get size(): number {
    return this.#calls.size;
  }

  translate(request: TranslationRequest, options: CallOptions = {}): Promise<TranslationResponse> {
    return this.submit(request, options).result;
  }

  submit(request: TranslationRequest, options: CallOptions = {}): Submission {
    const id = ++this.#lastId;
    const call = new RequestCall(options.onprogress);
    if (this.#enter(id, call, options.signal, { type: "translate", id, request })) {
      call.watchDeadline(request.deadline, (reason) => { this.#withdraw(id, reason); });
    }
    return {
      result: call.result,
      prioritize: (priority) => {
        checkPriority(priority);
        if (this.#calls.has(id)) this.#post({ type: "prioritize", id, priority });
      },
      cancel: (reason = new DOMException("the request was cancelled", "AbortError")) => {
        this.#withdraw(id, reason);
      },
    };
  }

  submitGraph(graph: Graph, options: GraphCallOptions = {}): GraphCall {
    const id = ++this.#lastId;
    const call = new GraphCall(id, this.#post, options.onoutput);
    this.#enter(id, call, options.signal, { type: "graph", id, graph });
    return call;
  }

  openStream(options: StreamOptions, signal?: AbortSignal): StreamCall {
    const id = ++this.#lastId;
    const call = new StreamCall(id, this.#post);
    this.#enter(id, call, signal, { type: "stream", id, options });
    return call;
  }

  statistics(): Promise<StatisticsAnswer> {
    return this.#ask("statistics", "statistics");
  }

  /** Have all translated sentences forgotten. */
  async clearCache(): Promise<void> {
    await this.#ask("clear-cache", "cleared");
  }

  #ask<T extends "statistics" | "cleared">(
    type: "statistics" | "clear-cache",
    answer: T,
  ): Promise<Extract<Answer, { type: T }>> {
    const id = ++this.#lastId;
    const question = new Question(answer);
    this.#enter(id, question, undefined, { type, id });
    return question.answer.promise;
  }

  /** Take what the worker says of a call; what is said of one that has ended is ignored. */
  receive(answer: Answer): void {
    if (this.#calls.get(answer.id)?.call.receive(answer)) this.#take(answer.id);
  }

  /** Reject all that is open and all that comes. The first reason stands. */
  fail(reason: DragomanError | DOMException): void {
    this.#failure ??= reason;
    for (const id of [...this.#calls.keys()]) this.#take(id)?.reject(reason);
  }

  /** Enter a call and post its first message; false if it was rejected instead. */
  #enter(id: number, call: Call, signal: AbortSignal | undefined, message: PageToLanguage): boolean {
    const refusal: unknown = signal?.aborted ? signal.reason : this.#failure;
    if (refusal !== undefined) {
      call.reject(refusal);
      return false;
    }
    const onabort = (): void => {
      this.#withdraw(id, signal?.reason);
    };
    signal?.addEventListener("abort", onabort);
    this.#calls.set(id, { call, forget: () => signal?.removeEventListener("abort", onabort) });
    this.#post(message);
    return true;
  }

  #withdraw(id: number, reason: unknown): void {
    const call = this.#take(id);
    if (!call) return;
    call.reject(reason);
    this.#post({ type: "cancel", id });
  }

  #take(id: number): Call | undefined {
    const entry = this.#calls.get(id);
    this.#calls.delete(id);
    entry?.forget();
    return entry?.call;
  }
}

class RequestCall implements Call {
  readonly #answer = deferred<TranslationResponse>();
  readonly #onprogress: CallOptions["onprogress"];
  #progress: TranslationProgress | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onprogress: CallOptions["onprogress"]) {
    this.#onprogress = onprogress;
  }

  get result(): Promise<TranslationResponse> {
    return this.#answer.promise;
  }

  watchDeadline(deadline: number | undefined, withdraw: (reason: DragomanError) => void): void {
    if (deadline === undefined) return;
    this.#timer = setTimeout(
      () => {
        const { done = 0, total = 0 } = this.#progress ?? {};
        withdraw(deadlineError(deadline, done, total));
      },
      Math.min((deadline + GRACE) * 1000, LONGEST_TIMER),
    );
  }

  receive(answer: Answer): boolean {
    if (answer.type === "progress") {
      const { state, done, total } = answer;
      this.#progress = { state, done, total };
      this.#onprogress?.(this.#progress);
    }
    if (answer.type !== "settled") return false;
    clearTimeout(this.#timer);
    if (answer.outcome.ok) this.#answer.resolve(answer.outcome.response);
    else this.#answer.reject(fromWire(answer.outcome.error));
    return true;
  }

  reject(reason: unknown): void {
    clearTimeout(this.#timer);
    this.#answer.reject(reason);
  }
}

/** A message that has one answer, of the type `T`. */
class Question<T extends Answer["type"]> implements Call {
  readonly answer = deferred<Extract<Answer, { type: T }>>();
  readonly #type: T;

  constructor(type: T) {
    this.#type = type;
  }

  receive(answer: Answer): boolean {
    if (!isOf(answer, this.#type)) return false;
    this.answer.resolve(answer);
    return true;
  }

  reject(reason: unknown): void {
    this.answer.reject(reason);
  }
}

function isOf<T extends Answer["type"]>(answer: Answer, type: T): answer is Extract<Answer, { type: T }> {
  return answer.type === type;
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
