/** Beside a text field: what is typed there in another language, as it is typed; its words open what else could be there. */

import type { Detection } from "../../../web/src/detection/detector.ts";
import { languageDoubt, type LanguageDoubt } from "../../../web/src/ui/language-notice.ts";
import { LiveTranslation } from "../../../web/src/ui/live.ts";
import { Overlay } from "../../../web/src/ui/overlay.ts";
import { languageName, message } from "../api.ts";
import type { HostClient } from "../host-client.ts";
import type { Pair } from "../messages.ts";
import { focused } from "../page-language.ts";
import { giveFocusBack } from "./focus.ts";
import { TranslatedText } from "./translated-text.ts";

/** The language of a text, as far as it can be told. */
export type Detect = (text: string) => Promise<Detection>;

/** What was typed is surely in another language than it would be translated from. */
class OtherLanguageError extends Error {
  override readonly name = "OtherLanguageError";
  readonly language: string;

  constructor(language: string) {
    super("the text is in another language");
    this.language = language;
  }
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLElement;

export class TypingBox {
  readonly #overlay: Overlay;
  readonly #field: Field;
  readonly #live: LiveTranslation;
  readonly #ended = new AbortController();
  readonly #text: TranslatedText;
  readonly #pair: Pair;
  readonly #detect: Detect;
  readonly #notice: HTMLElement;
  readonly #anyway: HTMLButtonElement;
  /** The language that is not asked about any more. */
  #accepted: string | undefined;
  #isNotSure = false;

  static open(doc: Document, engine: HostClient, pair: Pair, detect: Detect): TypingBox | undefined {
    const field = focused(doc);
    return field instanceof HTMLElement && isEditable(field) ? new TypingBox(doc, engine, pair, field, detect) : undefined;
  }

  private constructor(doc: Document, engine: HostClient, pair: Pair, field: Field, detect: Detect) {
    [this.#field, this.#pair, this.#detect] = [field, pair, detect];
    this.#overlay = new Overlay(doc, { role: "dialog", label: message("typingTitle"), language: pair.target });
    this.#overlay.element("p", { text: message("fromTo", languageName(pair.source), languageName(pair.target)), className: "faint" });
    const output = this.#overlay.element("p", { className: "opens" });
    output.setAttribute("aria-live", "polite");
    this.#notice = this.#overlay.element("p", { className: "faint" });
    this.#notice.setAttribute("role", "status");
    const row = this.#overlay.element("div", { className: "row" });
    const insert = this.#overlay.button(message("insert"), () => { this.#insert(); }, { main: true, parent: row });
    insert.disabled = true;
    this.#anyway = this.#overlay.button(message("typingAnyway"), () => { this.#translateAnyway(); }, { parent: row });
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
      async (text, options) => {
        await this.#look(text);
        return this.#text.apply({ text, response: await engine.translate(pair, text, options.signal) });
      },
      (state) => {
        insert.disabled = state.name !== "done";
        if (state.name === "empty") this.#text.say(message("typingHint"));
        else if (state.name === "done") this.#text.show(state.response);
        else if (state.name === "failed") this.#text.say(state.error instanceof OtherLanguageError ? "" : message("failed"));
        else this.#text.closeChoices();
        if (state.name !== "waiting" && state.name !== "translating") this.#tell(state.name === "failed" ? state.error : undefined);
        this.#place();
      },
    );
    this.#text.say(message("typingHint"));
    this.#tell(undefined);
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
    giveFocusBack(this.#overlay, this.#field);
    this.#overlay.close();
  }

  #place(): void {
    this.#overlay.moveTo(this.#field.getBoundingClientRect());
  }

  #update(): void {
    this.#live.update(textOf(this.#field));
  }

  /** @throws OtherLanguageError where the text is not to be translated unasked. */
  async #look(text: string): Promise<void> {
    const { source, target } = this.#pair;
    // Without its table nothing is known of languages: what is typed is translated as it was asked for.
    const doubt = await this.#detect(text).then(
      (found) => languageDoubt(text, found, source, [source, target]),
      (): LanguageDoubt => ({ name: "none" }),
    );
    this.#isNotSure = doubt.name === "not-sure";
    if (doubt.name !== "none" && doubt.name !== "not-sure" && doubt.language !== this.#accepted) throw new OtherLanguageError(doubt.language);
  }

  /** What there is to say of the text's language. */
  #tell(error: unknown): void {
    const other = error instanceof OtherLanguageError ? error.language : undefined;
    const name = languageName(this.#pair.source);
    const isNotSure = this.#isNotSure && this.#live.state.name === "done";
    this.#notice.textContent = other ? message("typingOther", languageName(other), name) : isNotSure ? message("typingNotSure", name) : "";
    this.#notice.hidden = !this.#notice.textContent;
    this.#anyway.hidden = !other;
  }

  #translateAnyway(): void {
    const { state } = this.#live;
    if (state.name !== "failed" || !(state.error instanceof OtherLanguageError)) return;
    this.#accepted = state.error.language;
    void this.#live.now(state.text);
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
