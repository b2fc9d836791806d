/** What else a sentence could be, and what else a place in it: asked of the translator. */

import type { TranslationResponse } from "../../wire/protocol.ts";
import { hypothesesOf, wordsOf, type Hypothesis } from "./hypothesis.ts";

/** As many as are read at a glance; each costs its share of the time until they are there (ADR 27). */
const MOST_SENTENCES = 3;
const MOST_WORDS_HERE = 4;

export type Translate = (
  text: string,
  options: { readonly signal: AbortSignal; readonly alternatives: number; readonly prefix?: string },
) => Promise<TranslationResponse>;

/** A sentence of the source and what it is translated as now. */
export interface Asked {
  readonly sentence: string;
  readonly said: Hypothesis;
}

/** A way to go on from a place. */
export interface Continuation {
  /** The word there; empty where the sentence ends. */
  readonly word: string;
  /** What follows it. */
  readonly rest: string;
  readonly hypothesis: Hypothesis;
}

/** Other translations of the whole sentence: those of a memory, the most similar first, then the most probable. */
export async function otherSentences(translate: Translate, { sentence, said }: Asked, signal: AbortSignal): Promise<readonly Hypothesis[]> {
  const response = await translate(sentence, { signal, alternatives: MOST_SENTENCES });
  const others = hypothesesOf(response).filter(({ text }) => text !== said.text);
  const isRemembered = ({ fromMemory, memorySource }: Hypothesis): boolean => fromMemory === true || memorySource !== undefined;
  return [...others.filter(isRemembered), ...others.filter((other) => !isRemembered(other)).slice(0, MOST_SENTENCES)];
}

/**
 * Whether another word can be asked for: a sign right after a word would go on as that word, such as "lake" for
 * "lake." as "lakeside".
 */
export function isReplaceable(word: string): boolean {
  return /[\p{L}\p{N}]/u.test(word);
}

/** Translations that are the same up to a word, each with another one there, the most probable first. */
export async function otherWords(
  translate: Translate,
  { sentence, said }: Asked,
  word: number,
  signal: AbortSignal,
): Promise<readonly Continuation[]> {
  const start = said.alignment.targetWords[word]?.[0] ?? 0;
  const response = await translate(sentence, { signal, alternatives: MOST_WORDS_HERE, prefix: said.text.slice(0, start) });
  const known = new Set([wordsOf(said)[word]]);
  return hypothesesOf(response).flatMap((hypothesis) => {
    const other = continuation(hypothesis, start);
    if (known.has(other.word)) return [];
    known.add(other.word);
    return [other];
  });
}

/** What a translation has after its first `start` UTF-16 code units. */
function continuation(hypothesis: Hypothesis, start: number): Continuation {
  const { text, alignment } = hypothesis;
  const [from, to] = alignment.targetWords.find(([, end]) => end > start) ?? [text.length, text.length];
  return { word: text.slice(from, to), rest: text.slice(to), hypothesis };
}
