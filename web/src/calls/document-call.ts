/** A document between the page and the language worker. */

import { deferred } from "../base/deferred.ts";
import { fromWire } from "../wire/errors.ts";
import type { TranslatedDocument } from "../wire/protocol.ts";
import type { Answer, Call } from "./call.ts";

/** Characters of a document. */
export interface DocumentProgress {
  readonly done: number;
  readonly total: number;
}

export interface DocumentListener {
  readonly onprogress?: ((progress: DocumentProgress) => void) | undefined;
  /** Hears the beginning of the text once the document is read: enough to tell its language. */
  readonly onbeginning?: ((text: string) => void) | undefined;
}

export class DocumentCall implements Call {
  readonly #answer = deferred<TranslatedDocument>();
  readonly #listener: DocumentListener;

  constructor(listener: DocumentListener) {
    this.#listener = listener;
  }

  get result(): Promise<TranslatedDocument> {
    return this.#answer.promise;
  }

  receive(answer: Answer): boolean {
    if (answer.type === "progress") this.#listener.onprogress?.({ done: answer.done, total: answer.total });
    if (answer.type === "beginning") this.#listener.onbeginning?.(answer.text);
    if (answer.type !== "document-settled") return false;
    if (answer.outcome.ok) this.#answer.resolve(answer.outcome.document);
    else this.#answer.reject(fromWire(answer.outcome.error));
    return true;
  }

  reject(reason: unknown): void {
    this.#answer.reject(reason);
  }
}
