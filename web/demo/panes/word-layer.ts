/** A text on the page whose words can be lit. */

import type { Range } from "../../src/wire/protocol.ts";
import { stretches } from "./words.ts";

/** Beyond this many words a page of spans is slower than hovering is worth: the text stays plain. */
export const MOST_WORDS = 6_000;

export interface WordStyle {
  readonly uncertain?: (word: number) => boolean;
  readonly doubtful?: (word: number) => boolean;
  readonly focusable?: boolean;
}

export class WordLayer {
  readonly element: HTMLElement;
  #spans: HTMLElement[] = [];
  #lit: HTMLElement[] = [];

  constructor(element: HTMLElement) {
    this.element = element;
  }

  get hasWords(): boolean {
    return this.#spans.length > 0;
  }

  /** `end` follows the text, for an element whose last line would have no height otherwise. */
  render(text: string, words: readonly Range[], style: WordStyle = {}, end = ""): void {
    this.#spans = [];
    this.#lit = [];
    const shown = words.length > MOST_WORDS ? [] : words;
    const nodes = stretches(text, shown).map((stretch) => {
      if (stretch.word === null) return document.createTextNode(stretch.text);
      return this.#span(stretch.text, stretch.word, style);
    });
    this.element.replaceChildren(...nodes, end);
  }

  /** More text, without words: those come when all of it is there. */
  append(text: string): void {
    this.element.append(text);
  }

  /** The word's span under a point of the viewport, through whatever lies above it. */
  wordAtPoint(x: number, y: number): number | undefined {
    for (const element of document.elementsFromPoint(x, y)) {
      const word = this.wordOf(element);
      if (word !== undefined) return word;
    }
    return undefined;
  }

  wordOf(target: EventTarget | null): number | undefined {
    if (!(target instanceof HTMLElement) || target.parentElement !== this.element) return undefined;
    const word = target.dataset["word"];
    return word === undefined ? undefined : Number(word);
  }

  textOf(word: number): string {
    return this.#spans[word]?.textContent ?? "";
  }

  light(words: readonly number[], look: "own" | "linked"): void {
    for (const span of this.#lit) span.classList.remove("own", "linked");
    this.#lit = words.flatMap((word) => this.#spans[word] ?? []);
    for (const span of this.#lit) span.classList.add(look);
  }

  focus(word: number): void {
    const span = this.#spans[word];
    if (!span) return;
    for (const other of this.#spans) if (other.tabIndex === 0) other.tabIndex = -1;
    span.tabIndex = 0;
    span.focus();
  }

  /** The first lit word comes into view, if it is out of it. */
  reveal(): void {
    this.#lit[0]?.scrollIntoView({ block: "nearest" });
  }

  #span(text: string, word: number, { uncertain, doubtful, focusable }: WordStyle): HTMLElement {
    const span = document.createElement("span");
    span.textContent = text;
    span.className = "word";
    if (uncertain?.(word)) span.classList.add("uncertain");
    if (doubtful?.(word)) span.classList.add("doubtful");
    span.dataset["word"] = String(word);
    if (focusable) span.tabIndex = word === 0 ? 0 : -1; // One stop for Tab; arrow keys do the rest.
    this.#spans[word] = span;
    return span;
  }
}
