/** Both panes are read aloud, where this machine has a voice for their language. */

import { ReadButton } from "../../src/ui/read-button.ts";
import { say } from "../texts/texts.ts";

export interface Readable {
  readonly button: HTMLButtonElement;
  /** Its `lang` is the text's. */
  readonly element: HTMLElement;
  readonly text: () => string;
}

export class Reading {
  readonly #buttons: readonly ReadButton[];

  constructor(panes: readonly Readable[]) {
    const { signal } = new AbortController(); // As long as the page.
    this.#buttons = panes.map(({ button, element, text }) => new ReadButton(button, {
      text,
      language: () => element.lang,
      say: (said) => say(said === "read" ? "read.aloud" : "read.stop"),
    }, signal));
  }

  /** A text is another one, or its language, or the page's. */
  update(): void {
    for (const button of this.#buttons) button.update();
  }

  stop(): void {
    for (const button of this.#buttons) button.stop();
  }
}
