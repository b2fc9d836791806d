/** "This looks like English. Switch?": what is in another language than was chosen is not translated. */

import { loadDetector } from "../src/api/language-detector.ts";
import { nameOf } from "../src/base/tags.ts";
import { languageDoubt, type LanguageDoubt } from "../src/ui/language-notice.ts";

export interface LanguageChoice {
  /** BCP 47. */
  readonly chosen: string;
  /** Languages that there is a model from. */
  readonly sources: readonly string[];
}

export interface LanguageActions {
  choice(): LanguageChoice | undefined;
  /** The text is in this language. */
  onswitch(language: string): void;
  /** Translate it all the same. */
  onanyway(): void;
}

export class LanguageNotice {
  readonly #root: HTMLElement;
  readonly #actions: LanguageActions;
  /** The language that the user wants to hear no more of. */
  #accepted: string | undefined;

  constructor(root: HTMLElement, actions: LanguageActions) {
    this.#root = root;
    this.#actions = actions;
  }

  /** Whether a text is to be translated; says so on the page where it is not. */
  async allows(text: string): Promise<boolean> {
    const choice = this.#actions.choice();
    if (!choice || text.trim() === "") return this.#show({ name: "none" });
    const detector = await loadDetector();
    return this.#show(languageDoubt(text, detector.detect(text), choice.chosen, choice.sources));
  }

  #show(doubt: LanguageDoubt): boolean {
    if (doubt.name === "none") this.#accepted = undefined;
    const allowed = doubt.name === "none" || doubt.language === this.#accepted;
    this.#root.hidden = allowed;
    this.#root.replaceChildren(...(allowed ? [] : this.#parts(doubt)));
    return allowed;
  }

  #parts(doubt: Exclude<LanguageDoubt, { name: "none" }>): Node[] {
    const { language } = doubt;
    const anyway = button("Translate anyway", () => {
      this.#accepted = language;
      this.#actions.onanyway();
    });
    const looks = `This looks like ${nameOf(language)}. `;
    if (doubt.name === "no-model") return [span(`${looks}There is no model for it here. `), anyway];
    return [span(looks), button(`Switch to ${nameOf(language)}`, () => { this.#actions.onswitch(language); }), span(" "), anyway];
  }
}

function span(text: string): HTMLElement {
  const made = document.createElement("span");
  made.textContent = text;
  return made;
}

function button(text: string, action: () => void): HTMLElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "plain";
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
}
