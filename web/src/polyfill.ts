/**
 * `Translator` and `LanguageDetector` of https://webmachinelearning.github.io/translation-api/ where the browser has
 * none.
 *
 * Errors are those of the standard: a TypeError, a RangeError, or a DOMException of its names.
 */

import {
  DragomanError,
  LanguageDetector,
  Translator,
  type Availability,
  type LanguageDetectorCreateOptions,
  type LanguagePair,
  type TranslatorCreateOptions,
} from "./index.ts";

type StandardOptions = Pick<TranslatorCreateOptions, "sourceLanguage" | "targetLanguage" | "signal" | "monitor">;

const NAMES: Readonly<Partial<Record<string, string>>> = {
  "language-pair": "NotSupportedError",
  "not-supported": "NotSupportedError",
  network: "NetworkError",
};

async function availability(pair: LanguagePair): Promise<Availability> {
  const wanted = checked(pair);
  try {
    for (const tried of narrowing(wanted)) {
      const availability = await Translator.availability(tried);
      if (availability !== "unavailable") return availability;
    }
    return "unavailable";
  } catch (error) {
    if (error instanceof DragomanError && error.code === "not-supported") return "unavailable";
    throw standardError(error);
  }
}

async function create(options: StandardOptions): Promise<Translator> {
  const wanted = checked(options);
  options.signal?.throwIfAborted();
  try {
    return await Translator.create({ ...options, ...(await served(wanted)) });
  } catch (error) {
    throw standardError(error);
  }
}

/** The languages of the model that serves a pair: "de" for "de-AT"; the pair itself where none does. */
async function served(wanted: LanguagePair): Promise<LanguagePair> {
  for (const tried of narrowing(wanted)) {
    if ((await Translator.availability(tried)) !== "unavailable") return tried;
  }
  return wanted;
}

function checked(pair: Partial<LanguagePair> | undefined): LanguagePair {
  const { sourceLanguage, targetLanguage } = pair ?? {};
  if (sourceLanguage === undefined || targetLanguage === undefined) {
    throw new TypeError("sourceLanguage and targetLanguage are required");
  }
  return { sourceLanguage: canonical(sourceLanguage), targetLanguage: canonical(targetLanguage) };
}

/** @throws RangeError: it is no language tag. */
function canonical(tag: string): string {
  return Intl.getCanonicalLocales(tag)[0] ?? tag;
}

/** The pair, and it with shorter tags, as BCP 47 (RFC 4647, lookup) tries them. */
function narrowing({ sourceLanguage, targetLanguage }: LanguagePair): readonly LanguagePair[] {
  return prefixes(sourceLanguage).flatMap((source) =>
    prefixes(targetLanguage).map((target) => ({ sourceLanguage: source, targetLanguage: target })),
  );
}

function prefixes(tag: string): readonly string[] {
  const parts = tag.split("-");
  return parts.map((_, index) => parts.slice(0, parts.length - index).join("-"));
}

function standardError(error: unknown): unknown {
  if (!(error instanceof DragomanError)) return error;
  return new DOMException(error.message, NAMES[error.code] ?? "OperationError");
}

/** With tags that are canonical, each once. @throws RangeError: one is no language tag. */
function expecting(options: LanguageDetectorCreateOptions): LanguageDetectorCreateOptions {
  const { expectedInputLanguages: tags, ...rest } = options;
  return tags === undefined ? rest : { ...rest, expectedInputLanguages: Object.freeze([...new Set(Array.from(tags, canonical))]) };
}

async function detectorAvailability(options: LanguageDetectorCreateOptions = {}): Promise<Availability> {
  const wanted = expecting(options);
  try {
    return await LanguageDetector.availability(wanted);
  } catch (error) {
    throw standardError(error);
  }
}

async function createDetector(options: LanguageDetectorCreateOptions = {}): Promise<LanguageDetector> {
  const wanted = expecting(options);
  try {
    return await LanguageDetector.create(wanted);
  } catch (error) {
    throw standardError(error);
  }
}

/** A global of the standard's, unless the browser has it. */
function define(name: string, prototype: object, functions: object): void {
  if (name in globalThis) return;
  // As the standard has it: made by `create` alone.
  const value = Object.assign(function illegal(): never {
    throw new TypeError("Illegal constructor");
  }, functions);
  Object.defineProperty(value, "name", { value: name });
  Object.defineProperty(value, "prototype", { value: prototype });
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

define("Translator", Translator.prototype, { availability, create });
define("LanguageDetector", LanguageDetector.prototype, { availability: detectorAvailability, create: createDetector });
