/**
 * One sentence of a translated text: taken out, and another translation of it put in its place. Pure.
 *
 * What is put in keeps what the protocol says of every response: sentences and the gaps between them cover both texts,
 * words lie inside their sentences, links and scores go with their words, terms with theirs.
 */

import type { Range, TermUse, TranslationResponse } from "../../wire/protocol.ts";
import { NO_WORDS, type Hypothesis } from "./hypothesis.ts";
import { termsIn } from "./terms.ts";

type Words = readonly Range[];
type Sentence = TranslationResponse["sentences"][number];

/** The sentence that a word of the translation is in. */
export function sentenceOf({ sentences, alignment }: TranslationResponse, word: number): number | undefined {
  const at = alignment?.targetWords[word]?.[0];
  if (at === undefined) return undefined;
  const index = sentences.findIndex(({ target: [start, end] }) => start <= at && at < end);
  return index < 0 ? undefined : index;
}

/** The words of the translation that a sentence has, by index: the first, and the one after the last. */
export function wordsOfSentence({ sentences, alignment }: TranslationResponse, index: number): Range {
  return run(alignment?.targetWords ?? [], sentences[index]?.target ?? [0, 0]);
}

/** @throws RangeError there is no such sentence. */
export function hypothesisAt(response: TranslationResponse, index: number): Hypothesis {
  const { source, target, score, doubtful, fromMemory } = sentenceAt(response, index);
  const { sourceWords, targetWords, links, scores } = response.alignment ?? NO_WORDS;
  const [fromSource, toSource] = run(sourceWords, source);
  const [fromTarget, toTarget] = run(targetWords, target);
  const terms = (response.terms ?? []).filter((use) => isWithin(use, source));
  return {
    text: response.text.slice(...target),
    score,
    doubtful,
    ...(fromMemory && { fromMemory }),
    ...(terms.length > 0 && { terms: terms.map((use) => movedTerm(use, -source[0], -target[0])) }),
    alignment: {
      sourceWords: moved(sourceWords.slice(fromSource, toSource), -source[0]),
      targetWords: moved(targetWords.slice(fromTarget, toTarget), -target[0]),
      links: moved(links.filter(([, word]) => fromTarget <= word && word < toTarget), -fromSource, -fromTarget),
      scores: scores.slice(fromTarget, toTarget),
    },
  };
}

/** The same, with another translation of one sentence. @throws RangeError there is no such sentence. */
export function withHypothesis(response: TranslationResponse, index: number, said: Hypothesis): TranslationResponse {
  const { target: [start, end] } = sentenceAt(response, index);
  const longer = said.text.length - (end - start);
  return {
    ...response,
    text: response.text.slice(0, start) + said.text + response.text.slice(end),
    sentences: response.sentences.map(({ source, target, score, doubtful, fromMemory }, at) => {
      const by = at > index ? longer : 0;
      return at === index
        ? { source, target: [start, end + longer], score: said.score, doubtful: said.doubtful, ...(said.fromMemory && { fromMemory: true }) }
        : { source, target: [target[0] + by, target[1] + by], score, doubtful, ...(fromMemory && { fromMemory }) };
    }),
    alignment: response.alignment && withWords(response, index, said),
    terms: response.terms && withTerms(response.terms, sentenceAt(response, index), said),
  };
}

/** The terms of the sentence as they stand in its new translation; those behind it move. */
function withTerms(terms: readonly TermUse[], sentence: Sentence, said: Hypothesis): readonly TermUse[] {
  const { source, target: [start, end] } = sentence;
  const own = terms.filter((use) => isWithin(use, source));
  const isKnown = said.terms?.length === own.length; // Not of another glossary, which may have come meanwhile.
  const found = isKnown ? said.terms : termsIn(own.map((use) => movedTerm(use, -source[0], 0)), said);
  const inside = new Map(own.map((use, at) => [use, found[at]]));
  const longer = said.text.length - (end - start);
  return terms.map((use) => {
    const here = inside.get(use);
    if (here) return movedTerm(here, source[0], start);
    return use.target && use.target[0] >= end ? movedTerm(use, 0, longer) : use;
  });
}

function withWords(response: TranslationResponse, index: number, said: Hypothesis): NonNullable<TranslationResponse["alignment"]> {
  const { source, target } = sentenceAt(response, index);
  const { sourceWords, targetWords, links, scores } = response.alignment ?? NO_WORDS;
  const own = said.alignment;
  const [fromSource, toSource] = run(sourceWords, source);
  const [fromTarget, toTarget] = run(targetWords, target);
  const moreSources = own.sourceWords.length - (toSource - fromSource);
  const moreTargets = own.targetWords.length - (toTarget - fromTarget);
  const longer = said.text.length - (target[1] - target[0]);
  return {
    sourceWords: [...sourceWords.slice(0, fromSource), ...moved(own.sourceWords, source[0]), ...sourceWords.slice(toSource)],
    targetWords: [
      ...targetWords.slice(0, fromTarget),
      ...moved(own.targetWords, target[0]),
      ...moved(targetWords.slice(toTarget), longer),
    ],
    links: [
      ...links.filter(([, word]) => word < fromTarget),
      ...moved(own.links, fromSource, fromTarget),
      ...moved(links.filter(([, word]) => word >= toTarget), moreSources, moreTargets),
    ],
    scores: [...scores.slice(0, fromTarget), ...own.scores, ...scores.slice(toTarget)],
  };
}

function sentenceAt({ sentences }: TranslationResponse, index: number): Sentence {
  const sentence = sentences[index];
  if (!sentence) throw new RangeError(`there is no sentence ${index} among ${sentences.length}`);
  return sentence;
}

/** Indexes of the words that begin in a range: the first, and the one after the last. */
function run(words: Words, [start, end]: Range): Range {
  const before = (edge: number): number => words.reduce((count, [first]) => count + Number(first < edge), 0);
  return [before(start), before(end)];
}

function isWithin({ source }: TermUse, [start, end]: Range): boolean {
  return source !== null && start <= source[0] && source[0] < end;
}

function movedTerm({ source, target, ...use }: TermUse, bySource: number, byTarget: number): TermUse {
  const by = (range: Range | null, distance: number): Range | null => range && [range[0] + distance, range[1] + distance];
  return { ...use, source: by(source, bySource), target: by(target, byTarget) };
}

function moved(pairs: readonly Range[], first: number, second = first): readonly Range[] {
  return pairs.map(([one, other]) => [one + first, other + second]);
}
