/**
 * A click on a word of the translation: other words there, other translations of its sentence; one that is chosen takes
 * the sentence's place.
 *
 *     closed --(click or Enter on a word)--> searching, shown as it comes --(chosen, restored)--> closed, the text is another
 *        `------(Escape, another click, typing, a new translation)-----------'
 *
 * What ends it ends the search in the worker too.
 */

import { DragomanError } from "../../wire/errors.ts";
import type { TranslationResponse } from "../../wire/protocol.ts";
import type { WordLayer } from "../words/word-layer.ts";
import type { ChosenSentences, Translated } from "./chosen.ts";
import type { Hypothesis } from "./hypothesis.ts";
import { Popover, type Part } from "./popover.ts";
import { isReplaceable, otherSentences, otherWords, type Asked, type Translate } from "./search.ts";
import { hypothesisAt, sentenceOf, wordsOfSentence } from "./sentences.ts";
import type { ChoicesTexts } from "./texts.ts";

export interface AlternativesHost {
  readonly translate: Translate;
  readonly texts: ChoicesTexts;
  /** What is shown, once it is the whole translation of what is typed. */
  readonly shown: () => Translated | undefined;
  /** A sentence is another one now; `what` is to be said. */
  readonly onchange: (response: TranslationResponse, what: string) => void;
  /** Ends it all: what is shown goes. */
  readonly signal?: AbortSignal;
}

interface Open {
  readonly translated: Translated;
  readonly sentence: number;
  /** Of the whole translation. */
  readonly word: number;
  readonly ended: AbortController;
}

export class Alternatives {
  readonly #layer: WordLayer;
  readonly #chosen: ChosenSentences;
  readonly #host: AlternativesHost;
  readonly #popover: Popover;
  #open: Open | undefined;
  /** What the press that a click ends with has found: a selection, which it only takes away, or this word open. */
  #pressed: "selection" | number | undefined;

  /** The layer and the box are in the same document or shadow root. */
  constructor(layer: WordLayer, box: HTMLElement, chosen: ChosenSentences, host: AlternativesHost) {
    this.#layer = layer;
    this.#chosen = chosen;
    this.#host = host;
    this.#popover = new Popover(box, {
      onchoose: (hypothesis) => { this.#choose(hypothesis, "changed"); },
      onrestore: () => {
        const first = this.#open && chosen.first(this.#open.translated, this.#open.sentence);
        if (first) this.#choose(first, "restored");
      },
      onclose: () => { this.close(); },
    }, host.texts, host.signal);
    this.#listen(host.signal);
    host.signal?.addEventListener("abort", () => { this.close(); });
  }

  /** Without a choice; ends what is looked for. */
  close(): void {
    const open = this.#open;
    if (!open) return;
    const hadFocus = this.#popover.hasFocus;
    this.#open = undefined;
    open.ended.abort();
    this.#popover.close();
    if (hadFocus) this.#layer.focus(open.word);
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  #listen(signal?: AbortSignal): void {
    const { element } = this.#layer;
    const doc = element.ownerDocument;
    // Outside of a shadow root nobody learns what within it was pressed.
    const root = element.getRootNode();
    const own = signal ? { signal } : {};
    // Capturing: before the panes and the page hear of it.
    const first = { ...own, capture: true };
    root.addEventListener("pointerdown", ({ target }) => {
      this.#pressed = element.contains(target as Node) && isSelected(element) ? "selection" : this.#open?.word;
      if (!this.#popover.contains(target)) this.close();
    }, first);
    doc.addEventListener("pointerdown", ({ target }) => {
      if ("host" in root && target !== root.host) this.close();
    }, first);
    doc.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#open) return;
      event.stopImmediatePropagation();
      this.close();
    }, first);
    element.addEventListener("click", ({ target }) => {
      const word = this.#layer.wordOf(target);
      if (word === undefined || word === this.#pressed || this.#pressed === "selection" || isSelected(element)) return;
      this.#show(word);
    }, own);
    element.addEventListener("keydown", (event) => {
      const word = this.#layer.wordOf(event.target);
      if (word === undefined || (event.key !== "Enter" && event.key !== " ") || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.#show(word);
    }, own);
  }

  #show(word: number): void {
    this.close();
    const translated = this.#host.shown();
    const sentence = translated && sentenceOf(translated.response, word);
    if (!translated || sentence === undefined) return;
    this.#layer.focus(word);
    const anchor = this.#layer.elementOf(word);
    if (!anchor) return;
    const parts: readonly Part[] = isReplaceable(this.#layer.textOf(word)) ? ["words", "sentences"] : ["sentences"];
    const canRestore = this.#chosen.first(translated, sentence) !== undefined;
    this.#open = { translated, sentence, word, ended: new AbortController() };
    this.#popover.open(anchor, parts, { canRestore, language: this.#layer.element.lang });
    void this.#search(this.#open, parts);
  }

  async #search(open: Open, parts: readonly Part[]): Promise<void> {
    const { translated: { text, response }, sentence, word } = open;
    const { signal } = open.ended;
    const said = hypothesisAt(response, sentence);
    const asked: Asked = { sentence: text.slice(...(response.sentences[sentence]?.source ?? [0, 0])), said };
    const place = word - wordsOfSentence(response, sentence)[0];
    const { translate } = this.#host;
    const searches: Readonly<Record<Part, () => Promise<number>>> = {
      words: async () => {
        const continuations = await otherWords(translate, asked, place, signal);
        if (!signal.aborted) this.#popover.showWords(continuations);
        return continuations.length;
      },
      sentences: async () => {
        const hypotheses = await otherSentences(translate, asked, signal);
        if (!signal.aborted) this.#popover.showSentences(hypotheses, said);
        return hypotheses.length;
      },
    };
    const counts = await Promise.all(parts.map(async (part) => {
      try {
        return await searches[part]();
      } catch (error) {
        if (!signal.aborted) this.#popover.showProblem(part, this.#problem(error));
        return 0;
      }
    }));
    const count = counts.reduce((sum, count) => sum + count, 0);
    const { texts } = this.#host;
    if (!signal.aborted) this.#popover.tell(count ? texts.found(count) : texts.say("none"));
  }

  #choose(hypothesis: Hypothesis, what: "changed" | "restored"): void {
    const open = this.#open;
    if (!open) return;
    this.close();
    const response = this.#chosen.choose(open.translated, open.sentence, hypothesis);
    this.#host.onchange(response, this.#host.texts.say(what));
    const [first, end] = wordsOfSentence(response, open.sentence);
    this.#layer.focus(Math.max(first, Math.min(open.word, end - 1)));
  }

  #problem(error: unknown): string {
    const { say, problem } = this.#host.texts;
    // The only request that the search refuses here is one of too long a sentence.
    const isTooLong = error instanceof DragomanError && error.code === "invalid-request";
    return isTooLong ? say("too-long") : problem(error);
  }
}

/** Whether some of a text is selected. */
function isSelected(element: HTMLElement): boolean {
  const selection = element.ownerDocument.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}
