/** The translation, with words that can be lit, walked through by arrow keys, and opened (`web/src/ui/choices`). */

import type { TranslationResponse } from "../../src/wire/protocol.ts";
import { WordLayer } from "../../src/ui/words/word-layer.ts";
import { markedWords, wordsWithin, type MarkTexts } from "../../src/ui/words/words.ts";

/** Below this, the model held other words for about as good: one word in five of an early model, and
 * most of its mistakes. */
export const UNCERTAIN = 0.3;

/** What is to be told of a translation. */
export interface Shown {
  /** Those that the model was not sure of. */
  readonly words: number;
  /** Those that are probably wrong. */
  readonly sentences: number;
  /** Sentences of a translation memory. */
  readonly remembered: number;
  /** Terms of a glossary that are there. */
  readonly terms: number;
}

const NO_WORDS = { sourceWords: [], targetWords: [], links: [], scores: [] };

export class TargetPane {
  readonly layer: WordLayer;
  #text = "";
  #isGrowing = false;

  constructor(element: HTMLElement) {
    this.layer = new WordLayer(element);
    this.layer.walk();
  }

  get text(): string {
    return this.#text;
  }

  show(response: TranslationResponse, texts: MarkTexts): Shown {
    const { targetWords, scores } = response.alignment ?? NO_WORDS;
    const uncertain = (word: number): boolean => (scores[word] ?? 1) < UNCERTAIN;
    this.#text = response.text;
    this.#isGrowing = false;
    const sentences = response.sentences.filter(({ doubtful }) => doubtful).map(({ target }) => target);
    const within = wordsWithin(targetWords, sentences);
    const doubtful = (word: number): boolean => within.has(word);
    this.layer.render(response.text, targetWords, {
      uncertain, doubtful, marks: markedWords(response, texts), opens: true,
    });
    return {
      words: targetWords.filter((_, word) => uncertain(word)).length,
      sentences: sentences.length,
      remembered: response.sentences.filter(({ fromMemory }) => fromMemory).length,
      terms: response.terms?.filter(({ target: found }) => found).length ?? 0,
    };
  }

  /** A beginning of a translation: what is shown of it stays where it is. */
  grow(text: string): void {
    if (!this.#isGrowing || !text.startsWith(this.#text)) this.clear();
    this.#isGrowing = true;
    this.layer.append(text.slice(this.#text.length));
    this.#text = text;
  }

  clear(): void {
    this.#isGrowing = false;
    this.#text = "";
    this.layer.render("", []);
  }
}
