/** Translation memories as a dialog, and what a translation is made with of them. */

import type { Pair } from "../src/memory/tags.ts";
import type { MemoryStore } from "../src/stores/memory-store.ts";
import { MemoryPanel } from "../src/ui/memory/memory-panel.ts";
import { within } from "./page/dom.ts";
import { errorMessage } from "./texts/errors.ts";
import { directionName, plural, say } from "./texts/texts.ts";

export class MemoryDialog {
  readonly #dialog: HTMLDialogElement;
  readonly #panel: MemoryPanel;

  /** @param onchange other sentences are remembered now. */
  constructor(dialog: HTMLDialogElement, store: MemoryStore, pair: () => Pair | undefined, onchange: () => void) {
    this.#dialog = dialog;
    within(dialog, ".close", HTMLButtonElement).addEventListener("click", () => { dialog.close(); });
    this.#panel = new MemoryPanel(within(dialog, ".panel-of-memories", HTMLElement), store, {
      say: (text) => say(`memory.${text}`),
      facts: ({ count, source, target }) =>
        say("memory.facts", { sentences: plural(count, "sentence"), direction: directionName(source, target) }),
      taken: (count) => say("memory.taken", { sentences: plural(count, "sentence") }),
      removeOf: (name) => say("memory.remove-of", { name }),
      exportOf: (name, kind) => say("memory.export-of", { name, kind }),
      useOf: (name) => say("memory.use-of", { name }),
      problem: (error) => {
        const { title, advice } = errorMessage(error);
        return `${title}. ${advice}`;
      },
    }, pair, onchange);
  }

  get isOpen(): boolean {
    return this.#dialog.open;
  }

  open(): void {
    if (!this.#dialog.open) this.#dialog.showModal();
    void this.#panel.show();
  }

  async take(files: readonly File[]): Promise<void> {
    this.open();
    await this.#panel.take(files);
  }
}
