/**
 * What was measured on this machine, kept: a model's choice of engine is not measured again.
 *
 * An entry a model and number of threads, for one adapter and one browser; another takes its place.
 */

import { ENGINE_CACHE } from "../caches.ts";
import type { FromRows } from "./calibration.ts";

/** Raised when the engines or the way of measuring change. */
const VERSION = 1;
/** Keys must look like addresses of the web, also in an extension. Nothing is ever asked of this one. */
const KEYS = "https://engines.invalid/";

export interface Circumstances {
  /** SHA-256 of the graph. */
  readonly graph: string;
  readonly threads: number;
  readonly adapter: string;
  /** The browser, with its version. */
  readonly browser: string;
}

interface Entry extends Circumstances {
  readonly version: number;
  readonly fromRows: FromRows;
}

export class Choices {
  readonly #caches: Pick<CacheStorage, "open">;

  constructor(caches: Pick<CacheStorage, "open">) {
    this.#caches = caches;
  }

  /** `undefined`: it was never measured under these circumstances. */
  async find(here: Circumstances): Promise<FromRows | undefined> {
    try {
      const cache = await this.#caches.open(ENGINE_CACHE);
      const kept = await cache.match(keyOf(here));
      if (!kept) return undefined;
      const entry = (await kept.json()) as Partial<Entry>;
      const isHere = entry.version === VERSION && entry.adapter === here.adapter && entry.browser === here.browser;
      return isHere ? entry.fromRows : undefined;
    } catch (error) {
      if (error instanceof DOMException || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** What cannot be kept is measured again next time. */
  async keep(here: Circumstances, fromRows: FromRows): Promise<void> {
    const entry: Entry = { ...here, version: VERSION, fromRows };
    await this.#change((cache) => cache.put(keyOf(here), new Response(JSON.stringify(entry))));
  }

  async forget(here: Circumstances): Promise<void> {
    await this.#change((cache) => cache.delete(keyOf(here)));
  }

  async #change(change: (cache: Cache) => Promise<unknown>): Promise<void> {
    try {
      await change(await this.#caches.open(ENGINE_CACHE));
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }
}

function keyOf({ graph, threads }: Circumstances): string {
  return `${KEYS}${graph}?threads=${threads}`;
}
