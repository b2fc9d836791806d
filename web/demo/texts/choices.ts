/** What the box of choices says. */

import type { ChoicesTexts } from "../../src/ui/choices/texts.ts";
import { errorMessage } from "./errors.ts";
import { pageLanguage, plural, say } from "./texts.ts";

export const choicesTexts: ChoicesTexts = {
  say: (text) => say(`choices.${text}`),
  title: (word) => say("choices.title", { word }),
  found: (count) => say("choices.found", { choices: plural(count, "choice") }),
  problem: (error) => errorMessage(error).title,
  language: pageLanguage,
};
