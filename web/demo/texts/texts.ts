/**
 * What the page says, in the language of its reader: a file of messages a language.
 *
 *     en.json  de.json    the same keys; {name} is put in; KEY.one and KEY.other are chosen by the count
 *     index.html          data-text="KEY", data-text-label="KEY" (aria-label) ...: the build puts English in
 */

import { nameOf } from "../../src/base/tags.ts";
import type { SiteStorage } from "../page/site-storage.ts";
import de from "./de.json";
import en from "./en.json";

export type TextKey = keyof typeof en;
/** What is counted. */
export type Noun = { [Key in TextKey]: Key extends `${infer Name}.one` ? Name : never }[TextKey];

const TABLES: Readonly<Record<string, Readonly<Record<TextKey, string>>>> = { en, de };
const CHOSEN = "dragoman-page-language";
/** By the attribute of an element that names a key: what of the element the text is. */
const PLACES = {
  text: "textContent", textLabel: "aria-label", textTitle: "title", textPlaceholder: "placeholder", textContent: "content",
} as const;

let current = "en";

/** BCP 47. */
export function pageLanguage(): string {
  return current;
}

/** The language that was chosen on an earlier visit, else the first of the browser's that there is. */
export function chooseLanguage(memory: SiteStorage, wanted: readonly string[]): void {
  const tags = [memory.getItem(CHOSEN) ?? "", ...wanted].map((tag) => tag.split("-")[0] ?? "");
  setLanguage(tags.find((tag) => Object.hasOwn(TABLES, tag)) ?? "en");
}

/** Another language from now on. */
export function rememberLanguage(memory: SiteStorage, language: string): void {
  memory.setItem(CHOSEN, language);
  setLanguage(language);
}

function setLanguage(language: string): void {
  current = Object.hasOwn(TABLES, language) ? language : "en";
  document.documentElement.lang = current;
  for (const [name, place] of Object.entries(PLACES)) {
    const attribute = `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    for (const element of document.querySelectorAll<HTMLElement>(`[${attribute}]`)) {
      const text = say(element.dataset[name] as TextKey);
      if (place === "textContent") element.textContent = text;
      else element.setAttribute(place, text);
    }
  }
}

/** A message, with values put in. */
export function say(key: TextKey, values: Readonly<Record<string, string>> = {}): string {
  const message = TABLES[current]?.[key] ?? en[key];
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** "3 sentences" */
export function plural(count: number, noun: Noun): string {
  const isOne = new Intl.PluralRules(current).select(count) === "one";
  return say(`${noun}.${isOne ? "one" : "other"}`, { count: new Intl.NumberFormat(current).format(count) });
}

export function languageName(tag: string): string {
  return nameOf(tag, current);
}

/** "German to English" */
export function directionName(source: string, target: string): string {
  return say("pair.direction", { source: languageName(source), target: languageName(target) });
}
