/** How much of the longest text is used. */

import { countCharacters } from "../src/base/characters.ts";
import { LIMITS } from "../src/wire/contract.ts";
import { formatNumber } from "./texts/format.ts";
import { plural, say } from "./texts/texts.ts";

const ALLOWED = LIMITS.text_characters;

export class Quota {
  readonly #count: HTMLElement;
  readonly #overLimit: HTMLElement;

  constructor(count: HTMLElement, overLimit: HTMLElement) {
    this.#count = count;
    this.#overLimit = overLimit;
  }

  /** Show the count; returns whether the text may be translated. */
  update(text: string): boolean {
    const used = countCharacters(text);
    const over = used - ALLOWED;
    this.#count.textContent = `${formatNumber(used)} / ${formatNumber(ALLOWED)}`;
    this.#count.toggleAttribute("data-over", over > 0);
    this.#overLimit.hidden = over <= 0;
    this.#overLimit.textContent =
      over > 0 ? say("quota.over", { characters: plural(over, "character") }) : "";
    return over <= 0;
  }
}
