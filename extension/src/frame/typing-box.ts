/** Beside a text field: what is typed there in another language, as it is typed; its words open what else could be there. */

import { LiveTranslation } from "../../../web/src/ui/live.ts";
import { Overlay } from "../../../web/src/ui/overlay.ts";
import { languageName, message } from "../api.ts";
import type { HostClient } from "../host-client.ts";
import type { Pair } from "../messages.ts";
import { TranslatedText } from "./translated-text.ts";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLElement;

export class TypingBox {
  readonly #overlay: Overlay;
  readonly #field: Field;
  readonly #live: LiveTranslation;
  readonly #ended = new AbortController();
  readonly #text: TranslatedText;

  static open(doc: Document, engine: HostClient, pair: Pair): TypingBox | undefined {
    const field = doc.activeElement;
    return field instanceof HTMLElement && isEditable(field) ? new TypingBox(doc, engine, pair, field) : undefined;
  }

  private constructor(doc: Document, engine: HostClient, pair: Pair, field: Field) {
    this.#field = field;
    this.#overlay = new Overlay(doc, { role: "dialog", label: message("typingTitle"), language: pair.target });
    this.#overlay.element("p", { text: message("fromTo", languageName(pair.source), languageName(pair.target)), className: "faint" });
    const output = this.#overlay.element("p", { className: "opens" });
    output.setAttribute("aria-live", "polite");
    const row = this.#overlay.element("div", { className: "row" });
    const insert = this.#overlay.button(message("insert"), () => { this.#insert(); }, { main: true, parent: row });
    insert.disabled = true;
    this.#overlay.button(message("close"), () => { this.close(); }, { parent: row });
    const { signal } = this.#ended;
    this.#text = new TranslatedText(this.#overlay, output, {
      engine,
      pair,
      signal,
      shown: () => (this.#live.state.name === "done" ? this.#live.state : undefined),
      onchange: (response) => { this.#live.revise(response); },
    });
    this.#live = new LiveTranslation(
      async (text, options) => this.#text.apply({ text, response: await engine.translate(pair, text, options.signal) }),
      (state) => {
        insert.disabled = state.name !== "done";
        if (state.name === "empty") this.#text.say(message("typingHint"));
        else if (state.name === "done") this.#text.show(state.response);
        else if (state.name === "failed") this.#text.say(message("failed"));
        else this.#text.closeChoices();
        this.#place();
      },
    );
    this.#text.say(message("typingHint"));
    field.addEventListener("input", () => { this.#update(); }, { signal });
    doc.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.#text.isOpen) this.close();
    }, { signal, capture: true });
    doc.addEventListener("scroll", () => { this.#place(); }, { signal, capture: true, passive: true });
    this.#place();
    this.#update();
  }

  close(): void {
    this.#ended.abort();
    this.#live.stop();
    this.#overlay.close();
  }

  #place(): void {
    this.#overlay.moveTo(this.#field.getBoundingClientRect());
  }

  #update(): void {
    this.#live.update(textOf(this.#field));
  }

  /** Put the translation into the field, in a way that the page hears of and the reader can undo. */
  #insert(): void {
    const { state } = this.#live;
    if (state.name !== "done") return;
    this.#field.focus();
    if (this.#field instanceof HTMLInputElement || this.#field instanceof HTMLTextAreaElement) this.#field.select();
    else this.#field.ownerDocument.getSelection()?.selectAllChildren(this.#field);
    // Deprecated, but the only way that keeps the field's history and tells frameworks.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    this.#field.ownerDocument.execCommand("insertText", false, state.response.text);
    this.close();
  }
}

const TYPED = new Set(["text", "search", "email", "url", "tel", ""]);

function isEditable(field: HTMLElement): boolean {
  if (field instanceof HTMLTextAreaElement) return true;
  if (field instanceof HTMLInputElement) return TYPED.has(field.type); // Never a password.
  return field.isContentEditable;
}

function textOf(field: Field): string {
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : field.innerText;
}
