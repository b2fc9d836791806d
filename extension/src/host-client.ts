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

  close(): void {
    void this.#port?.then((port) => { port.disconnect(); });
    this.#onGone();
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
  #say(message: ToEngine, id: number): void {
    if (!this.#calls.has(id)) return;
    this.#port ??= this.#openPort();
    const opened = this.#port;
    opened.then(
      (port) => { port.postMessage(message); },
      (error: unknown) => {
        if (this.#port === opened) this.#port = undefined;
        this.#reject(id, error);
      },
    );
  }

  async #openPort(): Promise<HostPort> {
    const port = await this.#connect();
    port.onMessage.addListener((message) => { this.#receive(message); });
    port.onDisconnect.addListener(() => { this.#onGone(); });
    this.#heartbeat = setInterval(() => {
      port.postMessage({ type: "ping" });
    }, HEARTBEAT);
    return port;
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

  #onGone(): void {
    clearInterval(this.#heartbeat);
    this.#port = undefined;
    const error = new DragomanError("worker-gone", "the engine's page has gone");
    for (const id of [...this.#calls.keys()]) this.#reject(id, error);
  }
}
