/**
 * What is typed, for when the page is loaded again. A phone takes the memory of a page that it does not show, and tells
 * it of nothing but that it is hidden.
 */

import type { SiteStorage } from "../page/site-storage.ts";

const KEPT = "dragoman-text";

export class KeptText {
  readonly #memory: SiteStorage;

  constructor(memory: SiteStorage) {
    this.#memory = memory;
  }

  /** Null: there is none. */
  get text(): string | null {
    return this.#memory.getItem(KEPT);
  }

  /** Keep it whenever the page is hidden or left. */
  follow(view: Window, text: () => string): void {
    view.document.addEventListener("visibilitychange", () => {
      if (view.document.visibilityState === "hidden") this.#keep(text());
    });
    view.addEventListener("pagehide", () => { this.#keep(text()); });
  }

  #keep(text: string): void {
    try {
      this.#memory.setItem(KEPT, text);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      this.#memory.removeItem(KEPT); // It is too long to be kept; an older one would be no better.
    }
  }
}
