/**
 * The box beside a word: other words there, other translations of its sentence. What is asked for shows when it comes.
 *
 * It is a dialog that leaves the page alone: arrow keys go through what can be chosen, Tab stays inside. Who shows it
 * gives an empty element, in the page or in a shadow root, and the styles of `choices.css`.
 */

import { differing } from "./differences.ts";
import { wordsOf, type Hypothesis } from "./hypothesis.ts";
import { placed } from "./placing.ts";
import type { Continuation } from "./search.ts";
import type { ChoicesTexts } from "./texts.ts";

export type Part = "words" | "sentences";

const PARTS = ["words", "sentences"] as const;

export interface PopoverListener {
  readonly onchoose: (hypothesis: Hypothesis) => void;
  readonly onrestore: () => void;
  readonly onclose: () => void;
}

/** Headed, with a note while there is nothing to choose. */
interface Section {
  readonly part: HTMLElement;
  readonly heading: HTMLElement;
  readonly note: HTMLElement;
  readonly list: HTMLElement;
}

export class Popover {
  readonly #box: HTMLElement;
  readonly #listener: PopoverListener;
  readonly #texts: ChoicesTexts;
  readonly #title: HTMLElement;
  readonly #restore: HTMLButtonElement;
  readonly #close: HTMLButtonElement;
  readonly #status: HTMLElement;
  readonly #sections: Readonly<Record<Part, Section>>;
  #anchor: HTMLElement | undefined;

  /** `signal` ends its listening to the window. */
  constructor(box: HTMLElement, listener: PopoverListener, texts: ChoicesTexts, signal?: AbortSignal) {
    this.#box = box;
    this.#listener = listener;
    this.#texts = texts;
    box.classList.add("choices");
    Object.assign(box, { tabIndex: -1, hidden: true });
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-labelledby", "choices-title");
    const head = this.#add("div", "choices-head", box);
    this.#title = this.#add("h2", "", head);
    Object.assign(this.#title, { id: "choices-title", dir: "auto" });
    this.#restore = this.#button("plain restore", head, listener.onrestore);
    this.#close = this.#button("close", head, listener.onclose);
    this.#close.textContent = "×";
    this.#status = this.#add("p", "said", box);
    this.#status.setAttribute("role", "status");
    this.#sections = { words: this.#section("words"), sentences: this.#section("sentences") };
    box.addEventListener("keydown", (event) => { this.#walk(event); });
    const doc = box.ownerDocument;
    const options = signal ? { signal } : {};
    doc.defaultView?.addEventListener("resize", () => { this.#place(); }, options);
    doc.addEventListener("scroll", (event) => {
      if (event.target !== box) this.#place();
    }, { ...options, capture: true, passive: true });
  }

  contains(target: EventTarget | null): boolean {
    return target !== null && this.#box.contains(target as Node);
  }

  get hasFocus(): boolean {
    return this.#box.matches(":focus-within");
  }

  /** Beside a word, with what is being looked for and nothing found yet. */
  open(anchor: HTMLElement, parts: readonly Part[], { canRestore, language }: { canRestore: boolean; language: string }): void {
    const { say, title } = this.#texts;
    this.#anchor = anchor;
    anchor.setAttribute("aria-expanded", "true");
    this.#box.lang = this.#texts.language();
    this.#title.textContent = title(anchor.textContent);
    this.#restore.textContent = say("restore");
    this.#restore.hidden = !canRestore;
    this.#close.setAttribute("aria-label", say("close"));
    for (const name of PARTS) {
      const { part, heading, list } = this.#sections[name];
      part.hidden = !parts.includes(name);
      part.setAttribute("aria-busy", "true");
      heading.textContent = say(name);
      list.replaceChildren();
      list.lang = language;
      this.#note(name, say("searching"));
    }
    this.#box.hidden = false;
    this.tell(say("searching"));
    this.#place();
    this.#box.focus({ preventScroll: true });
  }

  close(): void {
    this.#anchor?.setAttribute("aria-expanded", "false");
    this.#anchor = undefined;
    this.#box.hidden = true;
  }

  showWords(continuations: readonly Continuation[]): void {
    this.#show("words", continuations, ({ word, rest, hypothesis }, button) => {
      if (word) this.#add("strong", "", button, word);
      else this.#add("em", "", button, this.#texts.say("end")).lang = this.#texts.language();
      this.#add("span", "rest", button, rest);
      return hypothesis;
    });
  }

  /** With what is not in `said` marked. */
  showSentences(hypotheses: readonly Hypothesis[], said: Hypothesis): void {
    this.#show("sentences", hypotheses, (hypothesis, button) => {
      this.#mark(button, hypothesis, said);
      return hypothesis;
    });
  }

  showProblem(name: Part, text: string): void {
    this.#show(name, [], () => undefined);
    this.#note(name, text);
  }

  /** To a screen reader. */
  tell(text: string): void {
    this.#status.textContent = text;
  }

  #add<K extends keyof HTMLElementTagNameMap>(name: K, className: string, parent: HTMLElement, text = ""): HTMLElementTagNameMap[K] {
    const made = this.#box.ownerDocument.createElement(name);
    made.className = className;
    made.textContent = text;
    parent.append(made);
    return made;
  }

