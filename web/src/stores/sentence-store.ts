/**
 * Translated sentences in IndexedDB, for later visits: an option, off by default.
 *
 *     open() --> on --> failed      for good, with a reason; translation goes on without the store
 *       `-----------------^
 *
 * A sentence is found by (core and model, options, full text): another release of the core, or another
 * model, finds nothing. What a line says is the core's affair (`dragoman/kept.py`).
 *
 * Every change is one transaction, which also counts the bytes: tabs may write at once, and their sum is
 * right. A tab with a newer layout deletes the store of an older one, which then is "closed" there.
 */

import { openDB, type DBSchema, type IDBPDatabase, type IDBPObjectStore } from "idb";
import type { PersistentCacheFault } from "../wire/protocol.ts";

export const DATABASE = "dragoman-sentences";
/** Of the layout. A store of another one is deleted, not read. */
const LAYOUT = 1;
/** Milliseconds; what takes longer to open (a frozen tab in the way) or to read is done without. */
const PATIENCE = 3000;
/** Milliseconds: how exactly it is known when a sentence was used last. */
const USED_PRECISION = 3_600_000;

/** What `news` of the bridge asks for. */
export interface SentenceNews {
  readonly model: string;
  readonly options: string;
  readonly text: string;
  /** To be kept; null: it was used again. */
  readonly line: string | null;
  readonly dropped: boolean;
}

interface Sentence {
  readonly model: string;
  readonly options: string;
  readonly text: string;
  readonly line: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly used: number;
}

interface Layout extends DBSchema {
  sentences: { key: [string, string, string]; value: Sentence; indexes: { used: number } };
  totals: { key: "bytes"; value: number };
}

type Database = IDBPDatabase<Layout>;
type Sentences = IDBPObjectStore<Layout, ("sentences" | "totals")[], "sentences", "readwrite">;

