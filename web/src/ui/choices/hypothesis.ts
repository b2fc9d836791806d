/** Translations of one sentence, apart from the text that it stands in. Pure. */

import type { TermUse, TranslationResponse, WordAlignment } from "../../wire/protocol.ts";

/** All ranges are in the sentence's own two texts, in UTF-16 code units. */
export interface Hypothesis {
  readonly text: string;
  /** 0 to 1. */
  readonly score: number;
  /** It is likely to be wrong. */
  readonly doubtful: boolean;
  readonly alignment: WordAlignment;
  /** Where the terms of the sentence stand, where that is known. */
  readonly terms?: readonly TermUse[];
  /** It is a translation memory's, for this very sentence. */
  readonly fromMemory?: boolean;
  /** It is a memory's: for this sentence, which is like it; `score` is how much. */
  readonly memorySource?: string;
}

export const NO_WORDS: WordAlignment = { sourceWords: [], targetWords: [], links: [], scores: [] };

/** What a response to one sentence says, the translation first; of several parts nothing but that. */
export function hypothesesOf(response: TranslationResponse): readonly Hypothesis[] {
  const { text, sentences, alignment } = response;
  const { sourceWords } = alignment ?? NO_WORDS;
  const first = {
    text,
    score: Math.min(1, ...sentences.map(({ score }) => score)),
    doubtful: sentences.some(({ doubtful }) => doubtful),
    alignment: alignment ?? NO_WORDS,
    ...(sentences.length === 1 && sentences[0]?.fromMemory && { fromMemory: true }),
  };
  const others = sentences.length === 1 ? (sentences[0]?.alternatives ?? []) : [];
  return [
    first,
    ...others.map(({ text, score, doubtful, targetWords = [], links = [], scores = [], memorySource }) => ({
      text,
      score,
      doubtful,
      alignment: { sourceWords, targetWords, links, scores },
      ...(memorySource !== undefined && { memorySource }),
    })),
  ];
}

/** The words of a translation. */
export function wordsOf({ text, alignment }: Hypothesis): readonly string[] {
  return alignment.targetWords.map(([start, end]) => text.slice(start, end));
}
