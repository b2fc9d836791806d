/**
 * A block with elements by a translator of plain text: each text between two tags is translated for
 * itself, so every element keeps its words and its place.
 */

import type { Block, ContentItem, TranslatedBlock } from "./contract.ts";

type Part = string | { readonly element: number; readonly parts: readonly Part[] };

const PADDED = /^(\s*)(.*?)(\s*)$/s;

export async function translateParts(
  block: Block,
  translate: (text: string) => Promise<string>,
): Promise<TranslatedBlock> {
  const parts = partsOf(block);
  const texts = [...new Set([...wordsOf(parts)])];
  const translations = new Map(await Promise.all(texts.map(async (text) => [text, await translate(text)] as const)));
  let text = "";
  const write = (inside: readonly Part[]): ContentItem[] =>
    inside.map((part): ContentItem => {
      if (typeof part === "string") {
        const [, before = "", words = "", after = ""] = PADDED.exec(part) ?? [];
        const start = text.length;
        text += before + (translations.get(words) ?? words) + after;
        return [start, text.length];
      }
      const element = block.elements[part.element];
      if (element?.kind === "inline") return { element: part.element, content: write(part.parts) };
      text += block.text.slice(...(element?.range ?? [0, 0]));
      return { element: part.element };
    });
  const content = write(parts);
  return { text, content };
}

function* wordsOf(parts: readonly Part[]): Generator<string, void> {
  for (const part of parts) {
    if (typeof part !== "string") yield* wordsOf(part.parts);
    else if (/\p{L}/u.test(part)) yield part.trim();
  }
}

function partsOf({ text, elements }: Block): Part[] {
  const within = (parent: number | undefined, start: number, end: number): Part[] => {
    const parts: Part[] = [];
    let at = start;
    elements.forEach((element, index) => {
      if (element.parent !== parent) return;
      const [from, to] = element.range;
      if (from > at) parts.push(text.slice(at, from));
      parts.push({ element: index, parts: element.kind === "inline" ? within(index, from, to) : [] });
      at = to;
    });
    if (end > at) parts.push(text.slice(at, end));
    return parts;
  };
  return within(undefined, 0, text.length);
}
