/**
 * A person's own terms of a direction, everywhere or on one site: added, edited, deleted, taken from files and given out
 * again. It is built into an empty element, in a page with whatever style; who shows it has the messages.
 */

import { readGlossaryFile, writeTerms } from "../../glossary/files.ts";
import { termOf, termText } from "../../glossary/terms.ts";
import type { Pair } from "../../memory/tags.ts";
import type { GlossaryStore, KeptTerm } from "../../stores/glossary-store.ts";
import { PanelParts } from "../panel/panel-parts.ts";

export type GlossaryText =
  | "drop" | "choose" | "none" | "remove" | "edit" | "add" | "save" | "cancel" | "leave" | "left" | "export" | "find" | "added" | "saved" | "removed";

export interface GlossaryTexts {
  readonly say: (text: GlossaryText) => string;
  /** "Word in German": of a field. */
  readonly field: (side: "source" | "target", language: string) => string;
  readonly taken: (count: number) => string;
  /** "20 more: find them above" */
  readonly more: (count: number) => string;
  /** What a button is about, for who does not see the row. */
  readonly editOf: (source: string) => string;
  readonly removeOf: (source: string) => string;
  readonly problem: (error: unknown) => string;
}

/** Where terms hold that are shown and added. */
export interface TermPlace extends Pair {
  /** A host, or `EVERYWHERE`. */
  readonly site: string;
}

/** Rows that are shown at a time; and from how many terms on there is a field to find one. */
const MOST_ROWS = 100;
const MANY = 10;

export class GlossaryPanel {
  readonly #store: GlossaryStore;
  readonly #texts: GlossaryTexts;
  readonly #place: () => TermPlace | undefined;
  readonly #onchange: () => void;
  readonly #parts: PanelParts;
  readonly #form: TermForm;
  readonly #find: HTMLInputElement;
  readonly #export: HTMLButtonElement;
  #terms: readonly KeptTerm[] = [];

  /** @param onchange other terms are used now. */
  constructor(box: HTMLElement, store: GlossaryStore, texts: GlossaryTexts, place: () => TermPlace | undefined, onchange: () => void) {
    this.#store = store;
    this.#texts = texts;
    this.#place = place;
    this.#onchange = onchange;
    this.#parts = new PanelParts(box, {
      list: "terms",
      accept: ".tsv,.tbx,.xml,.txt",
      onfiles: (files) => void this.take(files),
      problem: texts.problem,
    });
    const { list, drop } = this.#parts;
    this.#form = new TermForm(this.#parts, box, texts.say, () => void this.#submit());
    this.#find = this.#parts.add("input", "find", box);
    this.#find.type = "search";
    this.#find.addEventListener("input", () => { this.#rows(); });
    list.before(this.#form.element, this.#find);
    this.#export = this.#parts.button("plain export", drop, () => { this.#give(); });
  }

  /** What there is where terms are shown for now. */
  async show(): Promise<void> {
    const { say, field } = this.#texts;
    const place = this.#place();
    this.#parts.tell(say("drop"), say("choose"));
    this.#export.textContent = say("export");
    this.#find.placeholder = this.#find.ariaLabel = say("find");
    this.#form.element.hidden = place === undefined;
    if (!place) {
      this.#find.hidden = this.#export.hidden = true;
      return;
    }
    this.#form.tell(place, field);
    try {
      const all = await this.#store.list(place);
      this.#terms = all.filter(({ site }) => site === place.site)
        .sort((one, other) => one.term.source.localeCompare(other.term.source, place.source));
      this.#rows();
    } catch (error) {
      this.#parts.fail(error);
    }
  }

  async take(files: readonly File[]): Promise<void> {
    const place = this.#place();
    if (!place) return;
    await this.#change(async () => {
      let count = 0;
      for (const file of files) {
        const terms = await readGlossaryFile(file, place);
        await this.#store.add(place, place.site, terms);
        count += terms.length;
      }
      return this.#texts.taken(count);
    });
  }

  async #submit(): Promise<void> {
    const place = this.#place();
    if (!place) return;
    const { term, edited } = this.#form;
    const isDone = await this.#change(async () => {
      await this.#store.add(place, place.site, [term], edited);
      return `${termText(term)}: ${this.#texts.say(edited === undefined ? "added" : "saved")}`;
    });
    if (isDone) this.#form.clear();
    this.#form.focus();
  }

  async #remove({ id, term }: KeptTerm): Promise<void> {
    await this.#change(async () => {
      await this.#store.remove(id);
      return `${termText(term)}: ${this.#texts.say("removed")}`;
    });
    if (this.#form.edited === id) this.#form.clear();
    this.#form.focus(); // The button that had the focus is gone.
  }

  /** Done or told why not. @returns whether it was done. */
  async #change(work: () => Promise<string>): Promise<boolean> {
    const isDone = await this.#parts.attempt(work);
    this.#onchange(); // Of several files the first may have been taken.
    await this.show();
    return isDone;
  }

  #rows(): void {
    const { list } = this.#parts;
    const { say, more } = this.#texts;
    this.#find.hidden = this.#terms.length <= MANY;
    this.#export.hidden = this.#terms.length === 0;
    const wanted = this.#find.hidden ? "" : this.#find.value.trim().toLowerCase();
    const found = this.#terms.filter(({ term }) => termText(term).toLowerCase().includes(wanted));
    list.replaceChildren();
    for (const kept of found.slice(0, MOST_ROWS)) this.#row(kept);
    if (this.#terms.length === 0) this.#parts.add("li", "none", list, say("none"));
    if (found.length > MOST_ROWS) this.#parts.add("li", "none", list, more(found.length - MOST_ROWS));
  }

  #row(kept: KeptTerm): void {
    const { say, editOf, removeOf } = this.#texts;
    const parts = this.#parts;
    const { source, target } = kept.term;
    const row = parts.add("li", "", parts.list);
    const text = parts.add("span", "", row);
    parts.add("span", "name", text, termText(kept.term)).dir = "auto";
    if (target == null) parts.add("span", "facts faint", text, say("left"));
    const actions = parts.add("div", "actions", row);
    parts.button("plain", actions, () => { this.#form.edit(kept); }, say("edit"), editOf(source));
    parts.button("plain", actions, () => void this.#remove(kept), say("remove"), removeOf(source));
  }

  #give(): void {
    const place = this.#place();
    if (!place) return;
    const name = [`${place.source}-${place.target}`, place.site].filter(Boolean).join("-");
    this.#parts.save(`${name}.tsv`, writeTerms(this.#terms.map(({ term }) => term)), "text/tab-separated-values");
  }
}

