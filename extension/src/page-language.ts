/** The language of a page: by the detector that all hosts share, and by what the page says of itself. */

import type { Detection as DetectorResult } from "../../web/src/detection/detector.ts";
import { primary } from "../../web/src/dom/nodes/rules.ts";
import type { Detection, Sample } from "./messages.ts";

/** Characters that are looked at. */
const SAMPLE = 4_000;
/** Fewer say too little. */
const ENOUGH = 60;
/** With fewer, the detector does not speak against what the page says of itself, however sure it is. */
const PLENTY = 300;
const SKIPPED = "script, style, noscript, template, textarea, code, pre, [translate=no], .notranslate";

/**
 * The two together. Worked:
 *
 *     surely German, 0.95       page says en, much text   de, 0.95
 *     the same                  page says en, little      null, 0.5
 *     mostly German, not sure   page says de              de, 0.8
 *     nothing                   page says de              de, 0.5
 *     mostly German, not sure   page says nothing         null, 0.4
 *     nothing                   nothing                   null, 0
 *
 * `characters` is how much text the detector saw.
 */
export function combine(detected: DetectorResult | null, declared: string, characters: number): Detection {
  const best = detected?.candidates.find(({ language }) => language !== "und");
  const detectedLanguage = best ? primary(best.language) : null;
  const said = /^[a-z]{2,3}$/.test(primary(declared)) ? primary(declared) : null;
  const agreed = current(detectedLanguage) === current(said);
  const contested = said !== null && !agreed && characters < PLENTY;
  const named = best ? modelTag(best.language) : null;
  if (detected?.language && best && !contested) return { language: named, confidence: best.confidence };
  if (contested && detected?.language) return { language: null, confidence: 0.5 };
  if (detectedLanguage && agreed) return { language: named, confidence: 0.8 };
  if (said) return { language: said, confidence: 0.5 };
  return { language: null, confidence: detectedLanguage ? 0.4 : 0 };
}

/** A language as models tell it apart: Chinese by its script, all others without one. */
export function modelTag(language: string): string {
  return language === "zh-Hant" ? language : primary(language);
}

/** Detectors and pages use older codes of some languages, or Norwegian for both of its written forms. */
function current(language: string | null): string | null {
  return { iw: "he", in: "id", ji: "yi", no: "nb" }[language ?? ""] ?? language;
}

/** The language of a page by its sample; `detect` is asked only where there is enough to go by. */
export async function languageOf({ text, declared }: Pick<Sample, "text" | "declared">, detect: (text: string) => DetectorResult | Promise<DetectorResult>): Promise<Detection> {
  const detected = text.length < ENOUGH ? null : await detect(text);
  return combine(detected, declared, text.length);
}

/** What is looked at of a page. */
export function sampleOf(doc: Document): Sample {
  return {
    text: textOf(doc),
    declared: doc.documentElement.lang,
    selected: selectedText(doc),
    isPdf: doc.contentType === "application/pdf",
    declines: declines(doc),
    began: performance.timeOrigin,
  };
}

function declines({ documentElement: root, head }: Document): boolean {
  const says = head.querySelector('meta[name="google"][content="notranslate"]');
  return says !== null || !root.translate || root.classList.contains("notranslate");
}

/** What the reader has selected; in a text field, the part that is selected there, of which a browser's selection may know nothing. */
export function selectedText(doc: Document): string {
  const field = focused(doc) as Partial<HTMLInputElement> | null;
  if (field?.type === "password") return "";
  const { selectionStart, selectionEnd, value } = field ?? {};
  if (typeof selectionStart === "number" && typeof selectionEnd === "number" && selectionEnd > selectionStart && value) {
    return value.slice(selectionStart, selectionEnd).trim();
  }
  return doc.getSelection()?.toString().trim() ?? "";
}

/** What has the focus, inside of parts of the page that are open too. */
export function focused(doc: Document): Element | null {
  let element = doc.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

/** Text from the page's beginning on, longer runs only: menus say little of a language. */
export function textOf(doc: Document): string {
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
