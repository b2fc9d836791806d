/** Translation memories in the settings. */

import type { Offer } from "../../../web/src/api/offers.ts";
import { MemoryStore } from "../../../web/src/stores/memory-store.ts";
import { MemoryPanel } from "../../../web/src/ui/memory/memory-panel.ts";
import { counted, languageName, message } from "../api.ts";
import { errorText } from "../errors.ts";
import { acceptFiles, Direction } from "./direction.ts";
import { byId } from "./localize.ts";

export class Memories {
  readonly #direction = new Direction("memory");

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
    }, () => this.#direction.pair, onchange);
    acceptFiles(box, (files) => void panel.take(files));
    void panel.show();
  }

  offer(offers: readonly Offer[]): void {
    this.#direction.offer(offers);
  }
}
