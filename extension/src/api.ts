/** The browser's extension API: `browser` in Firefox, `chrome` in Chrome; both give promises. */

const scope = globalThis as unknown as { browser?: typeof chrome; chrome: typeof chrome };

export const api = scope.browser ?? scope.chrome;

/** A string of `_locales/`, in the language of the browser. */
export function message(name: string, ...values: string[]): string {
  return api.i18n.getMessage(name, values) || name;
}

/** "German", in the language of the browser. */
export function languageName(code: string): string {
  const names = new Intl.DisplayNames([api.i18n.getUILanguage()], { type: "language" });
  try {
    return names.of(code) ?? code;
  } catch {
    return code; // Not a language tag.
  }
}
