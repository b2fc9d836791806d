/**
 * Documents in the language worker.
 *
 *     translate, id --> read the file, and fetch what reads documents, once --> session.document --> outcome
 *     cancel, id    --> before that: forgotten; after that the session's
 */

import { DragomanError, toWire } from "../../wire/errors.ts";
import type { DocumentOutcome, LanguageToPage, PageToLanguage } from "../../wire/protocol.ts";
import type { CoreSession } from "./python.ts";

type DocumentMessage = Extract<PageToLanguage, { readonly type: "document" }>;

export interface DocumentsHost {
  readonly post: (message: LanguageToPage) => void;
  /** Fetch and import what reads documents, if it is not there yet. */
  readonly load: () => Promise<void>;
  readonly session: Pick<CoreSession, "document">;
}

export class Documents {
  readonly #host: DocumentsHost;
  /** Ids of those that the session does not have yet. */
  readonly #unread = new Set<number>();

  constructor(host: DocumentsHost) {
    this.#host = host;
  }

  /** It is not wanted any more; what the session has of it is the session's. */
  cancel(id: number): void {
    this.#unread.delete(id);
  }

  /** Undefined if it was taken back before it was read. */
  async translate({ id, content, file, options }: DocumentMessage): Promise<DocumentOutcome | undefined> {
    const { post, load, session } = this.#host;
    this.#unread.add(id);
    let bytes: Uint8Array;
    try {
      [bytes] = await Promise.all([readBlob(content), load()]);
    } catch (error) {
      this.#unread.delete(id);
      return { ok: false, error: toWire(error, "network") };
    }
    if (!this.#unread.delete(id)) return undefined;
    return session.document(id, bytes, { file, options }, {
      onprogress: (state, done, total) => {
        post({ type: "progress", id, state, done, total });
      },
      onbeginning: (text) => {
        post({ type: "beginning", id, text });
      },
    });
  }
}

/** @throws DragomanError "invalid-request": it was deleted or changed meanwhile, or may not be read. */
async function readBlob(content: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await content.arrayBuffer());
  } catch (error) {
    throw new DragomanError("invalid-request", `the file cannot be read: ${String(error)}`);
  }
}
