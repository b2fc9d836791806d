/**
 * The list of a person's translation memories: files are taken, switched on and off, given out again, removed. It is built
 * into an empty element, in a page with whatever style; who shows it has the messages.
 */

import { readMemoryFile } from "../../memory/files.ts";
import { writeTsv } from "../../memory/tables.ts";
import type { Pair } from "../../memory/tags.ts";
import { writeTmx } from "../../memory/tmx.ts";
import type { MemoryFile, MemoryStore } from "../../stores/memory-store.ts";
import { PanelParts } from "../panel/panel-parts.ts";
import { keepFocus } from "./row-focus.ts";

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
  readonly #parts: PanelParts;

  /**
   * @param pair from what to what a file's entries are read.
   * @param onchange other entries are used now.
   */
  constructor(box: HTMLElement, store: MemoryStore, texts: MemoryTexts, pair: () => Pair | undefined, onchange: () => void) {
    this.#store = store;
    this.#texts = texts;
    this.#pair = pair;
    this.#onchange = onchange;
    this.#parts = new PanelParts(box, {
      list: "memories",
      accept: ".tsv,.tmx,.xml,.txt",
      onfiles: (files) => void this.take(files),
      problem: texts.problem,
    });
  }

  async show(): Promise<void> {
    const { list, drop } = this.#parts;
    const { say } = this.#texts;
    this.#parts.tell(say("drop"), say("choose"));
    try {
      const files = await this.#store.list();
      // It may be in no dialog: then what is next is to bring another file.
      const otherwise = list.closest("dialog")?.querySelector<HTMLElement>(".close") ?? drop.querySelector("button");
      keepFocus(list, () => { this.#rows(files); }, otherwise);
    } catch (error) {
      this.#parts.fail(error);
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
    await this.#parts.attempt(work);
    this.#onchange();
    await this.show();
  }

  #rows(files: readonly MemoryFile[]): void {
    const { list } = this.#parts;
    list.replaceChildren();
    for (const file of files) this.#row(file);
    if (files.length === 0) this.#parts.add("li", "none", list, this.#texts.say("none"));
  }

  #row(file: MemoryFile): void {
    const { removeOf, useOf, facts, say } = this.#texts;
    const parts = this.#parts;
    const row = parts.add("li", "", parts.list);
    row.dataset["key"] = String(file.id);
    const label = parts.add("label", "check", row);
    const use = parts.add("input", "", label);
    Object.assign(use, { type: "checkbox", checked: file.on });
    use.setAttribute("aria-label", useOf(file.name));
    use.addEventListener("change", () => void this.#change(async () => {
      await this.#store.switch(file.id, use.checked);
      return "";
    }));
    const text = parts.add("span", "", label);
    parts.add("span", "name", text, file.name).dir = "auto";
    parts.add("span", "facts faint", text, facts(file));
    const actions = parts.add("div", "actions", row);
    for (const kind of ["TSV", "TMX"] as const) {
      parts.button("plain", actions, () => void this.#export(file, kind), kind, this.#texts.exportOf(file.name, kind));
    }
    const remove = async (): Promise<string> => {
      await this.#store.remove(file.id);
      return "";
    };
    parts.button("plain", actions, () => void this.#change(remove), say("remove"), removeOf(file.name));
  }

  async #export(file: MemoryFile, kind: keyof typeof KINDS): Promise<void> {
    const { write, type } = KINDS[kind];
    const name = `${file.name.replace(/\.\w+$/, "")}.${kind.toLowerCase()}`;
    this.#parts.save(name, write(await this.#store.entries(file.id), file), type);
  }
}
