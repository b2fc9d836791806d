/** What a person has brought: translation memories and a glossary, each in a dialog, and what of them a translation is made with. */

import type { LanguagePair } from "../src/api/models.ts";
import { termText } from "../src/glossary/terms.ts";
import type { Pair } from "../src/memory/tags.ts";
import { EVERYWHERE, GlossaryStore } from "../src/stores/glossary-store.ts";
import { MemoryStore } from "../src/stores/memory-store.ts";
import { GlossaryPanel } from "../src/ui/glossary/glossary-panel.ts";
import { MemoryPanel } from "../src/ui/memory/memory-panel.ts";
import type { MarkTexts } from "../src/ui/words/words.ts";
import type { Known } from "./engine/page-translator.ts";
import { PanelDialog } from "./panel-dialog.ts";
import { errorMessage } from "./texts/errors.ts";
import { formatNumber } from "./texts/format.ts";
import { directionName, languageName, plural, say } from "./texts/texts.ts";

export const markTexts = (): MarkTexts => ({
  remembered: say("choices.remembered"),
  term: (term) => say("glossary.used", { term: termText(term) }),
});

export interface OwnFilesElements {
  readonly memory: HTMLDialogElement;
  readonly openMemory: HTMLButtonElement;
  readonly glossary: HTMLDialogElement;
  readonly openGlossary: HTMLButtonElement;
}

export class OwnFiles {
  readonly memory: PanelDialog;
  readonly glossary: PanelDialog;
  readonly #memories = new MemoryStore();
  readonly #terms = new GlossaryStore();

  /** @param onchange other sentences or terms are used now. */
  constructor(elements: OwnFilesElements, pair: () => Pair | undefined, onchange: () => void) {
    const isKnown = (): boolean => pair() !== undefined;
    this.memory = new PanelDialog(elements.memory, isKnown, (box) => new MemoryPanel(box, this.#memories, {
      say: (text) => say(`memory.${text}`),
      facts: ({ count, source, target }) =>
        say("memory.facts", { sentences: plural(count, "sentence"), direction: directionName(source, target) }),
      taken: (count) => say("memory.taken", { sentences: plural(count, "sentence") }),
      removeOf: (name) => say("memory.remove-of", { name }),
      exportOf: (name, kind) => say("memory.export-of", { name, kind }),
      useOf: (name) => say("memory.use-of", { name }),
      problem,
    }, pair, onchange));
    const place = () => {
      const chosen = pair();
      return chosen && { source: chosen.source, target: chosen.target, site: EVERYWHERE };
    };
    this.glossary = new PanelDialog(elements.glossary, isKnown, (box) => new GlossaryPanel(box, this.#terms, {
      say: (text) => say(`glossary.${text}`),
      field: (side, language) => say(`glossary.${side}`, { language: languageName(language) }),
      taken: (count) => say("glossary.taken", { terms: plural(count, "term") }),
      more: (count) => say("glossary.more", { count: formatNumber(count) }),
      editOf: (term) => say("glossary.edit-of", { term }),
      removeOf: (term) => say("glossary.remove-of", { term }),
      problem,
    }, place, onchange));
    elements.openMemory.addEventListener("click", () => { this.memory.open(); });
    elements.openGlossary.addEventListener("click", () => { this.glossary.open(); });
  }

  /** Whose dialog is open. */
  get open(): "memories" | "terms" | undefined {
    if (this.memory.isOpen) return "memories";
    return this.glossary.isOpen ? "terms" : undefined;
  }

  /** There are languages to choose from now. */
  ready(): void {
    void this.memory.known();
    void this.glossary.known();
  }

  /** What a direction is translated with. Without what a browser lets a page keep, there is nothing. */
  async known({ sourceLanguage, targetLanguage }: LanguagePair): Promise<Known> {
    const pair = { source: sourceLanguage, target: targetLanguage };
    const [memory, glossary] = await Promise.all([
      this.#memories.of(pair).catch(() => []),
      this.#terms.of(pair).catch(() => []),
    ]);
    return { memory, glossary };
  }
}

function problem(error: unknown): string {
  if (error instanceof DOMException) return say("error.keeping"); // Of the browser's database: site data are blocked.
  const { title, advice } = errorMessage(error);
  return `${title}. ${advice}`;
}
