/**
 * Shows what a translated place said before, when the pointer rests on it.
 *
 *     pointer moves --> waits --(it has rested)--> shown --> the pointer leaves, a key, scrolling: gone
 */

import { isElement } from "../dom/nodes/kinds.ts";
import { Overlay } from "./overlay.ts";
import type { PageTranslation } from "../dom/page.ts";

/** Milliseconds that a pointer rests before we take it for a question. */
const REST = 700;

export interface HoverOptions {
  /** Said to screen readers. */
  readonly label: string;
  readonly sourceLanguage: string;
  /** Said of a translation that is not shown, for it is to be doubted. */
  readonly doubtful: (translation: string) => string;
}

export class OriginalOnHover {
  readonly #page: PageTranslation;
  readonly #doc: Document;
  readonly #options: HoverOptions;
  readonly #ended = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #overlay: Overlay | undefined;
  #over: Element | undefined;

  constructor(page: PageTranslation, doc: Document, options: HoverOptions) {
    this.#page = page;
    this.#doc = doc;
    this.#options = options;
    const listening = { signal: this.#ended.signal, passive: true, capture: true };
    doc.addEventListener("pointermove", (event) => { this.#onMove(event); }, listening);
    for (const name of ["scroll", "keydown", "pointerdown", "blur"]) {
      doc.addEventListener(name, () => { this.#hide(); }, listening);
    }
  }

  stop(): void {
    this.#ended.abort();
    this.#hide();
  }

  #onMove(event: PointerEvent): void {
    if (this.#overlay?.contains(event)) return;
    const target = event.composedPath()[0] as Node | undefined;
    if (this.#overlay && target && this.#over?.contains(target)) return;
    this.#hide();
    if (event.pointerType === "touch" || event.buttons !== 0) return;
    const { clientX, clientY } = event;
    this.#timer = setTimeout(() => { this.#show(target, clientX, clientY); }, REST);
  }

  #show(target: Node | undefined, x: number, y: number): void {
    if (!target || !isElement(target)) return;
    const position = this.#doc.caretPositionFromPoint(x, y);
    const shown = this.#page.shownAt(position?.offsetNode ?? target) ?? this.#page.shownAt(target);
    if (!shown || shown.source === shown.translation || !shown.element.contains(target)) return;
    const { label, sourceLanguage, doubtful } = this.#options;
    this.#over = shown.element;
    // What is said of a kept text is in the reader's language, whichever that is, and not in the page's.
    const said = shown.isKept
      ? { text: doubtful(shown.translation), label: "", language: "" }
      : { text: shown.source, label, language: sourceLanguage };
    this.#overlay = new Overlay(this.#doc, { role: "tooltip", label: said.label, language: said.language });
    this.#overlay.element("p", { text: said.text });
    this.#overlay.moveTo({ left: x, top: y - 8, bottom: y + 12 });
  }

  #hide(): void {
    clearTimeout(this.#timer);
    this.#overlay?.close();
    this.#overlay = undefined;
    this.#over = undefined;
  }
}
