/**
 * The language of a page: by the browser's own detector (CLD, built into Chrome and Firefox, offline)
 * and by what the page says of itself.
 */

import { primary } from "../../../web/src/dom/nodes/rules.ts";
import { api } from "../api.ts";
import type { Detection } from "../messages.ts";

/** What `i18n.detectLanguage` gives. */
export interface Detected {
  readonly isReliable: boolean;
  readonly languages: readonly { readonly language: string; readonly percentage: number }[];
}

/** Characters that are looked at. */
const SAMPLE = 4_000;
/** Fewer say too little. */
const ENOUGH = 60;
/** With fewer, what the page says of itself counts for more than the detector, however sure it is. */
const PLENTY = 300;
const SKIPPED = "script, style, noscript, template, textarea, code, pre, [translate=no], .notranslate";

/**
 * The two together. Worked:
 *
 *     reliably German, 95 %     page says en, much text   de, 0.95
 *     the same                  page says en, little      en, 0.5
 *     mostly German, unsure     page says de              de, 0.8
 *     nothing                   page says de              de, 0.5
 *     mostly German, unsure     page says nothing         de, 0.4
 *     nothing                   nothing                   null, 0
 *
 * `characters` is how much text the detector saw.
 */
export function combine(detected: Detected | null, declared: string, characters: number): Detection {
  const best = [...(detected?.languages ?? [])].sort((one, other) => other.percentage - one.percentage)[0];
  const found = best && best.language !== "und" ? primary(best.language) : null;
  const said = /^[a-z]{2,3}$/.test(primary(declared)) ? primary(declared) : null;
  const agreed = current(found) === current(said);
  const contested = said !== null && !agreed && characters < PLENTY;
  if (found && detected?.isReliable && best && best.percentage >= 60 && !contested) {
    return { language: found, confidence: best.percentage / 100 };
  }
  if (found && agreed) return { language: found, confidence: 0.8 };
  if (said) return { language: said, confidence: 0.5 };
  return found ? { language: found, confidence: 0.4 } : { language: null, confidence: 0 };
}

/** Detectors and pages use older codes of some languages, or Norwegian for both of its written forms. */
function current(language: string | null): string | null {
  return { iw: "he", in: "id", ji: "yi", no: "nb" }[language ?? ""] ?? language;
}

export async function detectLanguage(doc: Document): Promise<Detection> {
  const text = sampleOf(doc);
  const detected = text.length < ENOUGH ? null : await api.i18n.detectLanguage(text);
  return combine(detected, doc.documentElement.lang, text.length);
}

/** Text from the page's beginning on, longer runs only: menus say little of a language. */
export function sampleOf(doc: Document): string {
  const walker = doc.createTreeWalker(doc.body, 4); // Text nodes.
  const parts: string[] = [];
  let length = 0;
  for (let node = walker.nextNode(); node && length < SAMPLE; node = walker.nextNode()) {
    const text = (node.nodeValue ?? "").replace(/\s+/g, " ").trim();
    if (text.length < 12 || node.parentElement?.closest(SKIPPED)) continue;
    parts.push(text);
    length += text.length;
  }
  return parts.join("\n").slice(0, SAMPLE);
}
