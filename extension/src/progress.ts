/** How far a page is, in words: what was not translated is never called translated. */

import { counted, message, ownLanguage } from "./api.ts";
import type { FrameState } from "./messages.ts";

/**
 * Worked:
 *
 *     translating, 0 of 5            Getting the translator ready…
 *     translating, 2 of 5            2 of 5 parts translated
 *     translated, 5 of 5             Translated.
 *     translated, 4 of 5, 1 failed   Translated, except for 1 part.
 *     translated, 0 of 5, 5 failed   Nothing was translated: ...
 *     translated, 0 of 0             There is no text on this page that can be translated.
 */
export function progressText({ phase, total, done, failed }: FrameState): string {
  if (phase === "translated" && total === 0) return message("nothingFound");
  if (phase === "translated" && done === 0) return message("allFailed");
  if (phase === "translated") return failed > 0 ? counted("translatedBut", failed) : message("translated");
  if (done === 0) return message("starting");
  return message("progressOf", ...[done, total].map((count) => count.toLocaleString(ownLanguage())));
}
