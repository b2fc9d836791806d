/**
 * `Translator` and `LanguageDetector` of https://webmachinelearning.github.io/translation-api/ where the browser has
 * none.
 *
 * Errors are those of the standard: a TypeError, a RangeError, or a DOMException of its names. Methods that are not of
 * the standard keep their own.
 */

import {
  DragomanError,
  LanguageDetector,
  QuotaError,
  Translator,
  type Availability,
  type LanguageDetectorCreateOptions,
  type LanguagePair,
  type StreamInput,
  type TranslateOptions,
  type TranslateStreamingOptions,
  type TranslatorCreateOptions,
} from "./index.ts";

type StandardOptions = Pick<TranslatorCreateOptions, "sourceLanguage" | "targetLanguage" | "signal" | "monitor">;

type QuotaExceeded = new (message: string, figures: { readonly requested: number; readonly quota: number }) => DOMException;

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
    const made = await Translator.create({ ...options, ...(await served(wanted)) });
    options.signal?.addEventListener("abort", () => { made.destroy(); }, { once: true });
    return withStandardErrors(made);
  } catch (error) {
    throw standardError(error);
  }
}

/** The translator, whose methods of the standard fail as the standard has it. */
function withStandardErrors(made: Translator): Translator {
  const own = {
    translate: made.translate.bind(made),
    translateStreaming: made.translateStreaming.bind(made),
    measureInputUsage: made.measureInputUsage.bind(made),
  };
  return Object.assign(made, {
    translate: (text: string, options?: TranslateOptions) => settled(own.translate(text, options)),
    translateStreaming: (input: StreamInput, options?: TranslateStreamingOptions) => streamed(own.translateStreaming(input, options)),
    measureInputUsage: (text: string, options?: TranslateOptions) => settled(own.measureInputUsage(text, options)),
  });
}

async function settled<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw standardError(error);
  }
}

function streamed(stream: ReadableStream<string>): ReadableStream<string> {
  const reader = stream.getReader();
  return new ReadableStream<string>({
    start(controller) {
      // At once, as without this stream between: not when the next piece is read.
      reader.closed.catch((error: unknown) => { controller.error(standardError(error)); });
    },
    async pull(controller) {
      const { done, value } = await settled(reader.read());
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 }); // Nothing is read ahead of who reads this one.
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
  if (error instanceof QuotaError) return exceededError(error);
  return new DOMException(error.message, NAMES[error.code] ?? "OperationError");
}

/** Of the platform's class with the figures, which not every browser has yet; else of that name alone. */
function exceededError({ message, requested, quota }: QuotaError): DOMException {
  const { QuotaExceededError } = globalThis as { readonly QuotaExceededError?: QuotaExceeded };
  return QuotaExceededError ? new QuotaExceededError(message, { requested, quota }) : new DOMException(message, "QuotaExceededError");
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
