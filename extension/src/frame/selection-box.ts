/** The translation of a selection, beside it; a word lights its counterparts, and opens what else could be there. */

import { Overlay, type Place } from "../../../web/src/ui/overlay.ts";
import { Voice } from "../../../web/src/ui/voice.ts";
import { WordLayer } from "../../../web/src/ui/words/word-layer.ts";
import type { TranslationResponse } from "../../../web/src/wire/protocol.ts";
import { languageName, message } from "../api.ts";
import { errorText } from "../errors.ts";
import type { HostClient } from "../host-client.ts";
import type { Pair } from "../messages.ts";
import { Originals, TranslatedText } from "./translated-text.ts";

export class SelectionBox {
  readonly #overlay: Overlay;
  readonly #ended = new AbortController();
  /** Undefined: this browser reads nothing. */
  readonly #voice = "speechSynthesis" in globalThis ? new Voice(speechSynthesis, (isReading) => { this.#showReading(isReading); }) : undefined;
  #isReading = false;
  #readButton: HTMLButtonElement | undefined;
  readonly #engine: HostClient;
  readonly #pair: Pair;
  #text: TranslatedText | undefined;

  static open(doc: Document, engine: HostClient, pair: Pair): SelectionBox | undefined {
    const selection = doc.getSelection();
    const text = selectedText(doc, selection);
    if (!text) return undefined;
    return new SelectionBox(doc, engine, pair, text, placeOf(doc, selection));
  }

  private constructor(doc: Document, engine: HostClient, pair: Pair, text: string, place: Place) {
    this.#engine = engine;
    this.#pair = pair;
    const label = message("selectionTitle");
    this.#overlay = new Overlay(doc, { role: "dialog", label, language: pair.target });
    const { signal } = this.#ended;
    doc.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.#text?.isOpen) this.close();
    }, { signal, capture: true });
    doc.addEventListener("pointerdown", (event) => { if (!this.#overlay.contains(event)) this.close(); }, { signal, capture: true });
    this.#overlay.element("p", { text: message("translating"), className: "faint" });
    this.#overlay.moveTo(place);
    engine.translate(pair, text, signal).then(
      (response) => { this.#show(text, response, place); },
      (error: unknown) => { if (!signal.aborted) this.#fail(error); },
    );
  }

  close(): void {
    if (this.#isReading) this.#voice?.stop();
    this.#ended.abort();
    this.#overlay.close();
  }

  #show(source: string, first: TranslationResponse, place: Place): void {
    const [overlay, pair] = [this.#overlay, this.#pair];
    let response = first;
    overlay.box.replaceChildren();
    const target = overlay.element("p", { className: "opens" });
    const original = overlay.element("p", { className: "faint" });
    original.lang = pair.source;
    const said = overlay.element("p", { className: "said" });
    said.setAttribute("role", "status");
    const text = new TranslatedText(overlay, target, {
      engine: this.#engine,
      pair,
      signal: this.#ended.signal,
      shown: () => ({ text: source, response }),
      onchange(changed, what) {
        show(changed);
        said.textContent = what;
      },
    });
    this.#text = text;
    const originals = new Originals(new WordLayer(original), text.layer);
    const show = (changed: TranslationResponse): void => {
      response = changed;
      text.show(response);
      originals.show(source, response);
      overlay.moveTo(place);
    };
    const names = message("fromTo", languageName(pair.source), languageName(pair.target));
    overlay.element("p", { text: names, className: "faint" });
    const row = overlay.element("div", { className: "row" });
    const copy = overlay.button(message("copy"), () => {
      void navigator.clipboard.writeText(response.text).then(() => { copy.textContent = message("copied"); });
    }, { parent: row });
    this.#offerReading(row, () => response.text, pair.target);
    const close = overlay.button(message("close"), () => { this.close(); }, { parent: row });
    show(first);
    close.focus();
  }

  /** Where there is a voice on this machine. */
  #offerReading(row: HTMLElement, text: () => string, language: string): void {
    const voice = this.#voice;
    if (!voice) return;
    const button = this.#overlay.button(message("readAloud"), () => {
      if (this.#isReading) voice.stop();
      else voice.read(text(), language);
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

  #fail(error: unknown): void {
    this.#overlay.box.replaceChildren();
    this.#overlay.element("p", { text: message("failed") });
    this.#overlay.element("p", { text: errorText(error), className: "faint" });
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
