/**
 * "This looks like English. Switch?": what is in another language than was chosen is not translated. "Not sure that this
 * is German.": what is short or mixed is translated as was chosen, and this stands below it.
 */

import { loadDetector } from "../src/api/language-detector.ts";
import { element, namedButton } from "./page/dom.ts";
import { languageName, say } from "./texts/texts.ts";
import { languageDoubt, type LanguageDoubt, type NotSure, type OtherLanguage } from "../src/ui/language-notice.ts";

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

interface Remark {
  readonly doubt: NotSure;
  /** BCP 47. */
  readonly chosen: string;
}

export class LanguageNotice {
  readonly #root: HTMLElement;
  readonly #actions: LanguageActions;
  /** The language that the user wants to hear no more of. */
  #accepted: string | undefined;
  /** To be made once the text is translated. */
  #remark: Remark | undefined;
  /** What stands there is a remark, which may stay while one types on. */
  #isRemark = false;
  /** What stands there, in the page's language; undefined: nothing does. */
  #said: (() => readonly Node[]) | undefined;

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
    const doubt = choice && text.trim() !== "" ? await this.doubt(text, choice.chosen) : ({ name: "none" } as const);
    const isOther = doubt.name === "other" || doubt.name === "no-model";
    if (!isOther) this.#accepted = undefined;
    const isAsked = isOther && doubt.language !== this.#accepted;
    this.#remark = doubt.name === "not-sure" && choice ? { doubt, chosen: choice.chosen } : undefined;
    if (isAsked) this.#show(() => this.#question(doubt));
    else if (!this.#remark || !this.#isRemark) this.#show(undefined);
    this.#isRemark = !isAsked;
    return !isAsked;
  }

  /** What was allowed is translated now: while somebody types, no remark comes and goes with each letter. */
  remark(): void {
    const remark = this.#remark;
    if (remark) this.#show(() => this.#remarkOf(remark));
  }

  /** Another language was chosen, from which nothing is translated yet. */
  clear(): void {
    this.#remark = undefined;
    this.#isRemark = false;
    this.#show(undefined);
  }

  /** The page speaks another language. */
  retell(): void {
    this.#show(this.#said);
  }

  #show(said: (() => readonly Node[]) | undefined): void {
    this.#said = said;
    const parts = said?.() ?? [];
    this.#root.hidden = parts.length === 0;
    // It is read aloud whenever it changes.
    if (parts.map((part) => part.textContent).join("") !== this.#root.textContent) this.#root.replaceChildren(...parts);
  }

  #question(doubt: OtherLanguage): Node[] {
    const { language } = doubt;
    const anyway = namedButton(say("notice.anyway"), "", () => {
      this.#accepted = language;
      this.#actions.onanyway();
    });
    const looks = say("notice.looks", { language: languageName(language) });
    if (doubt.name === "no-model") return [element("span", "", `${looks}${say("notice.no-model")}`), anyway];
    return [element("span", "", looks), this.#switch(language), element("span", "", " "), anyway];
  }

  #remarkOf({ doubt: { likely }, chosen }: Remark): Node[] {
    const notSure = say("notice.not-sure", { language: languageName(chosen) });
    if (!likely) return [element("span", "", notSure)];
    const may = `${notSure}${say("notice.may-be", { language: languageName(likely.language) })}`;
    if (likely.name === "no-model") return [element("span", "", `${may}${say("notice.no-model")}`)];
    return [element("span", "", may), this.#switch(likely.language)];
  }

  #switch(language: string): HTMLElement {
    return namedButton(say("notice.switch", { language: languageName(language) }), "", () => { this.#actions.onswitch(language); });
  }
}
