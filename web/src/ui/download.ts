/**
 * A fetch that a person watches, pauses and goes on with.
 *
 *     offered --start--> fetching --pause--> paused --start--> fetching --> done
 *                           `---------------------------------------------> failed --start--> fetching
 *
 * Whatever ends it, what has come is kept: the next start goes on there.
 */

import type { PublishedModel } from "../published/catalogue.ts";
import type { FetchProgress, PublishedStore } from "../published/store.ts";

export type DownloadState =
  | { readonly name: "offered" | "paused"; readonly loaded: number; readonly total: number }
  | ({ readonly name: "fetching" } & FetchProgress)
  | { readonly name: "failed"; readonly error: unknown; readonly loaded: number; readonly total: number }
  | { readonly name: "done" };

export class Download {
  readonly models: readonly PublishedModel[];
  readonly #store: Pick<PublishedStore, "fetch" | "missing">;
  readonly #onstate: (state: DownloadState) => void;
  #running: AbortController | undefined;
  #ended: Promise<void> = Promise.resolve();
  #at = { loaded: 0, total: 0 };

  /** `onstate` is called at each change, and first when it is known what has come before. */
  constructor(
    store: Pick<PublishedStore, "fetch" | "missing">,
    models: readonly PublishedModel[],
    onstate: (state: DownloadState) => void,
  ) {
    this.#store = store;
    this.models = models;
    this.#onstate = onstate;
  }

  /** Say what there is to fetch; fetches nothing. */
  async offer(): Promise<void> {
    const { begun, download } = await this.#store.missing(this.models);
    if (this.#running) return;
    this.#at = { loaded: begun, total: download };
    this.#onstate({ name: "offered", ...this.#at });
  }

  /** Fetch what is missing, unless that is under way. */
  async start(): Promise<void> {
    if (this.#running) return;
    const running = new AbortController();
    this.#running = running;
    this.#ended = this.#fetch(running);
    await this.#ended;
  }

  /** End what is under way. */
  pause(): void {
    this.#running?.abort();
  }

  /** The same; resolves when nothing is written any more. */
  async stop(): Promise<void> {
    this.pause();
    await this.#ended;
  }

  async #fetch(running: AbortController): Promise<void> {
    this.#onstate({ name: "fetching", ...this.#at, isElsewhere: false });
    const onprogress = (progress: FetchProgress): void => {
      this.#at = { loaded: progress.loaded, total: progress.total };
      if (!running.signal.aborted) this.#onstate({ name: "fetching", ...progress });
    };
    try {
      await this.#store.fetch(this.models, { signal: running.signal, onprogress });
      this.#running = undefined;
      this.#onstate({ name: "done" });
    } catch (error) {
      this.#running = undefined;
      this.#onstate(running.signal.aborted ? { name: "paused", ...this.#at } : { name: "failed", error, ...this.#at });
    }
  }
}
