/**
 * What the page side needs of a translator: a block in, a block out, each through a handle.
 *
 * The types of the wire are those of `docs/protocol.md`, section "Markup".
 */

import type { Content, MarkupElement, Priority, Range } from "../../wire/protocol.ts";

export type { Priority };

/** What is sent: a page's elements are never "style", for a copy would have no listeners (ADR 11). */
export type MarkedElement = MarkupElement & { readonly kind: "inline" | "opaque" | "void" };

/** An item of a response's `content`. */
export type ContentItem = Content[number];

/** Text with its elements in document order, properly nested. */
export interface Block {
  readonly text: string;
  readonly elements: readonly MarkedElement[];
}

export interface TranslatedBlock {
  readonly text: string;
  readonly content: Content;
  /** The least score of its doubtful sentences, 0 to 1; absent: none is doubtful. */
  readonly doubt?: number;
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
