/** Terms of a glossary in another translation of their sentence, of which only the words are known. Pure. */

import type { Range, TermUse } from "../../wire/protocol.ts";
import type { Hypothesis } from "./hypothesis.ts";

/** The same terms, each where its words stand in a translation, in the form of the glossary; or nowhere in it. */
export function termsIn(terms: readonly TermUse[], said: Hypothesis): readonly TermUse[] {
  const taken: Range[] = [];
  return terms.map((use) => {
    const target = placesOf(use.term.target, said).find((place) => !taken.some((other) => overlap(place, other)));
    if (!target) return { ...use, outcome: "missed", target: null };
    taken.push(target);
    return { ...use, outcome: use.outcome === "missed" ? "said" : use.outcome, target };
  });
}

/** Whole words only: "yes" is not in "yesterday". */
function placesOf(term: string, { text, alignment: { targetWords } }: Hypothesis): readonly Range[] {
  const ends = new Set(targetWords.map(([, end]) => end));
  return targetWords
    .map(([start]): Range => [start, start + term.length])
    .filter(([start, end]) => ends.has(end) && isSame(text.slice(start, end), term));
}

/** At the beginning of a sentence it may have a capital. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function overlap([start, end]: Range, [otherStart, otherEnd]: Range): boolean {
  return start < otherEnd && otherStart < end;
}
