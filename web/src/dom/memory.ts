/** Translations that are remembered, for content that comes again; the oldest goes first. */

import type { TranslatedBlock } from "./units/blocks.ts";

const ROOM = 4_000;

export class Memory {
  readonly #translations = new Map<string, TranslatedBlock>();
  readonly #outputs = new Set<string>();

  /** `source` is what was sent; `key` says it with its elements. */
  add(key: string, source: string, translated: TranslatedBlock): void {
    makeRoom(this.#translations);
    this.#translations.set(key, translated);
    if (translated.text === source) return;
    makeRoom(this.#outputs);
    this.#outputs.add(translated.text);
  }

  get(key: string): TranslatedBlock | undefined {
    return this.#translations.get(key);
  }

  /** Whether a text of the page is a translation of ours, which the page has copied. */
  isOutput(text: string): boolean {
    return this.#outputs.has(text);
  }
}

function makeRoom(kept: { readonly size: number; keys(): Iterator<string>; delete(key: string): boolean }): void {
  const oldest = kept.keys().next();
  if (kept.size >= ROOM && !oldest.done) kept.delete(oldest.value);
}
