/**
 * Published models in the browser: fetched when asked for, verified, kept, usable without a network.
 *
 *     files/SHA256              each file once, whatever models use it
 *     models/fr-en.json         a model: its facts and its files, as the catalogue had them
 *     partial/SHA256.*          what has come so far of a file that is being fetched
 *     catalogues/SHA256.json    the last answer of a mirror, for when there is no network
 *
 * A file has its name only when its size and SHA-256 were right; a model is written after its files. So who reads
 * needs no lock, and a tab that is closed at any moment leaves nothing wrong. Web Locks, by file: one tab fetches
 * it, others wait and find it there.
 */

import type { OnBytes } from "../base/bytes.ts";
import { sha256 } from "../base/hash.ts";
import type { FileType } from "../wire/contract.ts";
import { DragomanError, QuotaError } from "../wire/errors.ts";
import { abortable } from "../base/signals.ts";
import {
  downloadOf,
  filesOf,
  isFetchable,
  pairOf,
  readCatalogue,
  type PublishedFile,
  type PublishedModel,
} from "./catalogue.ts";
import { fetchFile, type FetchHost } from "./fetch.ts";
import { Parts } from "./parts.ts";
import { openShelf, type Shelf } from "./shelf.ts";
import { check } from "./unpack.ts";

/** What the store stands on; tests give fakes. */
export interface PublishedHost extends FetchHost {
  /** Null: nothing can be kept here. */
  readonly openShelf: () => Promise<Shelf | null>;
  readonly locks: Pick<LockManager, "request"> | undefined;
  /** Bytes that may still be kept; undefined: nobody knows. */
  readonly room: () => Promise<number | undefined>;
  /** Ask the browser to throw nothing away by itself; whether it says so. */
  readonly persist: () => Promise<boolean>;
}

export interface FetchProgress {
  /** Bytes that have come, of all files together, those of earlier times included. */
  readonly loaded: number;
  readonly total: number;
  /** Another tab fetches the file that is waited for. */
  readonly isElsewhere: boolean;
}

export interface FetchOptions {
  /** Ends the fetch; what has come is kept. */
  readonly signal?: AbortSignal | undefined;
  readonly onprogress?: ((progress: FetchProgress) => void) | undefined;
}

/** What is missing of some models. */
export interface Missing {
  /** Each once. */
  readonly files: readonly PublishedFile[];
  /** Bytes to fetch in all, and those of them that have come before. */
  readonly download: number;
  readonly begun: number;
  /** Bytes that must be free: what is left of the packed files, and all of them unpacked. */
  readonly room: number;
}

/** Milliseconds between two looks at what another tab has fetched. */
const GLANCE = 500;

export class PublishedStore {
  readonly #host: PublishedHost;
  #shelf: Promise<Shelf | null> | undefined;

  constructor(host: PublishedHost = browserHost()) {
    this.#host = host;
  }

  /** The models that were fetched, whole or not any more. */
  async models(): Promise<readonly PublishedModel[]> {
    const shelf = await this.#open();
    if (!shelf) return [];
    const names = await shelf.list("models");
    const found = await Promise.all(names.map(async (name) => readRecord(await shelf.get("models", name))));
    return found.filter((model) => model !== undefined);
  }

  /** Whether a model needs no network. */
  async isKept(model: PublishedModel): Promise<boolean> {
    return (await this.missing([model])).files.length === 0;
  }

  async missing(models: readonly PublishedModel[]): Promise<Missing> {
    const shelf = await this.#open();
    const files: PublishedFile[] = [];
    let begun = 0;
    for (const file of filesOf(models)) {
      if (shelf && (await has(shelf, file))) continue;
      files.push(file);
      if (shelf) begun += Math.min(await begunOf(shelf, file), downloadOf(file));
    }
    const download = sum(files.map(downloadOf));
    return { files, download, begun, room: sum(files.map(({ size }) => size)) + download - begun };
  }

