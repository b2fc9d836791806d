/** Words of a text and the links between two texts. Pure; every range is in UTF-16 code units. */

import type { Range, TermUse, TranslationResponse, WordAlignment } from "../../wire/protocol.ts";

/** A stretch of text: a word, or what stands between words (`word` is null). */
export interface Stretch {
  readonly text: string;
  readonly word: number | null;
}

/** The whole text in stretches; `words` are in order and do not overlap. */
export function stretches(text: string, words: readonly Range[]): Stretch[] {
  const result: Stretch[] = [];
  let at = 0;
  words.forEach(([start, end], word) => {
    if (at < start) result.push({ text: text.slice(at, start), word: null });
    if (start < end) result.push({ text: text.slice(start, end), word });
    at = end;
  });
  if (at < text.length) result.push({ text: text.slice(at), word: null });
  return result;
}

/** The word that holds the caret, or that it stands right after. */
export function wordAt(words: readonly Range[], offset: number): number | undefined {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle]?.[0] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const word = words[low - 1];
  return word && offset <= word[1] ? low - 1 : undefined;
}

/** The words that begin in one of some ranges; both are in order and do not overlap. */
export function wordsWithin(words: readonly Range[], ranges: readonly Range[]): ReadonlySet<number> {
  const found = new Set<number>();
  let next = 0;
  words.forEach(([start], word) => {
    while ((ranges[next]?.[1] ?? Infinity) <= start) next += 1;
    if ((ranges[next]?.[0] ?? Infinity) <= start) found.add(word);
  });
  return found;
}

/** A word that is not the model's own choice. */
export interface Mark {
  /** Its class. */
  readonly name: "remembered" | "term";
  /** Told where it is pointed at. */
  readonly note: string;
}

export interface MarkTexts {
  readonly remembered: string;
  /** "Rechner → workstation, from your glossary" */
  readonly term: (term: TermUse["term"]) => string;
}

/** The words of sentences that a translation memory has said, and those of terms, whoever said them. */
export function markedWords({ sentences, alignment, terms }: TranslationResponse, texts: MarkTexts): ReadonlyMap<number, Mark> {
  const words = alignment?.targetWords ?? [];
  const remembered = sentences.filter(({ fromMemory }) => fromMemory).map(({ target }) => target);
  const marks = new Map<number, Mark>();
  for (const { term, target } of terms ?? []) {
    const mark = { name: "term", note: texts.term(term) } as const;
    if (target) for (const word of wordsWithin(words, [target])) marks.set(word, mark);
  }
  for (const word of wordsWithin(words, remembered)) marks.set(word, { name: "remembered", note: texts.remembered });
  return marks;
}

export type Side = "source" | "target";

export const OTHER: Readonly<Record<Side, Side>> = { source: "target", target: "source" };

/** Looks links up in both directions. */
export class Links {
  readonly #byWord: Readonly<Record<Side, ReadonlyMap<number, readonly number[]>>>;

  constructor(links: WordAlignment["links"]) {
    const source = new Map<number, number[]>();
    const target = new Map<number, number[]>();
    for (const [s, t] of links) {
      append(source, s, t);
      append(target, t, s);
    }
    this.#byWord = { source, target };
  }

  /** The words of the other side that belong to a word of this one. */
  of(side: Side, word: number): readonly number[] {
    return this.#byWord[side].get(word) ?? [];
  }
}

function append(map: Map<number, number[]>, key: number, value: number): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

/** Words as people count them: no punctuation. */
export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu)?.length ?? 0;
}
