/**
 * The files of a shelf, by their SHA-256: fetched once, verified, kept.
 *
 * Web Locks, by file: one tab fetches it, others wait, and look how far it is.
 */

import { abortable } from "../base/signals.ts";
import { DragomanError } from "../wire/errors.ts";
import type { PublishedFile } from "./catalogue.ts";
import { fetchFile } from "./fetch.ts";
import type { PublishedHost } from "./host.ts";
import { Parts } from "./parts.ts";
import { withRoom } from "./room.ts";
import type { Shelf } from "./shelf.ts";
import { check } from "./unpack.ts";

/** Bytes of a file that have come, and whether another tab fetches it. */
export type OnCame = (bytes: number, isElsewhere: boolean) => void;

/** Milliseconds between two looks at what another tab has fetched. */
const GLANCE = 500;

export class Files {
  readonly #shelf: Shelf;
  readonly #host: PublishedHost;

  constructor(shelf: Shelf, host: PublishedHost) {
    this.#shelf = shelf;
    this.#host = host;
  }

  /** By name and size: its hash was right when it got the name. */
  async has({ sha256: name, size }: PublishedFile): Promise<boolean> {
    return (await this.#shelf.get("files", name))?.size === size;
  }

  /** Bytes that have come of a file, packed. */
  async begun(file: PublishedFile): Promise<number> {
    return (await this.#parts(file).content()).size;
  }

  /** A kept file; anew where it is damaged. @throws DragomanError "store"; as `fetch`. */
  async intact(file: PublishedFile, oncame: OnCame): Promise<Uint8Array<ArrayBuffer>> {
    const kept = await this.#shelf.get("files", file.sha256);
    if (kept) {
      const content = new Uint8Array(await kept.arrayBuffer());
      try {
        await check(content, file, this.#host.subtle);
        return content;
      } catch (error) {
        await this.#shelf.delete("files", file.sha256);
        if (!file.sources.length) throw error;
      }
    }
    await this.fetch(file, undefined, oncame);
    const anew = await this.#shelf.get("files", file.sha256);
    if (!anew) throw new DragomanError("store", `${file.name} is not kept here`, { path: file.name });
    return new Uint8Array(await anew.arrayBuffer());
  }

  /**
   * Fetch a file that is not here, once, whatever tabs want it.
   *
   * @throws DragomanError "no-room", "fetch", "fetch-network", "fetch-status", "fetch-corrupt"; the signal's reason.
   */
  async fetch(file: PublishedFile, signal: AbortSignal | undefined, oncame: OnCame): Promise<void> {
    const waited = new AbortController();
    const work = async (): Promise<void> => {
      waited.abort();
      if (await this.has(file)) return;
      const count = (bytes: number): void => {
        oncame(bytes, false);
      };
      await withRoom(this.#host, this.#fetchAndKeep(file, count, signal), file.size);
    };
    const { locks } = this.#host;
    if (!locks) return work();
    const glancing = this.#glance(file, waited.signal, (bytes) => {
      oncame(bytes, true);
    });
    try {
      await locks.request(`dragoman-file-${file.sha256}`, { ...(signal && { signal }) }, work);
    } finally {
      waited.abort();
      await glancing;
    }
  }

  /** Keep a file, which was checked. @throws DragomanError "no-room" */
  async put(file: PublishedFile, content: Uint8Array<ArrayBuffer>): Promise<void> {
    await withRoom(this.#host, this.#shelf.put("files", file.sha256, content), content.length);
  }

  /** Delete a file, and what has come of it so far. */
  async delete(file: PublishedFile): Promise<void> {
    await this.#shelf.delete("files", file.sha256);
    await this.#parts(file).drop();
  }

  async #fetchAndKeep(
    file: PublishedFile,
    oncame: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await this.put(file, await fetchFile(file, this.#shelf, this.#host, oncame, signal));
    await this.#parts(file).drop();
  }

  async #glance(file: PublishedFile, signal: AbortSignal, oncame: (bytes: number) => void): Promise<void> {
    for (;;) {
      try {
        await abortable(this.#host.sleep(GLANCE), signal);
      } catch {
        return;
      }
      const bytes = await this.begun(file);
      if (!signal.aborted) oncame(bytes);
    }
  }

  #parts(file: PublishedFile): Parts {
    return new Parts(this.#shelf, file.sha256);
  }
}
