/** What a reader should know of a translation. */

import { termText } from "../../src/glossary/terms.ts";
import type { TranslationResponse, TranslationWarning } from "../../src/wire/protocol.ts";
import en from "./en.json";
import { say, type TextKey } from "./texts.ts";

/** Each kind once; terms that are not there by name. */
export function warningsText({ warnings, terms }: Pick<TranslationResponse, "warnings" | "terms">): string {
  const missed = new Set((terms ?? []).filter(({ outcome }) => outcome === "missed").map(({ term }) => termText(term)));
  const text = (warning: TranslationWarning): string =>
    warning.code === "term-missed" && missed.size > 0 ? say("glossary.missed", { terms: [...missed].join("; ") }) : warningText(warning);
  return [...new Set(warnings.map(text))].join(" ");
}

function warningText({ code, message }: TranslationWarning): string {
  return `warning.${code}` in en ? say(`warning.${code}` as TextKey) : message;
}
