/** Two sentences and their translation, by hand. */

import type { Hypothesis } from "../../../../web/src/ui/choices/hypothesis.ts";
import type { Range, TranslationResponse } from "../../../../web/src/wire/protocol.ts";
import { RESPONSE } from "../../support/values.ts";

/** The words of a text: letters, or one other sign. */
export function rangesOf(text: string): readonly Range[] {
  return [...text.matchAll(/\p{L}+|[^\p{L}\s]/gu)].map(({ 0: word, index }) => [index, index + word.length] as const);
}

export const TEXT = "Ja! Es ist schön.";

/** "Yes! It is fine." with a gap of two spaces; each word stands for the one of its number. */
export const TRANSLATED: TranslationResponse = {
  ...RESPONSE,
  text: "Yes!  It is fine.",
  sentences: [
    { source: [0, 3], target: [0, 4], score: 0.9, doubtful: false },
    { source: [4, 17], target: [6, 17], score: 0.5, doubtful: true },
  ],
  alignment: {
    sourceWords: [[0, 2], [2, 3], [4, 6], [7, 10], [11, 16], [16, 17]],
    targetWords: [[0, 3], [3, 4], [6, 8], [9, 11], [12, 16], [16, 17]],
    links: [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5]],
    scores: [0.9, 0.8, 0.7, 0.6, 0.5, 0.4],
  },
};

/** A translation of "Ja!" whose last word stands for the last. */
export function hypothesis(text: string, score = 0.6, doubtful = false): Hypothesis {
  const targetWords = rangesOf(text);
  const last = targetWords.length - 1;
  return {
    text,
    score,
    doubtful,
    alignment: { sourceWords: [[0, 2], [2, 3]], targetWords, links: [[0, 0], [1, last]], scores: targetWords.map(() => score) },
  };
}
