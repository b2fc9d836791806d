/** What the box of choices says. */

import type { ChoicesTexts } from "../../src/ui/choices/texts.ts";
import { errorMessage } from "./errors.ts";
import { formatPercent } from "./format.ts";
import { pageLanguage, plural, say } from "./texts.ts";

export const choicesTexts: ChoicesTexts = {
  say: (text) => say(`choices.${text}`),
  title: (word) => say("choices.title", { word }),
  found: (count) => say("choices.found", { choices: plural(count, "choice") }),
  alike: (source, similarity) => say("choices.alike", { source, percent: formatPercent(Math.floor(similarity * 100) / 100) }),
  problem: (error) => errorMessage(error).title,
  language: pageLanguage,
};
