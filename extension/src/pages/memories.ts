/** Translation memories in the settings. */

import type { Offer } from "../../../web/src/api/offers.ts";
import { MemoryStore } from "../../../web/src/stores/memory-store.ts";
import { MemoryPanel } from "../../../web/src/ui/memory/memory-panel.ts";
import { counted, languageName, message } from "../api.ts";
import { errorText } from "../errors.ts";
import { byId } from "./localize.ts";

export class Memories {
  readonly #source = byId<HTMLSelectElement>("memory-source");
  readonly #target = byId<HTMLSelectElement>("memory-target");

  /** `onchange`: other entries are used now. */
  constructor(onchange: () => void) {
    const box = byId("memories");
    const panel = new MemoryPanel(box, new MemoryStore(), {
      say: (text) => message(`memory_${text}`),
      facts: ({ count, source, target }) => counted("memory_facts", count, message("fromTo", languageName(source), languageName(target))),
      taken: (count) => counted("memory_taken", count),
      removeOf: (name) => message("removeNamed", name),
      exportOf: (name, kind) => message("memory_export", name, kind),
      useOf: (name) => message("memory_use", name),
      problem: errorText,
    }, () => ({ source: this.#source.value, target: this.#target.value }), onchange);
    box.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation(); // All other files are models.
      void panel.take([...(event.dataTransfer?.files ?? [])]);
    });
    void panel.show();
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
