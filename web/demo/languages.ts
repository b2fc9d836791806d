/** The choice of languages, from the models that the site has. */

import { findModel, type ModelEntry } from "../src/stores/models.ts";
import { languageName } from "./format.ts";

export interface LanguageElements {
  readonly source: HTMLSelectElement;
  readonly target: HTMLSelectElement;
  readonly swap: HTMLButtonElement;
}

export class Languages {
  readonly #elements: LanguageElements;
  readonly #models: readonly ModelEntry[];

  constructor(elements: LanguageElements, models: readonly ModelEntry[], onchange: () => void) {
    this.#elements = elements;
    this.#models = models;
    const { source, target, swap } = elements;
    setOptions(source, unique(models.map((model) => model.source)));
    this.#listTargets();
    source.addEventListener("change", () => {
      this.#listTargets();
      onchange();
    });
    target.addEventListener("change", () => {
      this.#describeSwap();
      onchange();
    });
    swap.addEventListener("click", () => {
      if (!this.#reverse()) return;
      const { source: from, target: to } = this;
      source.value = to;
      this.#listTargets();
      target.value = from;
      this.#describeSwap();
      onchange();
    });
  }

  get source(): string {
    return this.#elements.source.value;
  }

  get target(): string {
    return this.#elements.target.value;
  }

  get model(): ModelEntry | undefined {
    return findModel(this.#models, this.source, this.target);
  }

  #reverse(): ModelEntry | undefined {
    return findModel(this.#models, this.target, this.source);
  }

  #listTargets(): void {
    const here = this.#models.filter((model) => model.source === this.source);
    setOptions(this.#elements.target, unique(here.map((model) => model.target)));
    this.#describeSwap();
  }

  #describeSwap(): void {
    const { swap } = this.#elements;
    const possible = this.#reverse() !== undefined;
    const pair = `${languageName(this.target)} to ${languageName(this.source)}`;
    // Not `disabled`: the reason must be reachable for keyboard and screen reader.
    swap.setAttribute("aria-disabled", String(!possible));
    swap.title = possible ? `Swap languages: ${pair}` : `There is no model for ${pair} yet`;
    swap.setAttribute("aria-label", swap.title);
  }
}

function setOptions(select: HTMLSelectElement, codes: readonly string[]): void {
  select.replaceChildren(...codes.map((code) => new Option(languageName(code), code)));
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
