/**
 * The box beside a word: other words there, other translations of its sentence. What is asked for shows when it comes.
 *
 * It is a dialog that leaves the page alone: arrow keys go through what can be chosen, Tab stays inside.
 */

import { element, namedButton, within } from "../page/dom.ts";
import { say } from "../texts/texts.ts";
import { differing } from "./differences.ts";
import { wordsOf, type Hypothesis } from "./hypothesis.ts";
import { placed } from "./placing.ts";
import type { Continuation } from "./search.ts";

export type Part = "words" | "sentences";

export interface PopoverListener {
  readonly onchoose: (hypothesis: Hypothesis) => void;
  readonly onrestore: () => void;
  readonly onclose: () => void;
}

export class Popover {
  readonly #box: HTMLElement;
  readonly #listener: PopoverListener;
  #anchor: HTMLElement | undefined;

  constructor(box: HTMLElement, listener: PopoverListener) {
    this.#box = box;
    this.#listener = listener;
    within(box, ".close", HTMLButtonElement).addEventListener("click", () => { listener.onclose(); });
    within(box, ".restore", HTMLButtonElement).addEventListener("click", () => { listener.onrestore(); });
    box.addEventListener("keydown", (event) => { this.#walk(event); });
    window.addEventListener("resize", () => { this.#place(); });
    document.addEventListener("scroll", (event) => {
      if (event.target !== box) this.#place();
    }, { capture: true, passive: true });
  }

  contains(target: EventTarget | null): boolean {
    return target instanceof Node && this.#box.contains(target);
  }

  get hasFocus(): boolean {
    return this.contains(document.activeElement);
  }

  /** Beside a word, with what is being looked for and nothing found yet. */
  open(anchor: HTMLElement, parts: readonly Part[], { canRestore, language }: { canRestore: boolean; language: string }): void {
    this.#anchor = anchor;
    anchor.setAttribute("aria-expanded", "true");
    within(this.#box, "h2", HTMLElement).textContent = say("choices.title", { word: anchor.textContent });
    within(this.#box, ".restore", HTMLElement).hidden = !canRestore;
    for (const name of ["words", "sentences"] as const) {
      const part = this.#part(name);
      part.hidden = !parts.includes(name);
      part.setAttribute("aria-busy", "true");
      within(part, "ul", HTMLElement).replaceChildren();
      within(part, "ul", HTMLElement).lang = language;
      this.#note(name, say("choices.searching"));
    }
    this.#box.hidden = false;
    this.tell(say("choices.searching"));
    this.#place();
    this.#box.focus({ preventScroll: true });
  }

  close(): void {
    this.#anchor?.setAttribute("aria-expanded", "false");
    this.#anchor = undefined;
    this.#box.hidden = true;
  }

  showWords(found: readonly Continuation[]): void {
    this.#show("words", found.map(({ word, rest, hypothesis }) => {
      const shown = word ? element("strong", "", word) : element("em", "", say("choices.end"));
      return this.#choice(hypothesis, [shown, element("span", "rest", rest)]);
    }));
  }

  /** With what is not in `said` marked. */
  showSentences(found: readonly Hypothesis[], said: Hypothesis): void {
    this.#show("sentences", found.map((hypothesis) => this.#choice(hypothesis, marked(hypothesis, said))));
  }

  showProblem(name: Part, text: string): void {
    this.#show(name, []);
    this.#note(name, text);
  }

  /** To a screen reader. */
  tell(text: string): void {
    within(this.#box, "[role=status]", HTMLElement).textContent = text;
  }

  #part(name: Part): HTMLElement {
    return within(this.#box, `.${name}`, HTMLElement);
  }

  #note(name: Part, text: string): void {
    const note = within(this.#part(name), ".note", HTMLElement);
    note.textContent = text;
    note.hidden = text === "";
  }

  #show(name: Part, choices: readonly HTMLElement[]): void {
    this.#note(name, choices.length === 0 ? say("choices.none") : "");
    this.#part(name).setAttribute("aria-busy", "false");
    within(this.#part(name), "ul", HTMLElement).replaceChildren(...choices.map((choice) => {
      const item = element("li");
      item.append(choice);
      return item;
    }));
    this.#place();
  }

  #choice(hypothesis: Hypothesis, shown: readonly (Node | string)[]): HTMLElement {
    const button = namedButton("", "", () => { this.#listener.onchoose(hypothesis); });
    button.className = "choice";
    button.dir = "auto";
    button.append(...shown);
    if (hypothesis.doubtful) {
      const note = element("small", "", say("choices.doubtful"));
      note.lang = document.documentElement.lang;
      button.append(" ", note);
    }
    return button;
  }

  #walk(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const choices = [...this.#box.querySelectorAll<HTMLElement>(".choice")];
    const stops = [...this.#box.querySelectorAll<HTMLElement>("button:not([hidden])")];
    const isTab = event.key === "Tab";
    const among = isTab ? stops : choices;
    const at = among.findIndex((one) => one === document.activeElement);
    const back = isTab ? event.shiftKey : event.key === "ArrowUp";
    const next: Readonly<Record<string, number>> = {
      Tab: step(at, among.length, back),
      ArrowDown: step(at, among.length, false),
      ArrowUp: step(at, among.length, true),
      Home: 0,
      End: among.length - 1,
    };
    const index = next[event.key];
    if (index === undefined) return;
    event.preventDefault();
    among[index]?.focus();
  }

  #place(): void {
    if (!this.#anchor) return;
    const { style } = this.#box;
    style.maxHeight = "";
    const view = { width: document.documentElement.clientWidth, height: window.innerHeight };
    const { left, top, maxHeight } = placed(this.#anchor.getBoundingClientRect(), this.#box.getBoundingClientRect(), view);
    const origin = this.#box.offsetParent?.getBoundingClientRect() ?? { left: 0, top: 0 };
    style.left = `${left - origin.left}px`;
    style.top = `${top - origin.top}px`;
    style.maxHeight = `${maxHeight}px`;
  }
}

/** The next of some in a ring; -1: none is. */
function step(at: number, count: number, back: boolean): number {
  if (at < 0) return back ? count - 1 : 0;
  return (at + (back ? count - 1 : 1)) % count;
}

/** A translation whose words that `said` does not have are marked. */
function marked(hypothesis: Hypothesis, said: Hypothesis): readonly (Node | string)[] {
  const { text, alignment } = hypothesis;
  const others = differing(wordsOf(said), wordsOf(hypothesis));
  let read = 0;
  const shown = alignment.targetWords.flatMap(([start, end], word) => {
    const between = text.slice(read, start);
    read = end;
    const said = text.slice(start, end);
    return [between, others.has(word) ? element("mark", "", said) : said];
  });
  return [...shown, text.slice(read)];
}
