/**
 * A long text whose sentences are shown as they come: the pieces of a stream, joined to what one request would have
 * answered.
 */

import type { Translator } from "../api/translator.ts";
import type { SentenceTranslation, StreamPiece, TermUse, TranslationResponse, TranslationWarning, WordAlignment } from "../wire/protocol.ts";

/** UTF-16 code units: below this, all is there in about a second. */
export const LONG = 1_500;

/** What is there of a translation: a beginning of it, whole sentences. */
export interface Partial {
  readonly response: TranslationResponse;
  /** Of the source, UTF-16 code units. */
  readonly done: number;
}

export interface GrowingOptions {
  readonly signal: AbortSignal;
  readonly onpartial: (partial: Partial) => void;
}

export async function translateGrowing(
  translator: Pick<Translator, "translateStreamingDetailed">,
  text: string,
  { signal, onpartial }: GrowingOptions,
): Promise<TranslationResponse> {
  const started = performance.now();
  const growing = new Growing();
  const reader = translator.translateStreamingDetailed(text, { signal }).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    growing.add(value);
    onpartial({ response: growing.response(started), done: value.source[1] });
  }
  return growing.response(started);
}

class Growing {
  #text = "";
  readonly #sentences: SentenceTranslation[] = [];
  readonly #warnings: TranslationWarning[] = [];
  #terms: TermUse[] | null = null;
  readonly #sourceWords: WordAlignment["sourceWords"][number][] = [];
  readonly #targetWords: WordAlignment["targetWords"][number][] = [];
  readonly #links: WordAlignment["links"][number][] = [];
  readonly #scores: number[] = [];
  readonly #seconds = { queued: 0, tokenize: 0, engine: 0, assemble: 0 };

  /** Its ranges are in the whole texts; its links are of its own words. */
  add({ text, sentences, warnings, terms, alignment, timings }: StreamPiece): void {
    this.#text += text;
    this.#sentences.push(...sentences);
    this.#warnings.push(...warnings);
    if (terms) this.#terms = [...(this.#terms ?? []), ...terms];
    if (alignment) {
      const [sources, targets] = [this.#sourceWords.length, this.#targetWords.length];
      this.#sourceWords.push(...alignment.sourceWords);
      this.#targetWords.push(...alignment.targetWords);
      this.#links.push(...alignment.links.map(([source, target]) => [source + sources, target + targets] as const));
      this.#scores.push(...alignment.scores);
    }
    for (const name of ["queued", "tokenize", "engine", "assemble"] as const) this.#seconds[name] += timings[name];
  }

  /** Grows with what is added: nobody may keep it for later. */
  response(started: number): TranslationResponse {
    return {
      text: this.#text,
      sentences: this.#sentences,
      alignment: { sourceWords: this.#sourceWords, targetWords: this.#targetWords, links: this.#links, scores: this.#scores },
      soft: null,
      content: null,
      terms: this.#terms,
      warnings: this.#warnings,
      timings: { ...this.#seconds, total: (performance.now() - started) / 1_000 },
    };
  }
}
