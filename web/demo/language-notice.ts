/** "This looks like English. Switch?": what is in another language than was chosen is not translated. */

import { loadDetector } from "../src/api/language-detector.ts";
import { element, namedButton } from "./page/dom.ts";
import { languageName, say } from "./texts/texts.ts";
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

  /** What there is to doubt of a text that is said to be in a language. */
  async doubt(text: string, language: string): Promise<LanguageDoubt> {
    const detector = await loadDetector();
    return languageDoubt(text, detector.detect(text), language, this.#actions.choice()?.sources ?? []);
  }

  /** Whether a text is to be translated; says so on the page where it is not. */
  async allows(text: string): Promise<boolean> {
    const choice = this.#actions.choice();
    if (!choice || text.trim() === "") return this.#show({ name: "none" });
    return this.#show(await this.doubt(text, choice.chosen));
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
    const anyway = namedButton(say("notice.anyway"), "", () => {
      this.#accepted = language;
      this.#actions.onanyway();
    });
    const looks = say("notice.looks", { language: languageName(language) });
    if (doubt.name === "no-model") return [element("span", "", `${looks}${say("notice.no-model")}`), anyway];
    return [element("span", "", looks), namedButton(say("notice.switch", { language: languageName(language) }), "", () => { this.#actions.onswitch(language); }), element("span", "", " "), anyway];
  }
}
