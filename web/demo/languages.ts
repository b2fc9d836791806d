/**
 * The choice of languages: every one that can be had, those at hand first, the others with what is to be fetched.
 * Choosing one fetches nothing.
 */

import type { Offer } from "../src/api/offers.ts";
import { nameOf } from "../src/base/tags.ts";
import { Directions, type Choice, type Route } from "../src/ui/directions.ts";
import { formatBytes } from "./format.ts";
import type { SiteStorage } from "./site-storage.ts";

const CHOSEN = "dragoman-languages";

export interface LanguageElements {
  readonly source: HTMLSelectElement;
  readonly target: HTMLSelectElement;
  readonly swap: HTMLButtonElement;
}

export class Languages {
  readonly #elements: LanguageElements;
  readonly #memory: SiteStorage;
  #directions: Directions;

  /** `memory` has what was chosen at the last visit. */
  constructor(elements: LanguageElements, offers: readonly Offer[], memory: SiteStorage, onchange: () => void) {
    this.#elements = elements;
    this.#memory = memory;
    this.#directions = new Directions(offers);
    const { source, target, swap } = elements;
    source.lang = target.lang = navigator.language; // that of the names
    const first = offers.find(({ published }) => !published) ?? offers[0];
    const [from, to] = memory.getItem(CHOSEN)?.split(" ") ?? [];
    this.#show(from ?? first?.source ?? "", to ?? first?.target ?? "");
    for (const select of [source, target]) {
      select.addEventListener("change", () => {
        this.#list();
        this.#remember();
        onchange();
      });
    }
    swap.addEventListener("click", () => {
      if (!this.#reverse) return;
      this.#show(this.target, this.source);
      this.#remember();
      onchange();
    });
  }

  /** Something was fetched or deleted; the choice stays. */
  update(offers: readonly Offer[]): void {
    this.#directions = new Directions(offers);
    this.#list();
  }

  get source(): string {
    return this.#elements.source.value;
  }

  get target(): string {
    return this.#elements.target.value;
  }

  /** Languages that can be translated from, into the target or into the source. */
  get sources(): readonly string[] {
    const listed = [...this.#elements.source.options].map(({ value }) => value);
    return this.#reverse ? [...listed, this.target] : listed;
  }

  /** Translate from another language; into the one that was translated from, where it was the target. */
  choose(language: string): void {
    const { source, target, swap } = this.#elements;
    if (language === target.value) {
      swap.click();
      return;
    }
    source.value = language;
    source.dispatchEvent(new Event("change"));
  }

  get route(): Route | undefined {
    return this.#directions.route(this.source, this.target);
  }

  get #reverse(): Route | undefined {
    return this.#directions.route(this.target, this.source);
  }

  #remember(): void {
    this.#memory.setItem(CHOSEN, `${this.source} ${this.target}`);
  }

  #list(): void {
    this.#show(this.source, this.target);
  }

  #show(from: string, to: string): void {
    const { source, target } = this.#elements;
    const sources = this.#directions.sources(to);
    setOptions(source, sources, Directions.best(sources, from));
    const targets = this.#directions.targets(source.value);
    setOptions(target, targets, Directions.best(targets, to));
    this.#describeSwap();
  }

  #describeSwap(): void {
    const { swap } = this.#elements;
    const possible = this.#reverse !== undefined;
    const pair = `${nameOf(this.target)} to ${nameOf(this.source)}`;
    // Not `disabled`: the reason must be reachable for keyboard and screen reader.
    swap.setAttribute("aria-disabled", String(!possible));
    swap.title = possible ? `Swap languages: ${pair}` : `There is no model for ${pair} yet`;
    swap.setAttribute("aria-label", swap.title);
  }
}

function setOptions(select: HTMLSelectElement, choices: readonly Choice[], chosen: string): void {
  const here = choices.filter(({ missing }) => missing === 0);
  const away = choices.filter(({ missing }) => missing > 0);
  const groups = [group("On this machine", here), group("To be fetched", away)];
  select.replaceChildren(...(away.length ? groups : [...groups[0]?.children ?? []]));
  select.value = chosen;
}

function group(label: string, choices: readonly Choice[]): HTMLOptGroupElement {
  const made = document.createElement("optgroup");
  made.label = label;
  made.append(...choices.map(({ tag, name, missing }) =>
    new Option(missing ? `${name} · ${formatBytes(missing)}` : name, tag)));
  made.hidden = choices.length === 0;
  return made;
}
