/** A host of native messaging as the extension sees it: what it was told, and what it says. */

import type { FromNative, NativePort, ToNative } from "../../../../extension/src/native/messages.ts";
import type { TranslationRequest, TranslationResponse } from "../../../../web/src/wire/protocol.ts";

export class FakeNativeHost {
  readonly told: ToNative[] = [];
  isClosed = false;
  /** Whether it says that it is ready when it is greeted. */
  isSilent = false;
  readonly #listeners: ((message: FromNative) => void)[] = [];
  readonly #closing: (() => void)[] = [];
  readonly port: NativePort = {
    onMessage: { addListener: (listener) => this.#listeners.push(listener) },
    onDisconnect: { addListener: (listener) => this.#closing.push(listener) },
    postMessage: (message) => {
      if (this.isClosed) throw new Error("Attempting to use a disconnected port object");
      this.told.push(structuredClone(message));
      if (message.type === "hello" && !this.isSilent) queueMicrotask(() => { this.#greet(); });
    },
    disconnect: () => { this.isClosed = true; },
  };

  say(message: FromNative): void {
    for (const listener of this.#listeners) listener(message);
  }

  #greet(): void {
    this.say({ type: "ready", release: "1", directions: [{ source: "de", target: "en" }] });
  }

  /** Answer a request with its text in quotes. */
  settle(id: number): void {
    this.say({ type: "settled", id, outcome: { ok: true, response: quoted(this.requests.get(id)?.text ?? "") } });
  }

  /** The process has ended. */
  end(): void {
    this.isClosed = true;
    for (const listener of this.#closing) listener();
  }

  get requests(): ReadonlyMap<number, TranslationRequest> {
    return new Map(this.told.flatMap((message) => (message.type === "translate" ? [[message.id, message.request]] : [])));
  }
}

export function quoted(text: string): TranslationResponse {
  const timings = { queued: 0, tokenize: 0, engine: 0, assemble: 0, total: 0 };
  return {
    text: `“${text}”`, sentences: [], alignment: null, soft: null, content: null, terms: null, warnings: [], timings,
  };
}
