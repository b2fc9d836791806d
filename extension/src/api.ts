/** The browser's extension API: `browser` in Firefox, `chrome` in Chrome; both give promises. */

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
  const names = new Intl.DisplayNames([ownLanguage()], { type: "language" });
  try {
    return names.of(code) ?? code;
  } catch {
    return code; // Not a language tag.
  }
}
