/**
 * Tags of languages (BCP 47): which of those that there are serves one that is wanted, and their names.
 *
 *     de-AT -> de    zh, zh-CN -> zh-Hans    zh-TW -> zh-Hant    iw -> he    nb <-> no    hr -> hbs
 *
 * As `py/dragoman/catalogue/languages.py`, by what browsers know of languages.
 */

import { PUBLISHED } from "../wire/contract.ts";

/** A language that goes by two tags. */
const SAME: Readonly<Record<string, string>> = { nb: "no" };

/** The tag among the available ones that serves `wanted`; undefined where none does. */
export function closest(wanted: string, available: Iterable<string>): string | undefined {
  const tags = [...new Set(available)];
  if (tags.includes(wanted)) return wanted;
  const goal = languageAndScript(wanted);
  if (goal === undefined) return undefined;
  return tags.find((tag) => partsOf(tag).some((part) => languageAndScript(part) === goal));
}

/** What a language is called, in another one or the user's: "Französisch". */
export function nameOf(tag: string, language?: string): string {
  const names = new Intl.DisplayNames(language ? [language] : [], { type: "language" });
  return partsOf(tag).map((part) => names.of(part) ?? part).join(", ");
}

function partsOf(tag: string): readonly string[] {
  return PUBLISHED.together[tag] ?? [tag];
}

/** "zh-Hant" of "zh-TW"; undefined: it is no tag. */
function languageAndScript(tag: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return `${SAME[language] ?? language}-${String(script)}`;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
