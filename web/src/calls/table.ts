/**
 * The page's table of calls to the language worker: every promise settles.
 *
 *     translate() --> table[id] --> {translate, id} -----> language worker
 *     translateGraph()   |          {prioritize, id}, {cancel, id} ...
 *     translateDocument(), openStream() ...
 *                        |-- its last message          resolves or rejects
 *                        |-- its signal is aborted     rejects at once; {cancel, id} follows. `Ticket` says why
 *                        `-- fail(error)               rejects all: the worker failed, went away, or was
 *                                                      closed
 *
 * The tables of a worker's clients count their ids together. Whoever comes first removes the entry, so what comes later finds nothing and is ignored. The table
 * closes nothing: the worker belongs to `connection.ts`.
 */

import { fromWire, type DragomanError } from "../wire/errors.ts";
import type {
  DocumentFile,
  Graph,
  LoadMessage,
  PageToLanguage,
  StreamOptions,
  TranslatedDocument,
  TranslationRequest,
  TranslationResponse,
} from "../wire/protocol.ts";
import type { Answer, Call, StatisticsAnswer } from "./call.ts";
import { DocumentCall, type DocumentListener } from "./document-call.ts";
import type { GraphCall, GraphResult } from "./graph-call.ts";
import { Question } from "./question.ts";
import { RequestCall } from "./request-call.ts";
import { StreamCall } from "./stream-call.ts";
import { Ticket } from "./ticket.ts";

export class CallTable {
  readonly #post: (message: PageToLanguage) => void;
  readonly #nextId: () => number;
  readonly #calls = new Map<number, { readonly call: Call; readonly forget: () => void }>();
  #failure: DragomanError | DOMException | undefined;

  /** @param nextId counts for all tables of a worker. */
  constructor(post: (message: PageToLanguage) => void, nextId: () => number = counter()) {
    this.#post = post;
    this.#nextId = nextId;
  }

  /** Calls that have not ended. */
  get size(): number {
    return this.#calls.size;
  }

  translate(request: TranslationRequest, ticket: Ticket = new Ticket()): Promise<TranslationResponse> {
    const id = this.#nextId();
    const call = new RequestCall(ticket);
    const asked = { type: "translate", id, request: { ...request, ...ticket.fields } } as const;
    if (this.#enter(id, call, ticket.signal, ticket.wantsProgress ? { ...asked, progress: true } : asked)) {
      ticket.handOver((priority) => {
        if (this.#calls.has(id)) this.#post({ type: "prioritize", id, priority });
      });
    }
    return call.result;
  }

  /** @param call made before there was a worker: what was taken back of it until now is told. */
  translateGraph(graph: Graph, call: GraphCall, signal?: AbortSignal): Promise<GraphResult> {
    const id = this.#nextId();
    if (this.#enter(id, call, signal, { type: "graph", id, graph })) {
      call.handOver((output) => {
        if (this.#calls.has(id)) this.#post({ type: "cancel", id, output });
      });
    }
    return call.result;
  }

  translateDocument(
    content: Blob,
    file: DocumentFile,
    options: StreamOptions,
    listener: DocumentListener,
    signal?: AbortSignal,
  ): Promise<TranslatedDocument> {
    const id = this.#nextId();
    const call = new DocumentCall(listener);
    this.#enter(id, call, signal, { type: "document", id, content, file, options });
    return call.result;
  }

  openStream(options: StreamOptions, signal?: AbortSignal): StreamCall {
    const id = this.#nextId();
    const call = new StreamCall(id, this.#post);
    this.#enter(id, call, signal, { type: "stream", id, options });
    return call;
  }

  /**
   * Have the worker load another model.
   *
   * @throws DragomanError "bundle-...", "network", "engine".
   */
  async load(asked: Omit<LoadMessage, "type" | "id">): Promise<void> {
    const { outcome } = await this.#ask({ type: "load", ...asked }, "loaded");
    if (!outcome.ok) throw fromWire(outcome.error);
  }

  statistics(): Promise<StatisticsAnswer> {
    return this.#ask({ type: "statistics" }, "statistics");
  }

  /** Have all translated sentences forgotten. */
  async clearCache(): Promise<void> {
    await this.#ask({ type: "clear-cache" }, "cleared");
  }

  #ask<T extends "loaded" | "statistics" | "cleared">(
    asked: Omit<LoadMessage, "id"> | { readonly type: "statistics" | "clear-cache" },
    answer: T,
  ): Promise<Extract<Answer, { type: T }>> {
    const id = this.#nextId();
    const question = new Question(answer);
    this.#enter(id, question, undefined, { ...asked, id });
    return question.answer.promise;
  }

  /** Take what the worker says of a call; what is said of one that has ended is ignored. */
  receive(answer: Answer): void {
    if (this.#calls.get(answer.id)?.call.receive(answer)) this.#take(answer.id);
  }

  /** Take back all that is open, and refuse all that comes: the worker goes on, for others. */
  withdraw(reason: DragomanError | DOMException): void {
    this.#failure ??= reason;
    for (const id of [...this.#calls.keys()]) this.#withdraw(id, reason);
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
    try {
      this.#post(message);
    } catch (error) {
      this.#take(id)?.reject(error); // Something in it cannot be cloned, such as a proxy of Vue's.
      return false;
    }
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

/** 1, 2, 3 ... */
export function counter(): () => number {
  let last = 0;
  return () => ++last;
}
