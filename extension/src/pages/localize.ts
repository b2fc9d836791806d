/** Strings of a page of ours, in the language of the browser. */

import { message, ownLanguage } from "../api.ts";

export function localize(doc: Document): void {
  doc.documentElement.lang = ownLanguage();
  doc.documentElement.dir = message("@@bidi_dir");
  for (const element of doc.querySelectorAll<HTMLElement>("[data-message]")) {
    element.textContent = message(element.dataset["message"] ?? "");
  }
  for (const element of doc.querySelectorAll<HTMLElement>("[data-label]")) {
    element.setAttribute("aria-label", message(element.dataset["label"] ?? ""));
  }
  for (const element of doc.querySelectorAll<HTMLInputElement>("[data-placeholder]")) {
    element.placeholder = message(element.dataset["placeholder"] ?? "");
  }
}

/** An element of the page that must be there. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the page's own elements, which have the type that it says
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`#${id} is not in the page`);
  return element as E;
}
