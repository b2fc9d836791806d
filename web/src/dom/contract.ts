/**
 * What the page side needs of a translator: a block in, a block out, each through a handle.
 *
 * The types of the wire are those of `docs/protocol.md`, section "Markup".
 */

import type { Priority, Range } from "../protocol.ts";

export type { Priority };

/**
 * inline: exactly once in the translation, never split. opaque: its text is not translated and acts
 * as one word. void: an empty range, such as an image.
 */
export type ElementKind = "inline" | "opaque" | "void";

export interface MarkedElement {
  /** In the block's text. */
  readonly range: Range;
  readonly kind: ElementKind;
  /** Index of the element around it, if there is one. */
  readonly parent?: number;
}

/** Text with its elements in document order, properly nested. */
export interface Block {
  readonly text: string;
  readonly elements: readonly MarkedElement[];
}

/** A range of the translated text, or an element; opaque and void elements have no content. */
export type ContentItem =
  | Range
  | { readonly element: number; readonly content?: readonly ContentItem[] | undefined };

export interface TranslatedBlock {
  readonly text: string;
  readonly content: readonly ContentItem[];
}

export interface BlockHandle {
  /** Rejects with an AbortError after `cancel`. */
  readonly result: Promise<TranslatedBlock>;
  prioritize(priority: Priority): void;
  cancel(): void;
}

export interface BlockTranslator {
  submit(block: Block, priority: Priority): BlockHandle;
}

export function isRange(item: ContentItem): item is Range {
  return Array.isArray(item);
}