  #button(className: string, parent: HTMLElement, onclick: () => void): HTMLButtonElement {
    const button = this.#add("button", className, parent);
    button.type = "button";
    button.addEventListener("click", onclick);
    return button;
  }

  #section(name: Part): Section {
    const part = this.#add("section", name, this.#box);
    const heading = this.#add("h3", "", part);
    heading.id = `choices-${name}`;
    const note = this.#add("p", "note", part);
    const list = this.#add("ul", "", part);
    for (const named of [part, list]) named.setAttribute("aria-labelledby", heading.id);
    return { part, heading, note, list };
  }

  #note(name: Part, text: string): void {
    const { note } = this.#sections[name];
    note.textContent = text;
    note.hidden = text === "";
  }

  /** A button each; `fill` shows what it is in the button, and says what is chosen with it. */
  #show<T>(name: Part, choices: readonly T[], fill: (one: T, button: HTMLElement) => Hypothesis | undefined): void {
    const { part, list } = this.#sections[name];
    this.#note(name, choices.length === 0 ? this.#texts.say("none") : "");
    part.setAttribute("aria-busy", "false");
    list.replaceChildren();
    for (const one of choices) {
      const button = this.#button("choice", this.#add("li", "", list), () => {
        if (hypothesis) this.#listener.onchoose(hypothesis);
      });
      button.dir = "auto";
      const hypothesis = fill(one, button);
      if (hypothesis) this.#remark(button, hypothesis);
    }
    this.#place();
  }

  /** In the reader's language, after what is in another one. */
  #remark(button: HTMLElement, { doubtful, fromMemory, memorySource, score }: Hypothesis): void {
    const { say, alike, language } = this.#texts;
    const add = (className: string, text: string): void => {
      button.append(" ");
      this.#add("small", className, button, text).lang = language();
    };
    if (memorySource !== undefined) add("remembered", alike(memorySource, score));
    else if (fromMemory) add("remembered", say("remembered"));
    else if (doubtful) add("", say("doubtful"));
  }

  /** A translation whose words that `said` does not have are marked. */
  #mark(button: HTMLElement, hypothesis: Hypothesis, said: Hypothesis): void {
    const { text, alignment } = hypothesis;
    const others = differing(wordsOf(said), wordsOf(hypothesis));
    let read = 0;
    alignment.targetWords.forEach(([start, end], word) => {
      button.append(text.slice(read, start));
      read = end;
      const shown = text.slice(start, end);
      if (others.has(word)) this.#add("mark", "", button, shown);
      else button.append(shown);
    });
    button.append(text.slice(read));
  }

  #walk(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const choices = [...this.#box.querySelectorAll<HTMLElement>(".choice")];
    const stops = [...this.#box.querySelectorAll<HTMLElement>("button:not([hidden])")];
    const isTab = event.key === "Tab";
    const among = isTab ? stops : choices;
    const at = among.findIndex((one) => one === event.target);
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
    const { documentElement, defaultView } = this.#box.ownerDocument;
    const view = { width: documentElement.clientWidth, height: defaultView?.innerHeight ?? 0 };
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
