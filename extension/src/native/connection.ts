/**
 * An open port to the engine of this computer: requests go out, each is settled once.
 *
 *     opening --"ready"--> open --(port closed, message that is none)--> closed
 *        `--(port closed, "failed", silence)--> rejected
 *
 * When it closes, what is under way rejects with "worker-gone", whoever closed it.
 */

import type { Submission } from "../../../web/src/api/options.ts";
import type { TextEngine } from "../../../web/src/ui/block-translator.ts";
import { deferred, type Deferred } from "../../../web/src/base/deferred.ts";
import { DragomanError, fromWire } from "../../../web/src/wire/errors.ts";
import type { TranslationRequest, TranslationResponse } from "../../../web/src/wire/protocol.ts";
import type { Pair } from "../messages.ts";
import type { FromNative, NativePort } from "./messages.ts";

/** Milliseconds in which a host says that it is ready: it is a process that starts. */
const PATIENCE = 20_000;
/** UTF-16 code units that the parts of one message may have together. */
const LONGEST = 64_000_000;

export class NativeConnection {
  readonly #port: NativePort;
  readonly #ready = deferred<this>();
  readonly #calls = new Map<number, Deferred<TranslationResponse>>();
  #directions: readonly Pair[] = [];
  #parts: string[] = [];
  #lastId = 0;
  #isClosed = false;

  private constructor(port: NativePort) {
    this.#port = port;
    port.onMessage.addListener((message) => { this.#receive(message); });
    port.onDisconnect.addListener(() => { this.#onClosed(); });
    port.postMessage({ type: "hello" });
  }

  /** @throws DragomanError "worker-gone": there is no host, or it says nothing. */
  static async open(port: NativePort, patience = PATIENCE): Promise<NativeConnection> {
    const connection = new NativeConnection(port);
    const timer = setTimeout(() => { connection.close(); }, patience);
    try {
      return await connection.#ready.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether it has models for a direction. */
  serves({ source, target }: Pair): boolean {
    return this.#directions.some((one) => one.source === source && one.target === target);
  }

  submit(pair: Pair, text: string, options: Parameters<TextEngine["submit"]>[1]): Submission {
    const { alignment = "hard", priority = "interactive", elements = [], ...choices } = options;
    const request: TranslationRequest = { text, ...pair, alignment, overlong: "wrap", priority, elements, ...choices };
    const id = ++this.#lastId;
    const call = deferred<TranslationResponse>();
    this.#calls.set(id, call);
    if (this.#isClosed) this.#onClosed();
    else this.#port.postMessage({ type: "translate", id, request });
    return {
      result: call.promise,
      prioritize: (next) => {
        if (this.#calls.has(id)) this.#port.postMessage({ type: "prioritize", id, priority: next });
      },
      cancel: (reason = new DOMException("cancelled", "AbortError")) => {
        if (!this.#calls.delete(id)) return;
        this.#port.postMessage({ type: "cancel", id });
        call.reject(reason);
      },
    };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#port.disconnect(); // Who closes a port does not hear of it.
    this.#onClosed();
  }

  #receive(message: FromNative): void {
    switch (message.type) {
      case "ready":
        this.#directions = message.directions;
        this.#ready.resolve(this);
        break;
      case "settled": {
        const call = this.#calls.get(message.id);
        this.#calls.delete(message.id);
        if (message.outcome.ok) call?.resolve(message.outcome.response);
        else call?.reject(fromWire(message.outcome.error));
        break;
      }
      case "part":
        this.#receivePart(message.text, message.last);
        break;
      case "failed": // A mistake of ours, or an older host: what it does not understand is not left waiting.
        this.close();
    }
  }

  #receivePart(text: string, isLast: boolean): void {
    this.#parts.push(text);
    if (this.#parts.reduce((sum, { length }) => sum + length, 0) > LONGEST) this.close();
    if (!isLast) return;
    const whole = this.#parts.join("");
    this.#parts = [];
    try {
      this.#receive(JSON.parse(whole) as FromNative);
    } catch {
      this.close();
    }
  }

  #onClosed(): void {
    this.#isClosed = true;
    const error = new DragomanError("worker-gone", "the engine of this computer has gone");
    this.#ready.reject(error);
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}