  /**
   * Fetch what is missing of some models, and keep them.
   *
   * @throws DragomanError "no-room", "store", "fetch", "fetch-network", "fetch-status", "fetch-corrupt"; the
   *   signal's reason.
   */
  async fetch(models: readonly PublishedModel[], { signal, onprogress }: FetchOptions = {}): Promise<void> {
    const shelf = await this.#needed();
    signal?.throwIfAborted();
    const { files, download: total, room } = await this.missing(models);
    if (files.length) {
      // Some browsers ask the person: nobody waits for the answer.
      void this.#host.persist().catch(() => false);
      await this.#checkRoom(room);
    }
    let done = 0;
    const report = (bytes: number, isElsewhere: boolean): void => {
      onprogress?.({ loaded: Math.min(done + bytes, total), total, isElsewhere });
    };
    report(0, false);
    for (const file of files) {
      const most = downloadOf(file);
      await this.#fetchOnce(shelf, file, signal, (bytes, isElsewhere) => {
        report(Math.min(bytes, most), isElsewhere);
      });
      done += most;
      report(0, false);
    }
    for (const model of models) await this.#install(shelf, model);
  }

  /**
   * A model's files by their type, verified. What is damaged or missing is fetched anew, if it can be.
   *
   * @param without types of file that are not wanted.
   * @throws DragomanError "store": there is no such model; as `fetch`.
   */
  async read(pair: string, onbytes: OnBytes = () => undefined, without: readonly FileType[] = []): Promise<KeptModel> {
    const shelf = await this.#needed();
    const model = await readRecord(await shelf.get("models", recordOf(pair)));
    if (!model) throw new DragomanError("store", `the model ${pair} is not kept here`, { pair });
    const files = model.files.filter(({ type }) => !without.includes(type));
    const total = sum(files.map(({ size }) => size));
    let loaded = 0;
    onbytes(loaded, total);
    const contents = await Promise.all(
      files.map(async (file) => {
        // It is heard of while a file is fetched anew: the page takes silence for the end.
        const content = await this.#intact(shelf, file, () => {
          onbytes(loaded, total);
        });
        onbytes((loaded += file.size), total);
        return [file.type, content] as const;
      }),
    );
    return { model, contents: new Map(contents) };
  }

  /**
   * Keep a file that was brought by hand; it counts once a model of it is installed.
   *
   * @throws DragomanError "fetch-corrupt", "no-room", "store"
   */
  async put(file: PublishedFile, content: Uint8Array<ArrayBuffer>): Promise<void> {
    const shelf = await this.#needed();
    await check(content, file, this.#host.subtle);
    if (!(await has(shelf, file))) await this.#keep(shelf, file, content);
  }

  /** Make a model of files that are all kept. @throws DragomanError "store": one is not. */
  async install(model: PublishedModel): Promise<void> {
    const { files: [missing] } = await this.missing([model]);
    if (missing) throw new DragomanError("store", `${missing.name} is missing`, { path: missing.name });
    await this.#install(await this.#needed(), model);
  }

  /** Delete a model, those of its files that no other one uses, and what has come of it so far. */
  async remove(model: PublishedModel): Promise<void> {
    const shelf = await this.#needed();
    await shelf.delete("models", recordOf(pairOf(model)));
    await this.release(model.files);
  }

  /** Delete those of some files that no model uses, and what has come of them so far. */
  async release(files: readonly PublishedFile[]): Promise<void> {
    const shelf = await this.#needed();
    const used = new Set(filesOf(await this.models()).map((file) => file.sha256));
    for (const file of files) {
      if (used.has(file.sha256)) continue;
      await shelf.delete("files", file.sha256);
      await new Parts(shelf, file.sha256).drop();
    }
  }

  /**
   * The models that a mirror has; without a network, those that it had the last time.
   *
   * @param address of its catalogue.
   * @throws DragomanError "fetch-network", "fetch-status", "store"
   */
  async catalogue(address: string): Promise<readonly PublishedModel[]> {
    const shelf = await this.#open();
    const name = `${await sha256(new TextEncoder().encode(address), this.#host.subtle)}.json`;
    let text: string;
    try {
      text = await this.#catalogueText(address);
      const models = readCatalogue(text, address).filter(isFetchable); // A page of some captive portal must not replace what is kept.
      await shelf?.put("catalogues", name, text).catch(() => undefined); // Without room: asked for again.
      return models;
    } catch (error) {
      const kept = await shelf?.get("catalogues", name);
      if (kept) return readCatalogue(await kept.text(), address).filter(isFetchable);
      throw error;
    }
  }

  async #catalogueText(address: string): Promise<string> {
    let response: Response;
    try {
      response = await this.#host.fetch(address, { cache: "no-cache", credentials: "same-origin" });
    } catch (error) {
      throw new DragomanError("fetch-network", `the list of models cannot be fetched: ${String(error)}`, { url: address });
    }
    if (response.ok) return response.text();
    const { status } = response;
    throw new DragomanError("fetch-status", `the list of models cannot be fetched: status ${status}`, { url: address, status });
  }

  async #install(shelf: Shelf, model: PublishedModel): Promise<void> {
    const name = recordOf(pairOf(model));
    const older = await readRecord(await shelf.get("models", name));
    await this.#guarded(shelf.put("models", name, JSON.stringify(model)), 0);
    if (older) await this.release(older.files);
  }

  /** A kept file; anew where it is damaged. */
  async #intact(shelf: Shelf, file: PublishedFile, oncame: () => void): Promise<Uint8Array<ArrayBuffer>> {
    const kept = await shelf.get("files", file.sha256);
    if (kept) {
      const content = new Uint8Array(await kept.arrayBuffer());
      try {
        await check(content, file, this.#host.subtle);
        return content;
      } catch (error) {
        await shelf.delete("files", file.sha256);
        if (!file.sources.length) throw error;
      }
    }
    await this.#fetchOnce(shelf, file, undefined, oncame);
    const anew = await shelf.get("files", file.sha256);
    if (!anew) throw new DragomanError("store", `${file.name} is not kept here`, { path: file.name });
    return new Uint8Array(await anew.arrayBuffer());
  }

  /** One tab fetches a file; others wait, and look how far it is. */
  async #fetchOnce(
    shelf: Shelf,
    file: PublishedFile,
    signal: AbortSignal | undefined,
    oncame: (bytes: number, isElsewhere: boolean) => void,
  ): Promise<void> {
    const waited = new AbortController();
    const work = async (): Promise<void> => {
      waited.abort();
      if (await has(shelf, file)) return;
      const count = (bytes: number): void => {
        oncame(bytes, false);
      };
      await this.#guarded(this.#fetchAndKeep(shelf, file, count, signal), file.size);
    };
    const { locks } = this.#host;
    if (!locks) return work();
    const glancing = this.#glance(shelf, file, waited.signal, (bytes) => {
      oncame(bytes, true);
    });
    try {
      await locks.request(`dragoman-file-${file.sha256}`, { ...(signal && { signal }) }, work);
    } finally {
      waited.abort();
      await glancing;
    }
  }

  async #fetchAndKeep(
    shelf: Shelf,
    file: PublishedFile,
    oncame: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await this.#keep(shelf, file, await fetchFile(file, shelf, this.#host, oncame, signal));
    await new Parts(shelf, file.sha256).drop();
  }

  async #keep(shelf: Shelf, file: PublishedFile, content: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#guarded(shelf.put("files", file.sha256, content), content.length);
  }

  async #glance(shelf: Shelf, file: PublishedFile, signal: AbortSignal, oncame: (bytes: number) => void): Promise<void> {
    for (;;) {
      try {
        await abortable(this.#host.sleep(GLANCE), signal);
      } catch {
        return;
      }
      const bytes = await begunOf(shelf, file);
      if (!signal.aborted) oncame(bytes);
    }
  }

  async #checkRoom(needed: number): Promise<void> {
    const free = await this.#host.room();
    if (free !== undefined && free < needed) throw noRoom(needed, free);
  }

  /** The same, but says how much is missing where there is no room. */
  async #guarded<T>(work: Promise<T>, needed: number): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
      throw noRoom(needed, (await this.#host.room()) ?? 0);
    }
  }

  async #needed(): Promise<Shelf> {
    const shelf = await this.#open();
    if (!shelf) throw new DragomanError("store", "this browser lets the page keep no files", {});
    return shelf;
  }

  #open(): Promise<Shelf | null> {
    this.#shelf ??= this.#host.openShelf();
    return this.#shelf;
  }
}

