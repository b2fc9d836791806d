/** A text whose words can be lit, walked through by arrow keys, and opened. */

import type { Range } from "../../wire/protocol.ts";
import { stretches, type Mark } from "./words.ts";

/** Beyond this many words a page of spans is slower than hovering is worth: the text stays plain. */
export const MOST_WORDS = 6_000;

export interface WordStyle {
  readonly uncertain?: (word: number) => boolean;
  readonly doubtful?: (word: number) => boolean;
  /** What a person's own files have said of it. */
  readonly marks?: ReadonlyMap<number, Mark>;
  /** Words can be walked through, and a click or Enter opens what else could be there. */
  readonly opens?: boolean;
}

export class WordLayer {
  readonly element: HTMLElement;
  #spans: HTMLElement[] = [];
  #lit: HTMLElement[] = [];
  /** The word that Tab stops at. */
  #stop: HTMLElement | undefined;

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
    this.#stop = undefined;
    const shown = words.length > MOST_WORDS ? [] : words;
    const nodes = stretches(text, shown).map((stretch) =>
      stretch.word === null ? stretch.text : this.#span(stretch.text, stretch.word, style));
    this.element.replaceChildren(...nodes, end);
  }

  /** More text, without words: those come when all of it is there. */
  append(text: string): void {
    this.element.append(text);
  }

  /** From now on arrow keys go from word to word, of what opens. `signal` ends it. */
  walk(signal?: AbortSignal): void {
    const options = signal ? { signal } : {};
    this.element.addEventListener("keydown", (event) => { this.#walk(event); }, options);
    // Chromium selects nothing by a drag that begins on what takes the focus.
    this.element.addEventListener("pointerdown", () => { this.#setFocusable(false); }, options);
    for (const type of ["pointerup", "pointercancel"]) {
      this.element.ownerDocument.defaultView?.addEventListener(type, () => { this.#setFocusable(true); }, options);
    }
  }

  /** The word's span under a point of the viewport, through whatever lies above it. */
  wordAtPoint(x: number, y: number): number | undefined {
    for (const element of this.element.ownerDocument.elementsFromPoint(x, y)) {
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

  elementOf(word: number): HTMLElement | undefined {
    return this.#spans[word];
  }

  light(words: readonly number[], look: "own" | "linked"): void {
    for (const span of this.#lit) span.classList.remove("own", "linked");
    this.#lit = words.flatMap((word) => this.#spans[word] ?? []);
    for (const span of this.#lit) span.classList.add(look);
  }

  focus(word: number): void {
    const span = this.#spans[word];
    if (!span) return;
    if (this.#stop) setStop(this.#stop, false);
    this.#stop = span;
    setStop(span, true);
    span.focus();
  }

  /** The first lit word comes into view, if it is out of it. */
  reveal(): void {
    this.#lit[0]?.scrollIntoView({ block: "nearest" });
  }

  /** Whether the word that Tab stops at takes the focus. */
  #setFocusable(isFocusable: boolean): void {
    if (this.#stop) setStop(this.#stop, isFocusable);
  }

  #walk(event: KeyboardEvent): void {
    const word = this.wordOf(event.target);
    if (word === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.#spans.length - 1;
    const steps: Record<string, number> = {
      ArrowRight: Math.min(last, word + 1),
      ArrowLeft: Math.max(0, word - 1),
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.focus(next);
  }

  #span(text: string, word: number, { uncertain, doubtful, marks, opens }: WordStyle): HTMLElement {
    const span = this.element.ownerDocument.createElement("span");
    span.textContent = text;
    span.className = "word";
    if (uncertain?.(word)) span.classList.add("uncertain");
    if (doubtful?.(word)) span.classList.add("doubtful");
    const mark = marks?.get(word);
    if (mark) {
      span.classList.add(mark.name);
      span.title = mark.note;
    }
    span.dataset["word"] = String(word);
    if (opens && word === 0) {
      this.#stop = span;
      setStop(span, true);
    }
    this.#spans[word] = span;
    return span;
  }
}

/**
 * One word is the stop for Tab; arrow keys do the rest. Only that one is a button: a text that is read out is no row
 * of buttons.
 */
function setStop(span: HTMLElement, isStop: boolean): void {
  const attributes = { tabindex: "0", role: "button", "aria-haspopup": "dialog", "aria-expanded": "false" };
  for (const [name, value] of Object.entries(attributes)) {
    if (isStop) span.setAttribute(name, value);
    else span.removeAttribute(name);
  }
}
