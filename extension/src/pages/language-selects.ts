/** Choices of languages: those at hand first, the others with what is to be fetched for them. */

import type { Choice } from "../../../web/src/ui/directions.ts";
import { formatSize, message } from "../api.ts";

export function fillChoices(select: HTMLSelectElement, choices: readonly Choice[], chosen: string): void {
  const here = choices.filter(({ missing }) => missing === 0);
  const away = choices.filter(({ missing }) => missing > 0);
  select.replaceChildren();
  // The chosen one is read in the closed field, which is narrow: its size is said elsewhere.
  const option = ({ tag, name, missing }: Choice): HTMLOptionElement =>
    new Option(missing > 0 && tag !== chosen ? `${name} · ${formatSize(missing)}` : name, tag);
  if (away.length === 0) select.append(...here.map(option));
  else select.append(...[group(message("atHand"), here.map(option)), group(message("toFetch"), away.map(option))].filter(({ children }) => children.length > 0));
  select.value = chosen;
}

function group(label: string, options: readonly HTMLOptionElement[]): HTMLOptGroupElement {
  const made = document.createElement("optgroup");
  made.label = label;
  made.append(...options);
  return made;
}