export interface KeptModel {
  readonly model: PublishedModel;
  /** By the type of file. */
  readonly contents: ReadonlyMap<FileType, Uint8Array<ArrayBuffer>>;
}

function recordOf(pair: string): string {
  return `${pair}.json`;
}

/** Undefined: there is none, or it is damaged. */
async function readRecord(kept: Blob | undefined): Promise<PublishedModel | undefined> {
  if (!kept) return undefined;
  try {
    return JSON.parse(await kept.text()) as PublishedModel;
  } catch {
    return undefined;
  }
}

/** By name and size: its hash was right when it got the name. */
async function has(shelf: Shelf, { sha256: name, size }: PublishedFile): Promise<boolean> {
  return (await shelf.get("files", name))?.size === size;
}

async function begunOf(shelf: Shelf, { sha256: name }: PublishedFile): Promise<number> {
  return (await new Parts(shelf, name).content()).size;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function noRoom(requested: number, allowed: number): QuotaError {
  const [needed, free, missing] = [requested, allowed, requested - allowed].map((bytes) => (bytes / 1e6).toFixed(1));
  const message = `there is no room for the models: ${needed} MB are needed, ${free} MB are free, ${missing} MB are missing`;
  return new QuotaError("no-room", message, { requested, allowed });
}

/** Only pages can ask. */
async function persist(): Promise<boolean> {
  const storage = navigator.storage as { readonly persist?: () => Promise<boolean> } & StorageManager;
  return "persist" in storage && storage.persist();
}

/** The browser's, in a page or a worker. */
export function browserHost(scope: typeof globalThis = globalThis): PublishedHost {
  const { navigator } = scope;
  return {
    openShelf: () => openShelf(scope),
    fetch: scope.fetch.bind(scope),
    subtle: scope.crypto.subtle,
    locks: "locks" in navigator ? navigator.locks : undefined,
    now: () => performance.now(),
    sleep: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
    async room() {
      const { quota, usage } = await navigator.storage.estimate();
      return quota === undefined || usage === undefined ? undefined : quota - usage;
    },
    persist,
  };
}
