/**
 * Which translations of its sentences a person has chosen: they hold as long as a sentence stands in the text, while the
 * text around it is typed on.
 */

import type { TranslationResponse } from "../../wire/protocol.ts";
import type { Hypothesis } from "./hypothesis.ts";
import { hypothesisAt, withHypothesis } from "./sentences.ts";

interface Choice {
  /** What the translator says. */
  readonly first: Hypothesis;
  readonly chosen: Hypothesis;
}

/** A text and its translation. */
export interface Translated {
  readonly text: string;
  readonly response: TranslationResponse;
}

export class ChosenSentences {
  /** By `keysOf`. */
  #choices: ReadonlyMap<string, Choice> = new Map<string, Choice>();

  /** A new translation, with what was chosen in it. What was chosen for sentences that are gone is forgotten. */
  apply({ text, response }: Translated): TranslationResponse {
    const left = new Map<string, Choice>();
    let result = response;
    if (this.#choices.size > 0) {
      keysOf({ text, response }).forEach((key, index) => {
        const choice = this.#choices.get(key);
        if (!choice) return;
        left.set(key, { first: hypothesisAt(response, index), chosen: choice.chosen });
        result = withHypothesis(result, index, choice.chosen);
      });
    }
    this.#choices = left;
    return result;
  }

  /** What a sentence was before one was chosen; undefined: none was. */
  first(translated: Translated, index: number): Hypothesis | undefined {
    return this.#choices.get(keysOf(translated)[index] ?? "")?.first;
  }

  /** The text with another translation of one sentence, which stays. */
  choose(translated: Translated, index: number, chosen: Hypothesis): TranslationResponse {
    const { response } = translated;
    const first = this.first(translated, index) ?? hypothesisAt(response, index);
    const choices = new Map(this.#choices);
    const key = keysOf(translated)[index] ?? "";
    if (chosen.text === first.text) choices.delete(key);
    else choices.set(key, { first, chosen });
    this.#choices = choices;
    return withHypothesis(response, index, chosen);
  }

  clear(): void {
    this.#choices = new Map<string, Choice>();
  }
}

/** A key a sentence: what it says, and which of those that say so it is. */
function keysOf({ text, response }: Translated): readonly string[] {
  const counts = new Map<string, number>();
  return response.sentences.map(({ source }) => {
    const sentence = text.slice(...source);
    const count = counts.get(sentence) ?? 0;
    counts.set(sentence, count + 1);
    return `${count} ${sentence}`;
  });
}
