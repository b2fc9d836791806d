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

import { countBody, type OnBytes } from "../base/bytes.ts";
import { sha256 } from "../base/hash.ts";
import { Silence } from "../base/silence.ts";
import type { FileType } from "../wire/contract.ts";
import { DragomanError } from "../wire/errors.ts";
import {
  downloadOf,
  filesOf,
  isFetchable,
  pairOf,
  readCatalogue,
  type PublishedFile,
  type PublishedModel,
} from "./catalogue.ts";
import { Files } from "./files.ts";
import { browserHost, type PublishedHost } from "./host.ts";
import { checkRoom, withRoom } from "./room.ts";
import type { Shelf } from "./shelf.ts";
import { check } from "./unpack.ts";

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

/** Seconds without a byte of a catalogue: then there is no network, whatever the browser says (Wi-Fi that leads nowhere). */
const LONGEST_SILENCE = 3;

/** What is kept here, and the files of it. */
interface Opened {
  readonly shelf: Shelf;
  readonly files: Files;
}

export class PublishedStore {
  readonly #host: PublishedHost;
  #opened: Promise<Opened | null> | undefined;

  constructor(host: PublishedHost = browserHost()) {
    this.#host = host;
  }

  /** The models that were fetched, whole or not any more. */
  async models(): Promise<readonly PublishedModel[]> {
    const opened = await this.#open();
    if (!opened) return [];
    const { shelf } = opened;
    const names = await shelf.list("models");
    const records = await Promise.all(names.map(async (name) => readRecord(await shelf.get("models", name))));
    return records.filter((model) => model !== undefined);
  }

  /** Whether a model needs no network. */
  async isKept(model: PublishedModel): Promise<boolean> {
    return (await this.missing([model])).files.length === 0;
  }

  async missing(models: readonly PublishedModel[]): Promise<Missing> {
    const kept = (await this.#open())?.files;
    const files: PublishedFile[] = [];
    let begun = 0;
    for (const file of filesOf(models)) {
      if (await kept?.has(file)) continue;
      files.push(file);
      if (kept) begun += Math.min(await kept.begun(file), downloadOf(file));
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
    signal?.throwIfAborted();
    if (models.length === 0) return; // Nothing is to be kept: it works where nothing can be.
    const { files: kept } = await this.#needed();
    signal?.throwIfAborted();
    const { files, download: total, room } = await this.missing(models);
    if (files.length) {
      // Some browsers ask the person: nobody waits for the answer.
      void this.#host.persist().catch(() => false);
      await checkRoom(this.#host, room);
    }
    let done = 0;
    const report = (bytes: number, isElsewhere: boolean): void => {
      onprogress?.({ loaded: Math.min(done + bytes, total), total, isElsewhere });
    };
    report(0, false);
    for (const file of files) {
      const most = downloadOf(file);
      await kept.fetch(file, signal, (bytes, isElsewhere) => {
        report(Math.min(bytes, most), isElsewhere);
      });
      done += most;
      report(0, false);
    }
    for (const model of models) await this.#install(model);
  }

  /**
   * A model's files by their type, verified. What is damaged or missing is fetched anew, if it can be.
   *
   * @param without types of file that are not wanted.
   * @throws DragomanError "store": there is no such model; as `fetch`.
   */
  async read(pair: string, onbytes: OnBytes = () => undefined, without: Choice = () => []): Promise<KeptModel> {
    const { shelf, files: kept } = await this.#needed();
    const model = await readRecord(await shelf.get("models", recordOf(pair)));
    if (!model) throw new DragomanError("store", `the model ${pair} is not kept here`, { pair });
    const left = without(model.files);
    const files = model.files.filter(({ type }) => !left.includes(type));
    const total = sum(files.map(({ size }) => size));
    let loaded = 0;
    onbytes(loaded, total);
    const contents = await Promise.all(
      files.map(async (file) => {
        // It is heard of while a file is fetched anew: the page takes silence for the end.
        const content = await kept.intact(file, () => {
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
    const { files } = await this.#needed();
    await check(content, file, this.#host.subtle);
    if (!(await files.has(file))) await files.put(file, content);
  }

  /** Make a model of files that are all kept. @throws DragomanError "store": one is not. */
  async install(model: PublishedModel): Promise<void> {
    const { files: [missing] } = await this.missing([model]);
    if (missing) throw new DragomanError("store", `${missing.name} is missing`, { path: missing.name });
    await this.#install(model);
  }

  /** Delete a model, those of its files that no other one uses, and what has come of it so far. */
  async remove(model: PublishedModel): Promise<void> {
    const { shelf } = await this.#needed();
    await shelf.delete("models", recordOf(pairOf(model)));
    await this.release(model.files);
  }

  /** Delete those of some files that no model uses, and what has come of them so far. */
  async release(files: readonly PublishedFile[]): Promise<void> {
    const kept = (await this.#needed()).files;
    const used = new Set(filesOf(await this.models()).map((file) => file.sha256));
    for (const file of files) {
      if (!used.has(file.sha256)) await kept.delete(file);
    }
  }

  /**
   * The models that a mirror has; without a network, or where it does not answer, those that it had the last time.
   *
   * @param address of its catalogue.
   * @throws DragomanError "fetch-network", "fetch-status", "store"
   */
  async catalogue(address: string): Promise<readonly PublishedModel[]> {
    const shelf = (await this.#open())?.shelf;
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
    const stuck = new AbortController();
    const silence = new Silence(LONGEST_SILENCE, () => {
      stuck.abort(new DOMException(`nothing came within ${LONGEST_SILENCE} s`, "TimeoutError"));
    });
    const { signal } = stuck;
    try {
      const response = await this.#host.fetch(address, { cache: "no-cache", credentials: "same-origin", signal });
      return await textOf(response, address, () => {
        silence.heard();
      });
    } catch (error) {
      if (error instanceof DragomanError) throw error;
      throw new DragomanError("fetch-network", `the list of models cannot be fetched: ${String(error)}`, { url: address });
    } finally {
      silence.end();
    }
  }

  async #install(model: PublishedModel): Promise<void> {
    const { shelf } = await this.#needed();
    const name = recordOf(pairOf(model));
    const older = await readRecord(await shelf.get("models", name));
    await withRoom(this.#host, shelf.put("models", name, JSON.stringify(model)), 0);
    if (older) await this.release(older.files);
  }

  async #needed(): Promise<Opened> {
    const opened = await this.#open();
    if (!opened) throw new DragomanError("store", "this browser lets the page keep no files", {});
    return opened;
  }

  #open(): Promise<Opened | null> {
    this.#opened ??= this.#host.openShelf().then((shelf) => shelf && { shelf, files: new Files(shelf, this.#host) });
    return this.#opened;
  }
}

/** Kinds of file, out of those that a model has. */
export type Choice = (files: readonly PublishedFile[]) => readonly FileType[];

export interface KeptModel {
  readonly model: PublishedModel;
  /** By the type of file. */
  readonly contents: ReadonlyMap<FileType, Uint8Array<ArrayBuffer>>;
}

function recordOf(pair: string): string {
  return `${pair}.json`;
}

/** @throws DragomanError "fetch-status" */
async function textOf(response: Response, url: string, onchunk: () => void): Promise<string> {
  const { ok, status } = response;
  if (ok) return countBody(response, onchunk).text();
  throw new DragomanError("fetch-status", `the list of models cannot be fetched: status ${status}`, { url, status });
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
