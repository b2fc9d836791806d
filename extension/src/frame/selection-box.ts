/** The translation of a selection, beside it; a word lights its counterparts, and opens what else could be there. */

import { Overlay, type Place } from "../../../web/src/ui/overlay.ts";
import { copy } from "../../../web/src/ui/copying.ts";
import { ReadButton } from "../../../web/src/ui/read-button.ts";
import { WordLayer } from "../../../web/src/ui/words/word-layer.ts";
import type { TranslationResponse } from "../../../web/src/wire/protocol.ts";
import { languageName, message } from "../api.ts";
import { errorText } from "../errors.ts";
import type { HostClient } from "../host-client.ts";
import type { Pair } from "../messages.ts";
import { focused, selectedText } from "../page-language.ts";
import { formattedCopy, translateFormatted } from "./formatted.ts";
import { giveFocusBack } from "./focus.ts";
import { holdSelectionButton } from "./selection-button.ts";
import { Originals, TranslatedText } from "./translated-text.ts";

interface Selected {
  readonly text: string;
  readonly formatted: HTMLElement | undefined;
}

export class SelectionBox {
  readonly #overlay: Overlay;
  readonly #ended = new AbortController();
  readonly #engine: HostClient;
  readonly #pair: Pair;
  /** What had the focus before. */
  readonly #before: Element | null;
  #text: TranslatedText | undefined;
  /** Of the first translation, if what was selected has formatting. */
  #html: string | undefined;

  static open(doc: Document, engine: HostClient, pair: Pair): SelectionBox | undefined {
    const selection = doc.getSelection();
    const text = selectedText(doc);
    if (!text) return undefined;
    return new SelectionBox(doc, engine, pair, { text, formatted: formattedCopy(doc, selection) }, placeOf(doc, selection));
  }

  private constructor(doc: Document, engine: HostClient, pair: Pair, { text, formatted }: Selected, place: Place) {
    holdSelectionButton(true);
    this.#before = focused(doc);
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
      (response) => {
        this.#show(text, response, place);
        if (formatted) this.#format(formatted);
      },
      (error: unknown) => { if (!signal.aborted) this.#fail(error); },
    );
  }

  close(): void {
    this.#ended.abort();
    giveFocusBack(this.#overlay, this.#before);
    this.#overlay.close();
    holdSelectionButton(false);
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
    const copying = overlay.button(message("copy"), () => {
      // What was chosen since has no formatting.
      void copy({ text: response.text, html: response === first ? this.#html : undefined }).then(
        () => { copying.textContent = message("copied"); },
        () => { copying.textContent = message("copyRefused"); },
      );
    }, { parent: row });
    new ReadButton(overlay.button("", () => undefined, { parent: row }), {
      text: () => response.text,
      language: () => pair.target,
      say: (said) => message(said === "read" ? "readAloud" : "stopReading"),
    }, this.#ended.signal);
    show(first);
    this.#closeButton(row).focus();
  }

  /** For copying; until it is there, and if it fails, what is copied is plain. */
  #format(formatted: HTMLElement): void {
    // Beside the box, which is in the other language.
    const beside = this.#overlay.beside("");
    beside.hidden = true;
    beside.append(formatted);
    const { signal } = this.#ended;
    translateFormatted(formatted, this.#engine.forPair(this.#pair), this.#pair, signal).then(
      (html) => { this.#html = html; },
      () => undefined,
    ).finally(() => { beside.remove(); });
  }

  #fail(error: unknown): void {
    this.#overlay.box.replaceChildren();
    this.#overlay.element("p", { text: message("failed") }).setAttribute("role", "alert");
    this.#overlay.element("p", { text: errorText(error), className: "faint" }).setAttribute("role", "alert");
    this.#closeButton(this.#overlay.element("div", { className: "row" })).focus();
  }

  #closeButton(parent: HTMLElement): HTMLButtonElement {
    return this.#overlay.button(message("close"), () => { this.close(); }, { parent });
  }
}

function placeOf(doc: Document, selection: Selection | null): Place {
  const range = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : null;
  const box = range?.getBoundingClientRect();
  if (box && (box.width > 0 || box.height > 0)) return box;
  return doc.activeElement?.getBoundingClientRect() ?? { left: 8, top: 8, bottom: 8 };
}
