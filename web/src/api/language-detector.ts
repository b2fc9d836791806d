/**
 * The platform's LanguageDetector (https://webmachinelearning.github.io/translation-api/#language-detector-api):
 * offline, without workers and without Python. The table is fetched when the first detector is made.
 */

import { addressOf } from "../base/addresses.ts";
import { Detector, UNKNOWN, type Detection } from "../detection/detector.ts";
import { fetchTable } from "../detection/table.ts";
import { abortable } from "../base/signals.ts";
import { DragomanError } from "../wire/errors.ts";
import type { Availability } from "./models.ts";
import { CreateMonitor, DownloadProgressEvent } from "./monitor.ts";
import { builtFiles } from "./place.ts";

/** Of the built files. */
const TABLE = "runtime/detection/ngrams.bin";

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
  /** Is told of the download: "downloadprogress", 0 to 1. */
  readonly monitor?: (monitor: CreateMonitor) => void;
}

let loading: Promise<Detector> | undefined;

/**
 * The detector of a site; it is fetched once.
 *
 * @param base where the built files are; those of this script when nothing is said.
 */
export async function loadDetector(base?: string): Promise<Detector> {
  const url = addressOf(base === undefined ? builtFiles() : { base }, TABLE);
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
  /** Characters (UTF-16): a text may have any length; of a long one the beginning is read. */
  readonly inputQuota = Infinity;
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

  static async create(options: LanguageDetectorCreateOptions = {}): Promise<LanguageDetector> {
    const { expectedInputLanguages, signal, monitor } = options;
    signal?.throwIfAborted();
    const progress = new CreateMonitor();
    monitor?.(progress);
    const detector = await abortable(loadDetector(), signal);
    for (const loaded of [0, 1]) progress.dispatchEvent(new DownloadProgressEvent(loaded));
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

  /** How much of `inputQuota` a text takes. */
  measureInputUsage(text: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<number> {
    return this.#answer(signal, () => text.length);
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
