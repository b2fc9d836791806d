/**
 * What was measured on this machine, kept: the engine and the threads of a model are not measured again.
 *
 * An entry a choice, model and number of threads, for one adapter and one browser; another takes its
 * place.
 */

import { ENGINE_CACHE } from "../../stores/caches.ts";

/** Raised when the engines or the way of measuring change. */
const VERSION = 3;
/** Keys must look like addresses of the web, also in an extension. Nothing is ever asked of this one. */
const KEYS = "https://engines.invalid/";

/** What there is to choose: the rows from which on the GPU is faster, the number of threads. */
export type Question = "gpu" | "threads";

export interface Circumstances {
  /** SHA-256 of the graph. */
  readonly graph: string;
  /** The most that there may be. */
  readonly threads: number;
  /** Of a GPU; where it does not matter, none. */
  readonly adapter?: string;
  /** The browser, with its version. */
  readonly browser: string;
  /** Of what is to be measured again from time to time: the number of the week. */
  readonly week?: number;
}

interface Entry<Choice> extends Circumstances {
  readonly version: number;
  readonly choice: Choice;
}

export class Choices<Choice extends number | null> {
  readonly #caches: Pick<CacheStorage, "open">;
  readonly #question: Question;

  constructor(caches: Pick<CacheStorage, "open">, question: Question) {
    this.#caches = caches;
    this.#question = question;
  }

  /** `undefined`: it was never measured under these circumstances. */
  async find(here: Circumstances): Promise<Choice | undefined> {
    try {
      const cache = await this.#caches.open(ENGINE_CACHE);
      const kept = await cache.match(this.#keyOf(here));
      if (!kept) return undefined;
      const entry = (await kept.json()) as Partial<Entry<Choice>>;
      const isHere = (["adapter", "browser", "week"] as const).every((name) => entry[name] === here[name]);
      return isHere && entry.version === VERSION ? entry.choice : undefined;
    } catch (error) {
      if (error instanceof DOMException || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** What cannot be kept is measured again next time. */
  async keep(here: Circumstances, choice: Choice): Promise<void> {
    const entry: Entry<Choice> = { ...here, version: VERSION, choice };
    await this.#change((cache) => cache.put(this.#keyOf(here), new Response(JSON.stringify(entry))));
  }

  async forget(here: Circumstances): Promise<void> {
    await this.#change((cache) => cache.delete(this.#keyOf(here)));
  }

  async #change(change: (cache: Cache) => Promise<unknown>): Promise<void> {
    try {
      await change(await this.#caches.open(ENGINE_CACHE));
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }

  #keyOf({ graph, threads }: Circumstances): string {
    return `${KEYS}${this.#question}/${graph}?threads=${threads}`;
  }
}
