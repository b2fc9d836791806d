/**
 * A translation in one of our boxes: its words are walked through and opened (other words there, other translations of
 * the sentence), and what is chosen in it stays.
 */

import { Alternatives } from "../../../web/src/ui/choices/alternatives.ts";
import { ChosenSentences, type Translated } from "../../../web/src/ui/choices/chosen.ts";
import type { ChoicesTexts } from "../../../web/src/ui/choices/texts.ts";
import { termText } from "../../../web/src/glossary/terms.ts";
import type { Overlay } from "../../../web/src/ui/overlay.ts";
import { WordLayer } from "../../../web/src/ui/words/word-layer.ts";
import { Links, markedWords, OTHER, type MarkTexts, type Side } from "../../../web/src/ui/words/words.ts";
import style from "../../../web/src/ui/choices/choices.css";
import type { TranslationResponse } from "../../../web/src/wire/protocol.ts";
import { counted, message, ownLanguage } from "../api.ts";
import { errorText } from "../errors.ts";
import type { HostClient } from "../host-client.ts";
import type { Pair } from "../messages.ts";

/** Longer translations are shown, but not word by word to look at. */
const MOST_WORDS = 400;

const TEXTS: ChoicesTexts = {
  say: (text) => message(`choices_${text.replaceAll("-", "_")}`),
  title: (word) => message("choices_title", word),
  found: (count) => counted("choices_found", count),
  alike: (source, similarity) => message("choices_alike", source, String(Math.floor(similarity * 100))),
  problem: errorText,
  language: ownLanguage,
};

const MARKS: MarkTexts = {
  remembered: message("choices_remembered"),
  term: (term) => message("glossary_used", termText(term)),
};

export interface TextHost {
  readonly engine: HostClient;
  readonly pair: Pair;
  /** What is shown, once it is the whole translation. */
  readonly shown: () => Translated | undefined;
  /** A sentence is another one now; `what` is to be said. */
  readonly onchange: (response: TranslationResponse, what: string) => void;
  /** The box goes. */
  readonly signal: AbortSignal;
}

export class TranslatedText {
  readonly layer: WordLayer;
  readonly #chosen = new ChosenSentences();
  readonly #alternatives: Alternatives;

  /** `element` is in the overlay. */
  constructor(overlay: Overlay, element: HTMLElement, { engine, pair, ...host }: TextHost) {
    element.lang = pair.target;
    this.layer = new WordLayer(element);
    this.layer.walk(host.signal);
    this.#alternatives = new Alternatives(this.layer, overlay.beside(style), this.#chosen, {
      ...host,
      texts: TEXTS,
      translate: (text, { signal, ...options }) => engine.translate(pair, text, signal, options),
    });
  }

  /** Whether a box is open that Escape closes first. */
  get isOpen(): boolean {
    return this.#alternatives.isOpen;
  }

  /** With what was chosen of its sentences. */
  apply(translated: Translated): TranslationResponse {
    return this.#chosen.apply(translated);
  }

  show(response: TranslationResponse): void {
    const { text, alignment } = response;
    this.#alternatives.close();
    this.layer.render(text, areFew(alignment) ? alignment.targetWords : [], {
      opens: true, marks: markedWords(response, MARKS),
    });
  }

  /** Something without words of its own, such as a hint. */
  say(text: string): void {
    this.#alternatives.close();
    this.layer.render(text, []);
  }

  /** What is shown is old. */
  closeChoices(): void {
    this.#alternatives.close();
  }
}

/** The original beside a translation: pointing at a word of either, or walking to it, lights both. */
export class Originals {
  readonly #layers: Readonly<Record<Side, WordLayer>>;
  #links = new Links([]);

  constructor(source: WordLayer, target: WordLayer) {
    this.#layers = { source, target };
    for (const side of ["source", "target"] as const) {
      const { element } = this.#layers[side];
      for (const type of ["pointerover", "focusin"]) {
        element.addEventListener(type, (event) => { this.#light(side, this.#layers[side].wordOf(event.target)); });
      }
      for (const type of ["pointerleave", "focusout"]) {
        element.addEventListener(type, () => { this.#light(side, undefined); });
      }
    }
  }

  show(text: string, { alignment }: TranslationResponse): void {
    this.#layers.source.render(text, areFew(alignment) ? alignment.sourceWords : []);
    this.#links = new Links(areFew(alignment) ? alignment.links : []);
  }

  #light(side: Side, word: number | undefined): void {
    this.#layers[side].light(word === undefined ? [] : [word], "own");
    this.#layers[OTHER[side]].light(word === undefined ? [] : this.#links.of(side, word), "linked");
  }
}

function areFew(alignment: TranslationResponse["alignment"]): alignment is NonNullable<typeof alignment> {
  return alignment !== null && alignment.targetWords.length <= MOST_WORDS;
}
