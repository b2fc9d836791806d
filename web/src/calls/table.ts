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

import type { DragomanError } from "../wire/errors.ts";
import type {
  Graph,
  PageToLanguage,
  StreamOptions,
  TranslationRequest,
  TranslationResponse,
} from "../wire/protocol.ts";
import type { Answer, Call, StatisticsAnswer } from "./call.ts";
import { GraphCall, type OnOutput } from "./graph-call.ts";
import { checkPriority } from "./priority.ts";
import { Question } from "./question.ts";
import { RequestCall, type CallOptions, type Submission } from "./request-call.ts";
import { StreamCall } from "./stream-call.ts";

export interface GraphCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onoutput?: OnOutput | undefined;
}

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
