/**
 * What pickers of languages show: every language that can be had, those at hand first, the others with what they
 * would cost. The site's own models are at hand; of published ones, those that are kept.
 */

import { closest, nameOf } from "../base/tags.ts";
import type { Offer } from "../api/offers.ts";
import { downloadOf, filesOf } from "../published/catalogue.ts";
import { findRoute } from "../stores/models.ts";

/** The models from one language to another. */
export interface Route {
  /** One, or two over `over`. */
  readonly legs: readonly Offer[];
  readonly over: string | undefined;
  /** Bytes to fetch; 0: it is at hand. */
  readonly missing: number;
}

export interface Choice {
  readonly tag: string;
  readonly name: string;
  /** Bytes to fetch; 0: it is at hand. */
  readonly missing: number;
}

export class Directions {
  readonly #offers: readonly Offer[];
  readonly #language: string | undefined;
  /** SHA-256 of files that are kept. */
  readonly #kept: ReadonlySet<string>;

  /** @param language of the names; by default the user's. */
  constructor(offers: readonly Offer[], language?: string) {
    this.#offers = offers;
    this.#language = language;
    const kept = offers.flatMap(({ published, isKept }) => (published && isKept ? [published] : []));
    this.#kept = new Set(filesOf(kept).map(({ sha256 }) => sha256));
  }

  /** The way from one language to another; undefined: there is none. */
  route(source: string, target: string): Route | undefined {
    const legs = findRoute(this.#offers, source, target);
    if (!legs.length) return undefined;
    return { legs, over: legs.length > 1 ? legs[0]?.target : undefined, missing: this.#missing(legs) };
  }

  /** The languages that can be translated; with a size: what is missing for `target`, or for any. */
  sources(target: string): readonly Choice[] {
    const tags = new Set(this.#offers.map(({ source }) => source));
    return this.#sorted([...tags].map((tag) => this.#choice(tag, this.route(tag, target)?.missing ?? this.#least(tag))));
  }

  /** The languages into which one can be translated. */
  targets(source: string): readonly Choice[] {
    const tags = new Set(this.#offers.map(({ target }) => target));
    const choices = [...tags].flatMap((tag) => {
      const route = tag === source ? undefined : this.route(source, tag);
      return route ? [this.#choice(tag, route.missing)] : [];
    });
    return this.#sorted(choices);
  }

  /** The tag among some that serves one that is wanted; else the first, which is at hand if any is. */
  static best(choices: readonly Choice[], wanted: string): string {
    const tags = choices.map(({ tag }) => tag);
    return closest(wanted, tags) ?? tags[0] ?? "";
  }

  #choice(tag: string, missing: number): Choice {
    return { tag, name: nameOf(tag, this.#language), missing };
  }

  /** Of the models that read a language. */
  #least(source: string): number {
    return Math.min(...this.#offers.filter((offer) => offer.source === source).map((offer) => this.#missing([offer])));
  }

  #missing(legs: readonly Offer[]): number {
    const wanted = legs.flatMap(({ published, isKept }) => (published && !isKept ? [published] : []));
    const files = filesOf(wanted).filter(({ sha256 }) => !this.#kept.has(sha256));
    return files.reduce((total, file) => total + downloadOf(file), 0);
  }

  #sorted(choices: readonly Choice[]): readonly Choice[] {
    const { compare } = new Intl.Collator(this.#language);
    const isAway = ({ missing }: Choice): number => Number(missing > 0);
    return [...choices].sort((one, other) => isAway(one) - isAway(other) || compare(one.name, other.name));
  }
}
