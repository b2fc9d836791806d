/**
 * The list of a person's translation memories: files are taken, switched on and off, given out again, removed. It is built
 * into an empty element, in a page with whatever style; who shows it has the messages.
 */

import { readMemoryFile } from "../../memory/files.ts";
import { writeTsv } from "../../memory/tables.ts";
import type { Pair } from "../../memory/tags.ts";
import { writeTmx } from "../../memory/tmx.ts";
import type { MemoryFile, MemoryStore } from "../../stores/memory-store.ts";

export type MemoryText = "drop" | "choose" | "none" | "remove";

export interface MemoryTexts {
  readonly say: (text: MemoryText) => string;
  /** "1,000 sentences, German to English" */
  readonly facts: (file: MemoryFile) => string;
  readonly taken: (count: number) => string;
  /** What a button or a switch is about, for who does not see the row. */
  readonly removeOf: (name: string) => string;
  readonly exportOf: (name: string, kind: string) => string;
  readonly useOf: (name: string) => string;
  readonly problem: (error: unknown) => string;
}

const KINDS = { TSV: { write: writeTsv, type: "text/tab-separated-values" }, TMX: { write: writeTmx, type: "application/xml" } } as const;

export class MemoryPanel {
  readonly #store: MemoryStore;
  readonly #texts: MemoryTexts;
  readonly #pair: () => Pair | undefined;
  readonly #onchange: () => void;
  readonly #doc: Document;
  readonly #parts;

  /**
   * @param pair from what to what a file's entries are read.
   * @param onchange other entries are used now.
   */
  constructor(box: HTMLElement, store: MemoryStore, texts: MemoryTexts, pair: () => Pair | undefined, onchange: () => void) {
    this.#store = store;
    this.#texts = texts;
    this.#pair = pair;
    this.#onchange = onchange;
    this.#doc = box.ownerDocument;
    const problem = this.#add("p", "notice problem error", box);
    problem.setAttribute("role", "alert");
    const said = this.#add("p", "fine faint", box);
    said.setAttribute("role", "status");
    const list = this.#add("ul", "memories", box);
    const drop = this.#add("div", "drop", box);
    const hint = this.#add("p", "", drop);
    const choose = this.#button("plain choose", drop, () => { files.click(); });
    const files = this.#add("input", "files", drop);
    Object.assign(files, { type: "file", accept: ".tsv,.tmx,.xml,.txt", multiple: true, hidden: true });
    files.addEventListener("change", () => {
      const chosen = [...(files.files ?? [])];
      files.value = "";
      void this.take(chosen);
    });
    problem.hidden = true;
    this.#parts = { problem, said, list, hint, choose };
  }

  async show(): Promise<void> {
    const { hint, choose, list, problem } = this.#parts;
    const { say } = this.#texts;
    hint.textContent = say("drop");
    choose.textContent = say("choose");
    try {
      const files = await this.#store.list();
      list.replaceChildren();
      for (const file of files) this.#row(file);
      if (files.length === 0) this.#add("li", "none", list, say("none"));
    } catch (error) {
      problem.textContent = this.#texts.problem(error);
      problem.hidden = false;
    }
  }

  async take(files: readonly File[]): Promise<void> {
    const pair = this.#pair();
    if (!pair) return;
    await this.#change(async () => {
      let count = 0;
      for (const file of files) {
        const entries = await readMemoryFile(file, pair);
        await this.#store.add(file.name, pair, entries);
        count += entries.length;
      }
      return this.#texts.taken(count);
    });
  }

  /** Done or told why not; what is used is other then, and so is the list. */
  async #change(work: () => Promise<string>): Promise<void> {
    const { problem, said } = this.#parts;
    problem.hidden = true;
    said.textContent = "";
    try {
      said.textContent = await work();
    } catch (error) {
      problem.textContent = this.#texts.problem(error);
      problem.hidden = false;
    }
    this.#onchange();
    await this.show();
  }

  #row(file: MemoryFile): void {
    const { removeOf, useOf, facts, say } = this.#texts;
    const row = this.#add("li", "", this.#parts.list);
    const label = this.#add("label", "check", row);
    const use = this.#add("input", "", label);
    Object.assign(use, { type: "checkbox", checked: file.on });
    use.setAttribute("aria-label", useOf(file.name));
    use.addEventListener("change", () => void this.#change(async () => {
      await this.#store.switch(file.id, use.checked);
      return "";
    }));
    const text = this.#add("span", "", label);
    this.#add("span", "name", text, file.name).dir = "auto";
    this.#add("span", "facts faint", text, facts(file));
    const actions = this.#add("div", "actions", row);
    for (const kind of ["TSV", "TMX"] as const) {
      this.#button("plain", actions, () => void this.#export(file, kind), kind, this.#texts.exportOf(file.name, kind));
    }
    const remove = async (): Promise<string> => {
      await this.#store.remove(file.id);
      return "";
    };
    this.#button("plain", actions, () => void this.#change(remove), say("remove"), removeOf(file.name));
  }

  async #export(file: MemoryFile, kind: keyof typeof KINDS): Promise<void> {
    const { write, type } = KINDS[kind];
    const url = URL.createObjectURL(new Blob([write(await this.#store.entries(file.id), file)], { type }));
    const link = this.#doc.createElement("a");
    link.href = url;
    link.download = `${file.name.replace(/\.\w+$/, "")}.${kind.toLowerCase()}`;
    link.click();
    setTimeout(() => { URL.revokeObjectURL(url); }, 60_000);
  }

  #button(className: string, parent: HTMLElement, onclick: () => void, text = "", label = ""): HTMLButtonElement {
    const button = this.#add("button", className, parent, text);
    button.type = "button";
    if (label) button.setAttribute("aria-label", label);
    button.addEventListener("click", onclick);
    return button;
  }

  #add<K extends keyof HTMLElementTagNameMap>(name: K, className: string, parent: HTMLElement, text = ""): HTMLElementTagNameMap[K] {
    const made = this.#doc.createElement(name);
    made.className = className;
    made.textContent = text;
    parent.append(made);
    return made;
  }
}
