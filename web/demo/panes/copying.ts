/** A text to the clipboard, and the button that says so for a while. */

import { copy } from "../../src/ui/copying.ts";
import { say } from "../texts/texts.ts";

/** Milliseconds. */
const SAID = 1_500;

export class CopyButton {
  readonly #button: HTMLElement;
  readonly #tell: (text: string) => void;
  #saying: ReturnType<typeof setTimeout> | undefined;

  /** `tell` tells a screen reader: the focus may be elsewhere. */
  constructor(button: HTMLElement, tell: (text: string) => void) {
    this.#button = button;
    this.#tell = tell;
  }

  async copy(text: string): Promise<void> {
    if (!text) return;
    const said = await copy({ text }).then(() => "target.copied" as const, () => "target.copy-refused" as const);
    this.#tell(say(said));
    this.#button.textContent = say(said);
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => { this.#button.textContent = say("target.copy"); }, SAID);
  }
}
