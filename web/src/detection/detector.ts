/**
 * Texts in, languages with confidence out. The same as `py/dragoman/detection/detector.py`, where the way
 * is told: both give the same answer to every text (`tests/golden/detection.jsonl`).
 */

import { wordNgrams, wordPattern } from "./ngrams.ts";
import type { NgramTable } from "./table.ts";

export const UNKNOWN = "und";
/** From this confidence on a language is named. */
export const SURE = 0.8;
/** Characters that are looked at. */
const SAMPLE = 4_000;
const ENOUGH = 6;
const PLENTY = 60;
const CONTRADICTS = 0.99;
const LEAST = 2;
const [STRANGE, STRANGE_SHARE, LISTED] = [2, 0.25, 3];
const DECIMALS = 1_000;
const WORTH = 0.01;
const SENTENCE_END = /[.!?\u2026\u3002\uff01\uff1f\u0964\u061f\n]+\s*/u;

export interface Candidate {
  /** BCP 47; "und" stands for all that the table does not know. */
  readonly language: string;
  /** 0 to 1. */
  readonly confidence: number;
}

export interface Detection {
  /** BCP 47; null when not sure. */
  readonly language: string | null;
  /** Of the best candidate. */
  readonly confidence: number;
  /** Those of 0.01 and more, best first. */
  readonly candidates: readonly Candidate[];
}

export class Detector {
  readonly #table: NgramTable;
  readonly #between: RegExp;
  readonly #simplified: ReadonlySet<string>;
  readonly #traditional: ReadonlySet<string>;
  readonly #relatives: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(table: NgramTable) {
    this.#table = table;
    this.#between = wordPattern(table.head.letters);
    this.#simplified = new Set(table.head.simplified);
    this.#traditional = new Set(table.head.traditional);
    this.#relatives = new Map(Object.entries(table.head.relatives).map(([language, words]) => [language, new Set(words)]));
  }

  /** Tags that `detect` may name. */
  get languages(): readonly string[] {
    return [...this.#table.head.languages, "zh-Hans", "zh-Hant"].sort();
  }

  /** The language of a text; of a long one, of its first 4,000 characters. */
  detect(text: string): Detection {
    const sample = firstCharacters(text);
    const windows = this.#windows(sample);
    const names = [...this.#table.head.languages, UNKNOWN];
    const candidates = this.#lessStrange(this.#shares(windows), sample)
      .map((share, at) => ({ share, at }))
      .sort((one, other) => other.share - one.share || one.at - other.at)
      .filter(({ share }) => share >= WORTH)
      .map(({ share, at }) => ({
        language: this.#written(names[at] ?? UNKNOWN, sample),
        confidence: Math.round(share * DECIMALS) / DECIMALS,
      }));
    const [best] = candidates;
    const few = windows.reduce((sum, part) => sum + part.length, 0) < LEAST;
    const sure = best !== undefined && best.confidence >= SURE && best.language !== UNKNOWN && !few;
    return { language: sure ? best.language : null, confidence: best?.confidence ?? 0, candidates };
  }

  #windows(text: string): number[][] {
    const windows: number[][] = [];
    let part: number[] = [];
    const close = (): void => {
      if (part.length > 0) windows.push(part);
      part = [];
    };
    for (const sentence of text.split(SENTENCE_END)) {
      for (const word of sentence.replace(this.#between, " ").toLowerCase().split(" ")) {
        if (!word) continue;
        if (part.length >= PLENTY) close();
        part.push(...wordNgrams(word));
      }
      if (part.length >= ENOUGH) close();
    }
    close();
    return windows;
  }

  /** Probabilities of the table's languages, and of none of them; [languages + 1]. */
  #shares(windows: readonly number[][]): number[] {
    const sums = windows.map((part) => this.#sums(part));
    const whole = this.#probabilities(sums);
    const best = argmax(whole);
    const total = windows.reduce((sum, part) => sum + part.length, 0);
    const against = whole.map(() => 0);
    windows.forEach((part, at) => {
      const shares = this.#probabilities(sums.slice(at, at + 1));
      const other = argmax(shares);
      if (other !== best && (shares[other] ?? 0) >= CONTRADICTS) {
        against[other] = (against[other] ?? 0) + part.length / total;
      }
    });
    const left = 1 - sum(against);
    return whole.map((share, at) => share * left + (against[at] ?? 0));
  }

  /**
   * Of the likeliest language goes to none of them what the text's strange words are of its small ones. Words with
   * a capital are not looked at, as any name is strange.
   */
  #lessStrange(shares: readonly number[], text: string): readonly number[] {
    const best = argmax(shares);
    const own = this.#relatives.get(this.#table.head.languages[best] ?? UNKNOWN);
    if (own === undefined || (shares[best] ?? 0) < SURE) return shares;
    let [words, strange] = [0, 0];
    for (const word of text.replace(this.#between, " ").split(" ")) {
      const small = word.toLowerCase();
      if (own.has(small)) {
        words += 1;
        strange += LISTED;
      } else if (small !== "" && word.startsWith(small.charAt(0))) {
        words += 1;
        if (!wordNgrams(small).every((ngram) => this.#table.knows(best, ngram))) strange += 1;
      }
    }
    if (strange < STRANGE || strange <= STRANGE_SHARE * words) return shares;
    const moved = (shares[best] ?? 0) * Math.min(1, strange / words);
    const change = (at: number): number => (at === best ? -moved : at === shares.length - 1 ? moved : 0);
    return shares.map((share, at) => share + change(at));
  }

  /** Of a window; [languages + 1]. */
  #sums(part: readonly number[]): number[] {
    const distinct = new Set(part);
    const sums = new Array<number>(this.#table.head.languages.length + 1).fill(0);
    for (const ngram of distinct) this.#table.add(ngram, sums);
    sums[sums.length - 1] = this.#table.head.unknown * distinct.size;
    return sums;
  }

  /** Of the sums of some windows together. */
  #probabilities(windows: readonly (readonly number[])[]): number[] {
    const { languages, unit, temperature } = this.#table.head;
    const length = languages.length + 1;
    if (windows.length === 0) return Array.from({ length }, (_, at) => (at === length - 1 ? 1 : 0));
    const sums = Array.from({ length }, (_, at) => sum(windows.map((part) => part[at] ?? 0)));
    const top = Math.max(...sums);
    const powers = sums.map((value) => Math.exp((value - top) / (unit * temperature)));
    const total = sum(powers);
    return powers.map((power) => power / total);
  }

  /** Chinese with its script, where characters tell. */
  #written(language: string, text: string): string {
    if (language !== "zh") return language;
    const count = (these: ReadonlySet<string>): number => Array.from(text).filter((char) => these.has(char)).length;
    const difference = count(this.#simplified) - count(this.#traditional);
    if (difference === 0) return language;
    return difference > 0 ? "zh-Hans" : "zh-Hant";
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function argmax(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}

/** Characters as Python counts them: no pair of surrogates is one and a half. */
function firstCharacters(text: string): string {
  return text.length <= SAMPLE ? text : Array.from(text.slice(0, 2 * SAMPLE)).slice(0, SAMPLE).join("");
}
