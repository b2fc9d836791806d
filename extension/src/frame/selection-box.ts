/** The translation of a selection, beside it; a word lights its counterparts when it is pointed at. */

import { Overlay, type Place } from "../../../web/src/ui/overlay.ts";
import { Voice } from "../../../web/src/ui/voice.ts";
import type { Range as TextRange, TranslationResponse } from "../../../web/src/wire/protocol.ts";
import { languageName, message } from "../api.ts";
import { errorText } from "../errors.ts";
import type { HostClient } from "../host-client.ts";
import type { Pair } from "../messages.ts";

/** Longer selections are translated, but not word by word to look at. */
const MOST_WORDS = 400;

export class SelectionBox {
  readonly #overlay: Overlay;
  readonly #ended = new AbortController();
  /** Undefined: this browser reads nothing. */
  readonly #voice = "speechSynthesis" in globalThis ? new Voice(speechSynthesis, (isReading) => { this.#showReading(isReading); }) : undefined;
  #isReading = false;
  #readButton: HTMLButtonElement | undefined;

  static open(doc: Document, engine: HostClient, pair: Pair): SelectionBox | undefined {
    const selection = doc.getSelection();
    const text = selectedText(doc, selection);
    if (!text) return undefined;
    return new SelectionBox(doc, engine, pair, text, placeOf(doc, selection));
  }

  private constructor(doc: Document, engine: HostClient, pair: Pair, text: string, place: Place) {
    const label = message("selectionTitle");
    this.#overlay = new Overlay(doc, { role: "dialog", label, language: pair.target });
    const { signal } = this.#ended;
    doc.addEventListener("keydown", (event) => { if (event.key === "Escape") this.close(); }, { signal, capture: true });
    doc.addEventListener("pointerdown", (event) => { if (!this.#overlay.contains(event)) this.close(); }, { signal, capture: true });
    this.#overlay.element("p", { text: message("translating"), className: "faint" });
    this.#overlay.moveTo(place);
    engine.translate(pair, text, signal).then(
      (response) => { this.#show(text, response, pair); this.#overlay.moveTo(place); },
      (error: unknown) => { if (!signal.aborted) this.#fail(error); },
    );
  }

  close(): void {
    if (this.#isReading) this.#voice?.stop();
    this.#ended.abort();
    this.#overlay.close();
  }

  #show(text: string, response: TranslationResponse, pair: Pair): void {
    const { alignment } = response;
    this.#overlay.box.replaceChildren();
    const target = this.#overlay.element("p");
    const source = this.#overlay.element("p", { className: "faint" });
    source.lang = pair.source;
    const few = alignment !== null && alignment.targetWords.length <= MOST_WORDS;
    const targetWords = this.#words(target, response.text, few ? alignment.targetWords : []);
    const sourceWords = this.#words(source, text, few ? alignment.sourceWords : []);
    for (const [from, to] of few ? alignment.links : []) light(sourceWords[from], targetWords[to]);
    const names = message("fromTo", languageName(pair.source), languageName(pair.target));
    this.#overlay.element("p", { text: names, className: "faint" });
    const row = this.#overlay.element("div", { className: "row" });
    const copy = this.#overlay.button(message("copy"), () => {
      void navigator.clipboard.writeText(response.text).then(() => { copy.textContent = message("copied"); });
    }, { parent: row });
    this.#offerReading(row, response.text, pair.target);
    this.#overlay.button(message("close"), () => { this.close(); }, { parent: row }).focus();
  }

  /** Where there is a voice on this machine. */
  #offerReading(row: HTMLElement, text: string, language: string): void {
    const voice = this.#voice;
    if (!voice) return;
    const button = this.#overlay.button(message("readAloud"), () => {
      if (this.#isReading) voice.stop();
      else voice.read(text, language);
    }, { parent: row });
    this.#readButton = button;
    const look = (): void => { button.hidden = !voice.canRead(language); };
    look();
    voice.onvoices(look, this.#ended.signal);
  }

  #showReading(isReading: boolean): void {
    this.#isReading = isReading;
    if (this.#readButton) this.#readButton.textContent = message(isReading ? "stopReading" : "readAloud");
  }

  /** The text with its words in elements of their own. */
  #words(parent: HTMLElement, text: string, words: readonly TextRange[]): HTMLElement[] {
    let read = 0;
    const elements = words.map(([start, end]) => {
      parent.append(text.slice(read, start));
      read = end;
      return this.#overlay.element("span", { text: text.slice(start, end), className: "word", parent });
    });
    parent.append(text.slice(read));
    return elements;
  }

  #fail(error: unknown): void {
    this.#overlay.box.replaceChildren();
    this.#overlay.element("p", { text: message("failed") });
    this.#overlay.element("p", { text: errorText(error), className: "faint" });
  }
}

/** Pointing at either lights both. */
function light(one: HTMLElement | undefined, other: HTMLElement | undefined): void {
  if (!one || !other) return;
  for (const element of [one, other]) {
    element.addEventListener("pointerenter", () => { for (const word of [one, other]) word.classList.add("lit"); });
    element.addEventListener("pointerleave", () => { for (const word of [one, other]) word.classList.remove("lit"); });
  }
}

/** In a text field, the part that is selected there. */
function selectedText(doc: Document, selection: Selection | null): string {
  const { activeElement } = doc;
  if (activeElement instanceof HTMLTextAreaElement || activeElement instanceof HTMLInputElement) {
    const { selectionStart, selectionEnd, value } = activeElement;
    if (selectionStart !== null && selectionEnd !== null && selectionEnd > selectionStart) {
      return value.slice(selectionStart, selectionEnd).trim();
    }
  }
  return selection?.toString().trim() ?? "";
}

function placeOf(doc: Document, selection: Selection | null): Place {
  const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
  const box = range?.getBoundingClientRect();
  if (box && (box.width > 0 || box.height > 0)) return box;
  return doc.activeElement?.getBoundingClientRect() ?? { left: 8, top: 8, bottom: 8 };
}
