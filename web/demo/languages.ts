/**
 * The choice of languages: every one that can be had, those at hand first, the others with what is to be fetched.
 * Choosing one fetches nothing.
 */

import type { Offer } from "../src/api/offers.ts";
import { closest } from "../src/base/tags.ts";
import { Directions, type Choice, type Route } from "../src/ui/directions.ts";
import type { SiteStorage } from "./page/site-storage.ts";
import { formatBytes } from "./texts/format.ts";
import { directionName, pageLanguage, say } from "./texts/texts.ts";

const CHOSEN = "dragoman-languages";

export interface LanguageElements {
  readonly source: HTMLSelectElement;
  readonly target: HTMLSelectElement;
  readonly swap: HTMLButtonElement;
}

export interface LanguageListener {
  /** Other languages were chosen. */
  readonly onchange: () => void;
  /** They were swapped; `onchange` follows. */
  readonly onswap: () => void;
}

export class Languages {
  readonly #elements: LanguageElements;
  readonly #memory: SiteStorage;
  readonly #onchange: () => void;
  #offers: readonly Offer[];
  #directions: Directions;

  /** `memory` has what was chosen at the last visit. */
  constructor(elements: LanguageElements, offers: readonly Offer[], memory: SiteStorage, listener: LanguageListener) {
    this.#onchange = listener.onchange;
    this.#elements = elements;
    this.#memory = memory;
    this.#offers = offers;
    this.#directions = new Directions(offers, pageLanguage());
    const { source, target, swap } = elements;
    const first = offers.find(({ published }) => !published) ?? offers[0];
    const [from, to] = memory.getItem(CHOSEN)?.split(" ") ?? [];
    this.#show(from ?? first?.source ?? "", to ?? first?.target ?? "");
    for (const select of [source, target]) {
      select.addEventListener("change", () => {
        this.#list();
        this.#remember();
        this.#onchange();
      });
    }
    swap.addEventListener("click", () => {
      if (!this.reverse) return;
      this.set(this.target, this.source);
      listener.onswap();
      this.#onchange();
    });
  }

  /** Choose without telling; languages that there are not are left as they are. */
  set(source: string, target: string): void {
    const from = closest(source, this.#directions.sources(target).map(({ tag }) => tag)) ?? this.source;
    const to = closest(target, this.#directions.targets(from).map(({ tag }) => tag)) ?? this.target;
    this.#show(from, to);
    this.#remember();
  }

  /** The page speaks another language. */
  retell(): void {
    this.#directions = new Directions(this.#offers, pageLanguage());
    this.#list();
  }

  /** Something was fetched or deleted; the choice stays. */
  update(offers: readonly Offer[]): void {
    this.#offers = offers;
    this.#directions = new Directions(offers, pageLanguage());
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
    return this.reverse ? [...listed, this.target] : listed;
  }

  /** Translate from another language; into the one that was translated from, where it was the target. */
  choose(language: string): void {
    const { source, target } = this.#elements;
    if (language === target.value) {
      this.set(this.target, this.source);
      this.#onchange();
      return;
    }
    source.value = language;
    source.dispatchEvent(new Event("change"));
  }

  get route(): Route | undefined {
    return this.#directions.route(this.source, this.target);
  }

  /** The way back. */
  get reverse(): Route | undefined {
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
    source.lang = target.lang = pageLanguage(); // that of the names
    const sources = this.#directions.sources(to);
    setOptions(source, sources, Directions.best(sources, from));
    const targets = this.#directions.targets(source.value);
    setOptions(target, targets, Directions.best(targets, to));
    this.#describeSwap();
  }

  #describeSwap(): void {
    const { swap } = this.#elements;
    const possible = this.reverse !== undefined;
    const direction = directionName(this.target, this.source);
    // Not `disabled`: the reason must be reachable for keyboard and screen reader.
    swap.setAttribute("aria-disabled", String(!possible));
    swap.title = say(possible ? "pair.swap-to" : "pair.no-swap", { direction });
    swap.setAttribute("aria-label", swap.title);
  }
}

function setOptions(select: HTMLSelectElement, choices: readonly Choice[], chosen: string): void {
  const here = choices.filter(({ missing }) => missing === 0);
  const away = choices.filter(({ missing }) => missing > 0);
  const groups = [group(say("pair.here"), here), group(say("pair.away"), away)];
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
