/**
 * Whether what is typed is in the language that was chosen: a sentence with what can be done, where it is
 * sure to be in another one. Shared by who has a field to type in.
 */

import { SURE, type Detection } from "../detection/detector.ts";

/** Characters that are needed: a greeting is no reason to speak. */
const ENOUGH = 12;

export type LanguageDoubt =
  | { readonly name: "none" }
  /** It can be switched to. */
  | { readonly name: "other"; readonly language: string }
  /** There is no model for it. */
  | { readonly name: "no-model"; readonly language: string };

/**
 * Worked, with models from de and en, and de chosen:
 *
 *     de 1.0    none      en 0.95   other, en      fr 0.95   no-model, fr     not sure   none
 */
export function languageDoubt(text: string, found: Detection, chosen: string, sources: readonly string[]): LanguageDoubt {
  const { language, confidence } = found;
  if (text.trim().length < ENOUGH || language === null || confidence < SURE) return { name: "none" };
  const served = sources.find((source) => primary(source) === primary(language));
  if (served === undefined) return { name: "no-model", language };
  return primary(served) === primary(chosen) ? { name: "none" } : { name: "other", language: served };
}

function primary(tag: string): string {
  const [language = ""] = tag.toLowerCase().split("-");
  return { nb: "no", hbs: "hr" }[language] ?? language;
}
