/** The history as a dialog: open an entry, remove one or all, switch it off. */

import { keepFocus } from "../../src/ui/memory/row-focus.ts";
import { element, namedButton, within } from "../page/dom.ts";
import { formatNumber } from "../texts/format.ts";
import { directionName, say } from "../texts/texts.ts";
import { MOST_ENTRIES, type History, type HistoryEntry } from "./history.ts";

/** Of a text, in the label of a button. */
const SHOWN = 40;

export class HistoryPanel {
  readonly #dialog: HTMLDialogElement;
  readonly #close: HTMLButtonElement;
  readonly #history: History;
  readonly #onopen: (entry: HistoryEntry) => void;

  constructor(dialog: HTMLDialogElement, history: History, onopen: (entry: HistoryEntry) => void) {
    this.#dialog = dialog;
    this.#history = history;
    this.#onopen = onopen;
    this.#close = within(dialog, ".close", HTMLButtonElement);
    this.#close.addEventListener("click", () => {
      dialog.close();
    });
    const keep = within(dialog, ".keep input", HTMLInputElement);
    keep.addEventListener("change", () => {
      history.keep(keep.checked);
      this.#list();
    });
    within(dialog, ".forget", HTMLButtonElement).addEventListener("click", () => {
      history.clear();
      this.#list();
      this.#close.focus(); // The button that had the focus is hidden.
    });
  }

  open(): void {
    this.#list();
    this.#dialog.showModal();
  }

  #list(): void {
    const { entries, isKept } = this.#history;
    within(this.#dialog, ".note", HTMLElement).textContent = say("history.note", { count: formatNumber(MOST_ENTRIES) });
    within(this.#dialog, ".keep input", HTMLInputElement).checked = isKept;
    const none = within(this.#dialog, ".none", HTMLElement);
    none.hidden = entries.length > 0;
    none.textContent = say(isKept ? "history.empty" : "history.off");
    within(this.#dialog, ".forget", HTMLElement).hidden = entries.length === 0;
    const list = within(this.#dialog, ".entries", HTMLElement);
    keepFocus(list, () => { list.replaceChildren(...entries.map((entry) => this.#row(entry))); }, this.#close);
  }

  #row(entry: HistoryEntry): HTMLElement {
    const row = element("li");
    const open = namedButton("", "", () => {
      this.#dialog.close();
      this.#onopen(entry);
    });
    open.className = "entry";
    const text = element("span", "name", entry.text);
    text.lang = entry.source;
    const translation = element("span", "facts", entry.translation);
    translation.lang = entry.target;
    text.dir = translation.dir = "auto";
    open.append(element("span", "direction", directionName(entry.source, entry.target)), text, translation);
    const short = entry.text.length > SHOWN ? `${entry.text.slice(0, SHOWN)}…` : entry.text;
    const remove = namedButton(say("history.remove"), say("history.remove-of", { text: short }), () => {
      this.#history.remove(entry);
      this.#list();
    });
    row.append(open, remove);
    return row;
  }
}