/** A term that is added or edited. */
class TermForm {
  readonly element: HTMLFormElement;
  readonly #source: Field;
  readonly #target: Field;
  readonly #leave: HTMLInputElement;
  readonly #leaveText: HTMLElement;
  readonly #add: HTMLButtonElement;
  readonly #cancel: HTMLButtonElement;
  readonly #say: GlossaryTexts["say"];
  #edited: number | undefined;
  /** What is edited belongs there. */
  #place = "";

  constructor(parts: PanelParts, box: HTMLElement, say: GlossaryTexts["say"], onsubmit: () => void) {
    this.#say = say;
    this.element = parts.add("form", "term", box);
    this.#source = fieldOf(parts, this.element);
    this.#target = fieldOf(parts, this.element);
    const label = parts.add("label", "check", this.element);
    this.#leave = parts.add("input", "", label);
    this.#leave.type = "checkbox";
    this.#leaveText = parts.add("span", "", label);
    const actions = parts.add("div", "actions", this.element);
    this.#add = parts.button("plain add", actions, () => undefined);
    this.#add.type = "submit";
    this.#cancel = parts.button("plain", actions, () => {
      this.clear();
      this.focus();
    });
    this.#leave.addEventListener("change", () => { this.#show(); });
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      onsubmit();
    });
    this.#source.input.required = true;
    this.#cancel.hidden = true; // Words come with the place: the page may speak another language by then.
  }

  /** What has its place taken when it is added. */
  get edited(): number | undefined {
    return this.#edited;
  }

  get term(): KeptTerm["term"] {
    return termOf(this.#source.input.value, this.#leave.checked ? "" : this.#target.input.value);
  }

  tell(place: TermPlace, field: GlossaryTexts["field"]): void {
    const { source, target, site } = place;
    const key = `${source} ${target} ${site}`;
    if (this.#place !== key && this.#edited !== undefined) this.clear();
    this.#place = key;
    this.#source.text.textContent = field("source", source);
    this.#target.text.textContent = field("target", target);
    this.#source.input.lang = source;
    this.#target.input.lang = target;
    this.#leaveText.textContent = this.#say("leave");
    this.#cancel.textContent = this.#say("cancel");
    this.#show();
  }

  edit({ id, term }: KeptTerm): void {
    this.#edited = id;
    this.#source.input.value = term.source;
    this.#target.input.value = term.target ?? "";
    this.#leave.checked = term.target == null;
    this.#show();
    this.focus();
  }

  clear(): void {
    this.#edited = undefined;
    this.#source.input.value = this.#target.input.value = "";
    this.#leave.checked = false;
    this.#show();
  }

  focus(): void {
    this.#source.input.focus();
  }

  /** A term without a translation stays as it is only where that is said: it may have been forgotten. */
  #show(): void {
    this.#target.input.disabled = this.#leave.checked;
    this.#target.input.required = !this.#leave.checked;
    this.#cancel.hidden = this.#edited === undefined;
    this.#add.textContent = this.#say(this.#edited === undefined ? "add" : "save");
  }
}

interface Field {
  readonly text: HTMLElement;
  readonly input: HTMLInputElement;
}

function fieldOf(parts: PanelParts, form: HTMLElement): Field {
  const label = parts.add("label", "field", form);
  const text = parts.add("span", "", label);
  const input = parts.add("input", "", label);
  Object.assign(input, { type: "text", dir: "auto", autocomplete: "off", spellcheck: false });
  return { text, input };
}
