/** A page's way to the models: what there is, what is being fetched. */

import type { Offer } from "../../../web/src/api/offers.ts";
import { deferred, type Deferred } from "../../../web/src/base/deferred.ts";
import { DragomanError, fromWire } from "../../../web/src/wire/errors.ts";
import { api } from "../api.ts";
import { MODELS_PORT, type FromModels, type Pair, type SaidState, type ToBackground, type ToModels } from "../messages.ts";

export interface ModelsListener {
  readonly ondownload: (pair: Pair, state: SaidState) => void;
  /** Models came or went. */
  readonly onchanged: () => void;
  readonly onfailed: (error: unknown) => void;
}

export class ModelsClient {
  readonly #listener: ModelsListener;
  #port: Promise<chrome.runtime.Port> | undefined;
  #asked: Deferred<readonly Offer[]>[] = [];

  constructor(listener: ModelsListener) {
    this.#listener = listener;
  }

  offers(): Promise<readonly Offer[]> {
    const answer = deferred<readonly Offer[]>();
    this.#asked.push(answer);
    this.post({ type: "list" });
    return answer.promise;
  }

  post(message: ToModels): void {
    this.#port ??= this.#open();
    this.#port.then((port) => { port.postMessage(message); }, (error: unknown) => {
      this.#port = undefined;
      this.#fail(error);
    });
  }

  async #open(): Promise<chrome.runtime.Port> {
    await api.runtime.sendMessage({ type: "wake" } satisfies ToBackground);
    const port = api.runtime.connect({ name: MODELS_PORT });
    port.onMessage.addListener((message: FromModels) => { this.#receive(message); });
    // The background page was put to sleep: the next message wakes it. What it was asked is not left waiting.
    port.onDisconnect.addListener(() => {
      this.#port = undefined;
      if (this.#asked.length > 0) this.#fail(new DragomanError("worker-gone", "the engine's page has gone"));
    });
    return port;
  }

  #receive(message: FromModels): void {
    switch (message.type) {
      case "offers":
        for (const answer of this.#asked.splice(0)) answer.resolve(message.offers);
        break;
      case "download":
        this.#listener.ondownload({ source: message.source, target: message.target }, message.state);
        break;
      case "changed":
        this.#listener.onchanged();
        break;
      case "failed":
        this.#fail(fromWire(message.error));
    }
  }

  #fail(error: unknown): void {
    for (const answer of this.#asked.splice(0)) answer.reject(error);
    this.#listener.onfailed(error);
  }
}
