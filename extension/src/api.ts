/** The browser's extension API: `browser` in Firefox, `chrome` in Chrome; both give promises. */

import { nameOf } from "../../web/src/base/tags.ts";

const scope = globalThis as unknown as { browser?: typeof chrome; chrome: typeof chrome };

export const api = scope.browser ?? scope.chrome;

/** A string of `_locales/`, in the language of the browser. */
export function message(name: string, ...values: string[]): string {
  return api.i18n.getMessage(name, values) || name;
}

/** That of our strings: the browser's, where we have it. */
export function ownLanguage(): string {
  return message("language");
}

/** "German", in the language of our strings. */
export function languageName(code: string): string {
  try {
    return nameOf(code, ownLanguage());
  } catch {
    return code; // Not a language tag.
  }
}

/** "1 part", "2 parts": the strings `NAME_one` and `NAME_other`. */
export function counted(name: string, count: number, ...values: string[]): string {
  const form = new Intl.PluralRules(ownLanguage()).select(count) === "one" ? "one" : "other";
  return message(`${name}_${form}`, count.toLocaleString(ownLanguage()), ...values);
}

/** "17.4 MB", in the language of our strings. */
export function formatSize(bytes: number): string {
  const digits = bytes < 1e7 ? 1 : 0;
  const format = new Intl.NumberFormat(ownLanguage(), { style: "unit", unit: "megabyte", maximumFractionDigits: digits });
  return format.format(bytes / 1e6);
}

/** The keys that translate a page, as the browser writes them; empty: the user has taken them away. */
export async function shortcut(): Promise<string> {
  const commands = await api.commands.getAll();
  return commands.find(({ name }) => name === "translate-page")?.shortcut ?? "";
}
