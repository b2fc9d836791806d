/**
 * A frame's way to the engine host: a translator as the page library wants it.
 *
 *     closed --(first request)--> waking --> open --(port closed)--> closed
 *                                              calls under way reject with "worker-gone"
 *
 * Every promise settles: with the answer, with "worker-gone" when the host has gone, or with an
 * AbortError when it was cancelled.
 */

import type { Block, BlockHandle, BlockTranslator, Priority, TranslatedBlock } from "../../web/src/dom/units/blocks.ts";
import { deferred, type Deferred } from "../../web/src/base/deferred.ts";
import { DragomanError, fromWire } from "../../web/src/wire/errors.ts";
import type { TranslationResponse } from "../../web/src/wire/protocol.ts";
import type { EngineName, FromEngine, Pair, TextOptions, ToEngine } from "./messages.ts";

/** The part of `runtime.Port` that is used. */
export interface HostPort {
  readonly onMessage: { addListener(listener: (message: FromEngine) => void): void };
  readonly onDisconnect: { addListener(listener: () => void): void };
  postMessage(message: ToEngine): void;
  disconnect(): void;
}

type Answer = Exclude<FromEngine, { type: "failed" }>;

/** Milliseconds; browsers put an idle background page to sleep after 30 seconds. */
const HEARTBEAT = 20_000;

export class HostClient {
  readonly #connect: () => Promise<HostPort>;
  readonly #calls = new Map<number, Deferred<Answer>>();
  #port: Promise<HostPort> | undefined;
  #lastId = 0;
  #engine: EngineName | null = null;
  #heartbeat: ReturnType<typeof setInterval> | undefined;

  /** `connect` wakes the host and opens a port to it. */
  constructor(connect: () => Promise<HostPort>) {
    this.#connect = connect;
  }

  /** What gave the latest answer; null: nothing yet. */
  get engine(): EngineName | null {
    return this.#engine;
  }

  /** A translator of blocks for a pair of languages. */
  forPair(pair: Pair): BlockTranslator {
    return {
      submit: (block: Block, priority: Priority): BlockHandle => {
        const { id, answer } = this.#call((call) => ({ type: "block", id: call, pair, block, priority }));
        return {
          result: answer.then((answered): TranslatedBlock => {
            if (answered.type !== "block") throw new DragomanError("error", "the engine answered another question");
            return answered.translated;
          }),
          prioritize: (next) => { this.#say({ type: "prioritize", id, priority: next }, id); },
          cancel: () => { this.#cancel(id); },
        };
      },
    };
  }

  /** A text with its words and their alignment. */
  async translate(pair: Pair, text: string, signal?: AbortSignal, options?: TextOptions): Promise<TranslationResponse> {
    signal?.throwIfAborted();
    const { id, answer } = this.#call((call) => ({ type: "text", id: call, pair, text, ...(options && { options }) }));
    const onabort = (): void => { this.#cancel(id); };
    signal?.addEventListener("abort", onabort, { once: true });
    try {
      const answered = await answer;
      if (answered.type !== "text") throw new DragomanError("error", "the engine answered another question");
      return answered.response;
    } finally {
      signal?.removeEventListener("abort", onabort);
    }
  }

  /** Give the port back, unless something is asked over it: a box may be open over a page that is restored. */
  release(): void {
    if (this.#calls.size === 0) this.close();
  }

  /** What is under way rejects with "worker-gone"; the next request opens another port. */
  close(): void {
    const closed = this.#port;
    if (!closed) return;
    this.#onGone(closed);
    closed.then((port) => { port.disconnect(); }, () => undefined);
  }

  #call(make: (id: number) => ToEngine): { id: number; answer: Promise<Answer> } {
    const id = ++this.#lastId;
    const call = deferred<Answer>();
    this.#calls.set(id, call);
    this.#say(make(id), id);
    return { id, answer: call.promise };
  }

  #cancel(id: number): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#say({ type: "cancel", id }, id);
    this.#calls.delete(id);
    call.reject(new DOMException("cancelled", "AbortError"));
  }

  /** Messages of one call arrive in order: they all wait for the same promise. */
  #say(message: ToEngine, id: number, isAgain = false): void {
    if (!this.#calls.has(id)) return;
    this.#port ??= this.#openPort();
    const opened = this.#port;
    opened.then(
      (port) => {
        if (this.#post(opened, port, message)) return;
        // A question that was never put did not fail: it goes over another port, once.
        const isNew = !isAgain && (message.type === "block" || message.type === "text");
        this.#onGone(opened, isNew ? id : undefined);
        if (isNew) this.#say(message, id, true);
      },
      (error: unknown) => {
        if (this.#port === opened) this.#port = undefined;
        this.#reject(id, error);
      },
    );
  }

  /** @returns false: the browser has closed the port without a word, as it does where a page is put aside and comes back. */
  #post(opened: Promise<HostPort>, port: HostPort, message: ToEngine): boolean {
    if (this.#port !== opened) return true; // It was closed meanwhile, and what was asked over it is settled.
    try {
      port.postMessage(message);
      return true;
    } catch {
      return false;
    }
  }

  #openPort(): Promise<HostPort> {
    const opening = this.#connect().then((port) => {
      if (this.#port !== opening) return port; // Closed before it was open: who did it ends it, and nothing beats.
      port.onMessage.addListener((message) => { this.#receive(message); });
      port.onDisconnect.addListener(() => { this.#onGone(opening); });
      this.#heartbeat = setInterval(() => {
        if (!this.#post(opening, port, { type: "ping" })) this.#onGone(opening);
      }, HEARTBEAT);
      return port;
    });
    return opening;
  }

  #receive(message: FromEngine): void {
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (message.type === "failed") {
      call?.reject(fromWire(message.error));
      return;
    }
    this.#engine = message.engine;
    call?.resolve(message);
  }

  #reject(id: number, error: unknown): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.reject(error);
  }

  #onGone(gone: Promise<HostPort>, spared?: number): void {
    if (this.#port !== gone) return; // An older one: what is under way is not over it.
    clearInterval(this.#heartbeat);
    this.#port = undefined;
    const error = new DragomanError("worker-gone", "the engine's page has gone");
    for (const id of [...this.#calls.keys()]) if (id !== spared) this.#reject(id, error);
  }
}
