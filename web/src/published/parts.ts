/**
 * What has come so far of a file, as its source has it, and from where; a closed tab leaves it.
 *
 *     partial/SHA256.json         address and validator, written first
 *     partial/SHA256.00000000     the bytes from there on, a few seconds' worth
 *     partial/SHA256.00400000     ...
 *
 * Parts count while each begins where the one before it ends. Without a validator nothing is kept: whether
 * the rest would belong to it could not be asked.
 */

import type { Shelf } from "./shelf.ts";

export interface Origin {
  readonly url: string;
  /** ETag or Last-Modified: the rest must have the same. */
  readonly validator: string;
}

const FOLDER = "partial";

export class Parts {
  readonly #shelf: Shelf;
  readonly #sha256: string;

  constructor(shelf: Shelf, sha256: string) {
    this.#shelf = shelf;
    this.#sha256 = sha256;
  }

  /** Where the parts are from; undefined: there are none that can be gone on with. */
  async origin(): Promise<Origin | undefined> {
    const kept = await this.#shelf.get(FOLDER, `${this.#sha256}.json`);
    if (!kept) return undefined;
    try {
      return JSON.parse(await kept.text()) as Origin;
    } catch {
      return undefined; // Damaged: begun anew.
    }
  }

  /** The bytes that have come, in one piece. */
  async content(): Promise<Blob> {
    const parts: Blob[] = [];
    let end = 0;
    for (;;) {
      const part = await this.#shelf.get(FOLDER, this.#name(end));
      if (!part) return new Blob(parts);
      parts.push(part);
      end += part.size;
    }
  }

  /** Begin anew. */
  async begin(origin: Origin): Promise<void> {
    await this.drop();
    await this.#shelf.put(FOLDER, `${this.#sha256}.json`, JSON.stringify(origin));
  }

  /** @param at where the bytes begin in the whole. */
  async add(at: number, content: Blob): Promise<void> {
    await this.#shelf.put(FOLDER, this.#name(at), content);
  }

  async drop(): Promise<void> {
    const names = (await this.#shelf.list(FOLDER)).filter((name) => name.startsWith(`${this.#sha256}.`));
    // The last first: what is left at any moment is a beginning.
    for (const name of names.reverse()) await this.#shelf.delete(FOLDER, name);
  }

  #name(at: number): string {
    return `${this.#sha256}.${String(at).padStart(10, "0")}`;
  }
}
