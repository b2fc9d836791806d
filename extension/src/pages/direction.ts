/** From what to what: two lists in the settings. */

import type { Offer } from "../../../web/src/api/offers.ts";
import { languageName } from "../api.ts";
import type { Pair } from "../messages.ts";
import { byId } from "./localize.ts";

export class Direction {
  readonly #source: HTMLSelectElement;
  readonly #target: HTMLSelectElement;

  /** @param name of the elements: `NAME-source`, `NAME-target`. */
  constructor(name: string, onchange: () => void = () => undefined) {
    this.#source = byId<HTMLSelectElement>(`${name}-source`);
    this.#target = byId<HTMLSelectElement>(`${name}-target`);
    for (const select of [this.#source, this.#target]) select.addEventListener("change", onchange);
  }

  get pair(): Pair {
    return { source: this.#source.value, target: this.#target.value };
  }

  /** Languages that there are models for. */
  offer(offers: readonly Offer[]): void {
    fill(this.#source, offers.map(({ source }) => source));
    fill(this.#target, offers.map(({ target }) => target));
    const other = [...this.#target.options].find(({ value }) => value !== this.#source.value);
    if (this.#target.value === this.#source.value && other) this.#target.value = other.value;
  }
}

function fill(select: HTMLSelectElement, tags: readonly string[]): void {
  const chosen = select.value;
  const options = [...new Set(tags)].map((tag) => new Option(languageName(tag), tag));
  options.sort((one, other) => one.text.localeCompare(other.text));
  select.replaceChildren(...options);
  if (tags.includes(chosen)) select.value = chosen;
}

/** Files that are dropped here are not models, as all others are. */
export function acceptFiles(box: HTMLElement, take: (files: readonly File[]) => void): void {
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation();
    take([...(event.dataTransfer?.files ?? [])]);
  });
}
