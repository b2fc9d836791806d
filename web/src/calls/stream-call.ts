/**
 * A stream between the page and the language worker.
 *
 *     feed(), finish() --> {feed}, {finish} --> worker --> {fed}     one at a time: there is room again
 *     next()           --> {pull}           --> worker --> {piece}   one at a time
 *                                                     `--> {ended}   instead, once
 *
 * After the end, whatever brought it, `feed` and `finish` give false, and `next` nothing more or the
 * reason.
 */

import { deferred, type Deferred } from "../base/deferred.ts";
import { fromWire } from "../wire/errors.ts";
import type { PageToLanguage, StreamPiece } from "../wire/protocol.ts";
import type { Answer, Call } from "./call.ts";

export class StreamCall implements Call {
  readonly #id: number;
  readonly #post: (message: PageToLanguage) => void;
  #fed: Deferred<boolean> | undefined;
  #pulled: Deferred<StreamPiece | undefined> | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(id: number, post: (message: PageToLanguage) => void) {
    this.#id = id;
    this.#post = post;
  }

  /** Take the next part of the text. Resolves when there is room for more, with whether it may come. */
  feed(text: string): Promise<boolean> {
    return this.#send({ type: "feed", id: this.#id, text });
  }

  /** What was fed is all of the text. */
  finish(): Promise<boolean> {
    return this.#send({ type: "finish", id: this.#id });
  }

  /** The next piece; undefined at the end. */
  async next(): Promise<StreamPiece | undefined> {
    if (this.#end) {
      if ("error" in this.#end) throw this.#end.error;
      return undefined;
    }
    this.#pulled = deferred();
    this.#post({ type: "pull", id: this.#id });
    return this.#pulled.promise;
  }

  receive(answer: Answer): boolean {
    switch (answer.type) {
      case "fed":
        this.#fed?.resolve(answer.open);
        return false;
      case "piece":
        this.#pulled?.resolve(answer.piece);
        return false;
      case "ended":
        if (answer.error) {
          this.reject(fromWire(answer.error));
        } else {
          this.#end = {};
          this.#pulled?.resolve(undefined);
          this.#fed?.resolve(false);
        }
        return true;
      case "progress":
      case "settled":
      case "output":
      case "outputs":
      case "beginning":
      case "document-settled":
      case "statistics":
      case "loaded":
      case "cleared":
        return false; // Not of a stream.
    }
  }

  reject(error: unknown): void {
    this.#end = { error };
    this.#pulled?.reject(error);
    this.#fed?.resolve(false);
  }

  #send(message: PageToLanguage): Promise<boolean> {
    if (this.#end) return Promise.resolve(false);
    this.#fed = deferred();
    this.#post(message);
    return this.#fed.promise;
  }
}
