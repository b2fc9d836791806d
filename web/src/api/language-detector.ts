/**
 * The platform's LanguageDetector (https://webmachinelearning.github.io/translation-api/#language-detector-api):
 * offline, without workers and without Python. The table is fetched when the first detector is made.
 */

import { Detector, UNKNOWN, type Detection } from "../detection/detector.ts";
import { fetchTable } from "../detection/table.ts";
import { abortable } from "../base/signals.ts";
import { DragomanError } from "../wire/errors.ts";
import type { Availability } from "./models.ts";

/** Of the built files. */
export const TABLE = "runtime/detection/ngrams.bin";

export interface LanguageDetectionResult {
  /** BCP 47; "und" stands for all that is in no known language. */
  readonly detectedLanguage: string;
  /** 0 to 1. */
  readonly confidence: number;
}

export interface LanguageDetectorCreateOptions {
  /** `create` rejects with "NotSupportedError" where one of them is not known. */
  readonly expectedInputLanguages?: readonly string[];
  readonly signal?: AbortSignal;
}

let loading: Promise<Detector> | undefined;

/** The detector of a site; it is fetched once. */
export async function loadDetector(base = new URL("./", import.meta.url).href): Promise<Detector> {
  const url = new URL(TABLE, base).href;
  loading ??= fetchTable(url).then((table) => new Detector(table));
  try {
    return await loading;
  } catch (error) {
    loading = undefined; // The next one tries again.
    throw new DragomanError("network", `the table of languages could not be fetched: ${String(error)}`, { url });
  }
}

export class LanguageDetector {
  readonly expectedInputLanguages: readonly string[] | null;
  readonly #detector: Detector;
  #destroyed: DOMException | undefined;

  private constructor(detector: Detector, expected: readonly string[] | undefined) {
    this.#detector = detector;
    this.expectedInputLanguages = expected ?? null;
  }

  /** "available": it comes with the site. */
  static async availability({ expectedInputLanguages }: LanguageDetectorCreateOptions = {}): Promise<Availability> {
    const detector = await loadDetector();
    return (expectedInputLanguages ?? []).every((tag) => knows(detector, tag)) ? "available" : "unavailable";
  }

  static async create({ expectedInputLanguages, signal }: LanguageDetectorCreateOptions = {}): Promise<LanguageDetector> {
    const detector = await abortable(loadDetector(), signal);
    const unknown = expectedInputLanguages?.find((tag) => !knows(detector, tag));
    if (unknown !== undefined) throw new DOMException(`${unknown} is not detected`, "NotSupportedError");
    const made = new LanguageDetector(detector, expectedInputLanguages);
    signal?.addEventListener("abort", () => { made.destroy(); }, { once: true });
    return made;
  }

  /** The likely languages, best first; the last is "und". */
  detect(text: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<LanguageDetectionResult[]> {
    return this.#answer(signal, () => results(this.#detector.detect(text)));
  }

  /** The same, with `language` null where it is not sure: nothing should be translated from a guess. */
  detectDetailed(text: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Detection> {
    return this.#answer(signal, () => this.#detector.detect(text));
  }

  destroy(): void {
    this.#destroyed ??= new DOMException("the language detector is destroyed", "AbortError");
  }

  #answer<T>(signal: AbortSignal | undefined, work: () => T): Promise<T> {
    return new Promise((resolve) => {
      signal?.throwIfAborted();
      if (this.#destroyed) throw this.#destroyed;
      resolve(work());
    });
  }
}

function knows(detector: Detector, tag: string): boolean {
  const [language = ""] = tag.toLowerCase().split("-");
  return detector.languages.some((known) => known.toLowerCase() === tag.toLowerCase() || known === language);
}

function results({ candidates }: Detection): LanguageDetectionResult[] {
  const known = candidates.filter(({ language }) => language !== UNKNOWN);
  const rest = candidates.find(({ language }) => language === UNKNOWN)?.confidence ?? 0;
  return [...known.map(({ language, confidence }) => ({ detectedLanguage: language, confidence })), { detectedLanguage: UNKNOWN, confidence: rest }];
}
