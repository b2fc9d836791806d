/**
 * A translator for tests that obeys the contract and makes its work visible: words in upper case, and,
 * where asked for, elements of each parent in reverse order.
 *
 *     hold = true      answers wait for `release()`
 *     submitted        every block with its priorities, newest last
 */

import type { Block, BlockHandle, BlockTranslator, ContentItem, Priority, TranslatedBlock } from "../dom/units/blocks.ts";
import type { MarkupElement } from "../wire/protocol.ts";
import { deferred, type Deferred } from "../base/deferred.ts";

export interface Submitted {
  readonly block: Block;
  readonly priorities: Priority[];
  readonly answer: Deferred<TranslatedBlock>;
  cancelled: boolean;
}

interface Marked {
  readonly text: string;
  readonly elements: readonly MarkupElement[];
}

type Item = string | { readonly element: number; readonly items: readonly Item[]; readonly opaque: string | null };

export class FakeBlockTranslator implements BlockTranslator {
  readonly submitted: Submitted[] = [];
  hold = false;
  reverse: boolean;

  constructor({ reverse = false } = {}) {
    this.reverse = reverse;
  }

  submit(block: Block, priority: Priority): BlockHandle {
    const answer = deferred<TranslatedBlock>();
    const submitted: Submitted = { block, priorities: [priority], answer, cancelled: false };
    this.submitted.push(submitted);
    if (!this.hold) queueMicrotask(() => { this.answer(submitted); });
    return {
      result: answer.promise,
      prioritize: (next) => submitted.priorities.push(next),
      cancel() {
        submitted.cancelled = true;
        answer.reject(new DOMException("cancelled", "AbortError"));
      },
    };
  }

  answer({ block, answer }: Submitted): void {
    answer.resolve(upperCased(block, this.reverse));
  }

  release(): void {
    this.hold = false;
    for (const submitted of this.submitted) this.answer(submitted);
  }
}

/** Upper case; `reverse`: the items of each parent in reverse order. */
export function upperCased(block: Marked, reverse: boolean): TranslatedBlock {
  let text = "";
  const render = (items: readonly Item[]): ContentItem[] =>
    (reverse ? [...items].reverse() : items).map((item): ContentItem => {
      if (typeof item === "string") {
        const start = text.length;
        text += item.toUpperCase();
        return [start, text.length];
      }
      if (item.opaque === null) return { element: item.element, content: render(item.items) };
      text += item.opaque;
      return { element: item.element };
    });
  const content = render(parse(block));
  return { text, content };
}

function parse({ text, elements }: Marked): Item[] {
  const children = new Map<number | undefined, number[]>();
  for (const [index, { parent }] of elements.entries()) {
    const siblings = children.get(parent);
    if (siblings) siblings.push(index);
    else children.set(parent, [index]);
  }
  const within = (parent: number | undefined, start: number, end: number): Item[] => {
    const items: Item[] = [];
    let at = start;
    for (const index of children.get(parent) ?? []) {
      const element = elements[index];
      if (!element) continue;
      const [from, to] = element.range;
      if (from > at) items.push(text.slice(at, from));
      const isAtom = element.kind === "opaque" || element.kind === "void";
      const inner = isAtom ? [] : within(index, from, to);
      items.push({ element: index, items: inner, opaque: isAtom ? text.slice(from, to) : null });
      at = to;
    }
    if (end > at) items.push(text.slice(at, end));
    return items;
  };
  return within(undefined, 0, text.length);
}
