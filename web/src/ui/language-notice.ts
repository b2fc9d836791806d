/**
 * Whether what is typed is in the language that was chosen: a sentence with what can be done, where it is
 * sure to be in another one, and a remark where it is not sure. Shared by who has a field to type in.
 */

import { SURE, type Detection } from "../detection/detector.ts";

/** Characters that are needed to refuse: a greeting is translated, with a remark. */
const ENOUGH = 12;
/** With so many characters a text in one language is sure to be; what is not is mixed, or in a language that no table has. */
const MUCH = 24;
/** From this confidence on a language is worth naming in a remark. */
const LIKELY = 0.5;

/** It is not translated before somebody says so. */
export type OtherLanguage =
  /** It can be switched to. */
  | { readonly name: "other"; readonly language: string }
  /** There is no model for it. */
  | { readonly name: "no-model"; readonly language: string };

/** It is translated from the language that was chosen, and it is said that this may be wrong. */
export interface NotSure {
  readonly name: "not-sure";
  /** What it may be instead. */
  readonly likely?: OtherLanguage;
}

export type LanguageDoubt = { readonly name: "none" } | OtherLanguage | NotSure;

/**
 * Worked, with models from de and en, and de chosen:
 *
 *     a sentence   de 1.0   none       en 0.95   other, en                   fr 0.95   no-model, fr
 *     a greeting   de 0.6   none       en 0.9    not-sure, likely other, en  und       not-sure
 *     a sentence, half of it de 0.5, half en 0.5         not-sure
 *     "12.50"      none
 */
export function languageDoubt(text: string, detection: Detection, chosen: string, sources: readonly string[]): LanguageDoubt {
  const { language, candidates } = detection;
  const length = text.trim().length;
  if (!/\p{L}/u.test(text)) return { name: "none" };
  const isSure = language !== null && detection.confidence >= SURE;
  const best = candidates.find((candidate) => candidate.language !== "und");
  const other = best && otherLanguage(best.language, chosen, sources);
  if (isSure && !other) return { name: "none" };
  if (isSure && other && length >= ENOUGH) return other;
  if (!isSure && best && !other && length < MUCH) return { name: "none" };
  return { name: "not-sure", ...(other && best.confidence >= LIKELY ? { likely: other } : {}) };
}

/** Undefined where a language is the chosen one. */
function otherLanguage(language: string, chosen: string, sources: readonly string[]): OtherLanguage | undefined {
  const served = sources.find((source) => primary(source) === primary(language));
  if (served === undefined) return { name: "no-model", language };
  return primary(served) === primary(chosen) ? undefined : { name: "other", language: served };
}

function primary(tag: string): string {
  const [language = ""] = tag.toLowerCase().split("-");
  return { nb: "no", hbs: "hr" }[language] ?? language;
}