export interface SentenceStoreOptions {
  /** What tells this release of the core from all others. */
  readonly core: string;
  /** Bytes of all sentences, about. */
  readonly limit: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export class SentenceStore {
  readonly #options: Required<SentenceStoreOptions>;
  readonly #opening: Promise<Database | undefined>;
  #fault: PersistentCacheFault | undefined;

  constructor(options: SentenceStoreOptions) {
    this.#options = { now: Date.now, ...options };
    this.#opening = this.#guarded(() => this.#open());
  }

  /** Why it is of no more use; undefined while it works. */
  get fault(): PersistentCacheFault | undefined {
    return this.#fault;
  }

  /** A model's sentences as the bridge takes them, the one used last first. Never rejects. */
  async load(model: string): Promise<string> {
    const stored = await this.#use((database) => {
      const first = this.#modelKey(model);
      // An array comes after all strings.
      return inTime(database.getAll("sentences", IDBKeyRange.bound([first], [first, []])), "read");
    });
    const rows = (stored ?? []).filter(isSentence).sort((one, other) => other.used - one.used);
    return JSON.stringify(rows.map(({ options, text, line }) => [options, text, line]));
  }

  /** Do what the news ask for, in one transaction. Never rejects. */
  async write(news: readonly SentenceNews[]): Promise<void> {
    await this.#use(async (database) => {
      const transaction = database.transaction(["sentences", "totals"], "readwrite");
      const work = async (): Promise<void> => {
        const sentences = transaction.objectStore("sentences");
        const totals = transaction.objectStore("totals");
        let bytes = (await totals.get("bytes")) ?? 0;
        for (const one of news) bytes += await this.#apply(sentences, one);
        await totals.put(await this.#shrink(sentences, bytes), "bytes");
      };
      await Promise.all([work(), transaction.done]);
    });
  }

  /** Forget all sentences, of all models. Never rejects. */
  async clear(): Promise<void> {
    await this.#use(async (database) => {
      const transaction = database.transaction(["sentences", "totals"], "readwrite");
      const cleared = ["sentences", "totals"] as const;
      await Promise.all([...cleared.map((name) => transaction.objectStore(name).clear()), transaction.done]);
    });
  }

  /** Never rejects. */
  async close(): Promise<void> {
    (await this.#opening)?.close();
  }

  /** What the change makes of the sum of bytes. */
  async #apply(sentences: Sentences, { model, options, text, line, dropped }: SentenceNews): Promise<number> {
    const key: [string, string, string] = [this.#modelKey(model), options, text];
    const old = await sentences.get(key);
    const used = this.#options.now();
    if (dropped) {
      if (old) await sentences.delete(key);
      return old ? -old.bytes : 0;
    }
    if (line === null) {
      if (old && used - old.used > USED_PRECISION) await sentences.put({ ...old, used });
      return 0;
    }
    const bytes = 2 * (key[0].length + options.length + text.length) + line.length;
    await sentences.put({ model: key[0], options, text, line, bytes, used });
    return bytes - (old?.bytes ?? 0);
  }

  /** Let those go that were used longest ago; returns the bytes that are left. */
  async #shrink(sentences: Sentences, bytes: number): Promise<number> {
    let cursor = bytes > this.#options.limit ? await sentences.index("used").openCursor() : null;
    while (cursor && bytes > this.#options.limit) {
      bytes -= cursor.value.bytes;
      await cursor.delete();
      cursor = await cursor.continue();
    }
    return bytes;
  }

  #modelKey(model: string): string {
    return `${this.#options.core} ${model}`;
  }

  async #use<T>(work: (database: Database) => Promise<T>): Promise<T | undefined> {
    const database = await this.#opening;
    return database && !this.#fault ? this.#guarded(() => work(database)) : undefined;
  }

  /** The result, unless something fails: that is the end of the store. */
  async #guarded<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#fail(faultOf(error));
      return undefined;
    }
  }

  /** The first reason stands. */
  #fail(fault: PersistentCacheFault): void {
    this.#fault ??= fault;
  }

  async #open(): Promise<Database> {
    if (!("indexedDB" in globalThis)) throw new DOMException("there is no IndexedDB", "NotSupportedError");
    const close = (detail: string): void => {
      this.#fail({ why: "closed", detail });
      void opening.then((database) => { database.close(); }, () => undefined);
    };
    const opening = openDB<Layout>(DATABASE, LAYOUT, {
      upgrade(database) {
        for (const name of [...database.objectStoreNames]) database.deleteObjectStore(name);
        const sentences = database.createObjectStore("sentences", { keyPath: ["model", "options", "text"] });
        sentences.createIndex("used", "used");
        database.createObjectStore("totals");
      },
      blocking: () => { close("another page changes or deletes it"); },
      terminated: () => { close("the browser closed it"); },
    });
    try {
      return await inTime(opening, "open");
    } catch (error) {
      void opening.then((database) => { database.close(); }, () => undefined); // should it still come
      throw error;
    }
  }
}

/** The result, unless it takes too long: loading a model must not wait for it. */
async function inTime<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DOMException(`it did not ${what} within ${PATIENCE} ms`, "TimeoutError"));
    }, PATIENCE);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

const FAULTS: Readonly<Record<string, PersistentCacheFault["why"]>> = {
  NotSupportedError: "not-supported",
  SecurityError: "not-supported",
  TimeoutError: "blocked",
  QuotaExceededError: "quota",
  VersionError: "newer",
  InvalidStateError: "closed",
};

function faultOf(error: unknown): PersistentCacheFault {
  const { name, message } = error instanceof Error || error instanceof DOMException ? error : new Error(String(error));
  return { why: FAULTS[name] ?? "failed", detail: `${name}: ${message}` };
}

/** Anything of the origin may have written there. */
function isSentence({ options, text, line, used }: Partial<Record<keyof Sentence, unknown>>): boolean {
  return [options, text, line].every((part) => typeof part === "string") && typeof used === "number";
}
