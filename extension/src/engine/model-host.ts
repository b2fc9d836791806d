/**
 * Fetches published models, in the page that holds the engine: a panel may be closed meanwhile.
 *
 *     port of a page --> list, offer, fetch, pause, discard, remove --> the store
 *     all ports      <-- download (each change), changed
 *
 * A route has one download, whoever asked for it. Nothing is fetched but on "fetch", which a page sends when a person
 * clicks and the publisher's permission is given.
 */

import type { Offer } from "../../../web/src/api/offers.ts";
import type { PublishedStore } from "../../../web/src/published/store.ts";
import { findRoute } from "../../../web/src/stores/models.ts";
import { Download, type DownloadState } from "../../../web/src/ui/download.ts";
import { DragomanError, toWire } from "../../../web/src/wire/errors.ts";
import type { FromModels, Pair, SaidState, ToModels } from "../messages.ts";
import { missingOf } from "../models.ts";

/** The part of `runtime.Port` that is used. */
export interface ModelPort {
  readonly onMessage: { addListener(listener: (message: ToModels) => void): void };
  readonly onDisconnect: { addListener(listener: () => void): void };
  postMessage(message: FromModels): void;
}

interface Running {
  readonly pair: Pair;
  readonly download: Download;
  /** It is asked for to be fetched, which begins at once. */
  readonly isToBegin: boolean;
  state: DownloadState | undefined;
  /** When it was told the last time, in milliseconds. */
  told: number;
}

/** Milliseconds between two reports of bytes that come. */
const PULSE = 150;

export interface ModelHostOptions {
  readonly store: PublishedStore;
  readonly offers: () => Promise<readonly Offer[]>;
  /** Models were added or deleted. */
  readonly onchanged: () => void;
  /** Called while something is fetched, and when nothing is any more. */
  readonly onbusy: (isBusy: boolean) => void;
}

export class ModelHost {
  readonly #options: ModelHostOptions;
  readonly #ports = new Set<ModelPort>();
  readonly #running = new Map<string, Running>();
  #offers: Promise<readonly Offer[]> | undefined;

  constructor(options: ModelHostOptions) {
    this.#options = options;
  }

  accept(port: ModelPort): void {
    this.#ports.add(port);
    port.onDisconnect.addListener(() => this.#ports.delete(port));
    port.onMessage.addListener((message) => {
      this.#answer(port, message).catch((error: unknown) => {
        this.#say(port, { type: "failed", error: toWire(error, "error") });
      });
    });
    for (const { pair, state } of this.#running.values()) if (state) this.#say(port, said(pair, state));
  }

  /** @throws DragomanError "language-pair": no models connect the two. */
  async fetch(pair: Pair): Promise<void> {
    const { download } = await this.#downloadOf(pair, true);
    await download.start();
  }

  async #answer(port: ModelPort, message: ToModels): Promise<void> {
    switch (message.type) {
      case "list":
        this.#say(port, { type: "offers", offers: await this.#known() });
        break;
      case "offer":
        await (await this.#downloadOf(message)).download.offer();
        break;
      case "fetch":
        await this.fetch(message);
        break;
      case "pause":
        this.#running.get(keyOf(message))?.download.pause();
        break;
      case "discard":
        await this.#discard(message);
        break;
      case "remove":
        await this.#remove(message);
        break;
      case "changed":
        this.#change();
    }
  }

  /** Looked for once, until something changes. */
  #known(): Promise<readonly Offer[]> {
    this.#offers ??= this.#options.offers().catch((error: unknown) => {
      this.#offers = undefined;
      throw error;
    });
    return this.#offers;
  }

  #change(): void {
    this.#offers = undefined;
    this.#options.onchanged();
    this.#tell({ type: "changed" });
  }

  async #downloadOf(pair: Pair, isToBegin = false): Promise<Running> {
    const { source, target } = pair;
    const key = keyOf(pair);
    const legs = findRoute(await this.#known(), source, target);
    if (!legs.length) throw new DragomanError("language-pair", `there is no model from ${source} to ${target}`, { source, target });
    const known = this.#running.get(key);
    // Two may ask in the same moment: the panel, and the background in its place when the permission is given.
    const begins = known !== undefined && known.isToBegin && known.state === undefined;
    if (known && (begins || known.state?.name === "fetching")) return known; // Others are made anew: models may have come or gone.
    const download = new Download(this.#options.store, missingOf(legs), (state) => {
      if (this.#running.get(key) === made) this.#follow(made, state);
    });
    const made: Running = { pair: { source, target }, download, isToBegin, state: undefined, told: 0 };
    this.#running.set(key, made);
    return made;
  }

  #follow(running: Running, state: DownloadState): void {
    const wasFetching = running.state?.name === "fetching";
    running.state = state;
    const now = performance.now();
    if (wasFetching && state.name === "fetching" && now - running.told < PULSE) return;
    running.told = now;
    if (state.name === "done") this.#running.delete(keyOf(running.pair));
    this.#tell(said(running.pair, state));
    if (state.name === "done") this.#change();
    this.#options.onbusy([...this.#running.values()].some((other) => other.state?.name === "fetching"));
  }

  async #discard(pair: Pair): Promise<void> {
    const running = this.#running.get(keyOf(pair));
    if (!running) return;
    await running.download.stop();
    await this.#options.store.release(running.download.models.flatMap(({ files }) => files));
    await running.download.offer();
  }

  async #remove({ source, target }: Pair): Promise<void> {
    const { store } = this.#options;
    const model = (await store.models()).find((one) => one.source === source && one.target === target);
    if (model) await store.remove(model);
    this.#running.delete(keyOf({ source, target }));
    this.#change();
  }

  #tell(message: FromModels): void {
    for (const port of this.#ports) this.#say(port, message);
  }

  #say(port: ModelPort, message: FromModels): void {
    if (this.#ports.has(port)) port.postMessage(message);
  }
}

function keyOf({ source, target }: Pair): string {
  return `${source} ${target}`;
}

function said(pair: Pair, state: DownloadState): FromModels {
  const known: SaidState = state.name === "failed" ? { ...state, error: toWire(state.error, "error") } : state;
  return { type: "download", ...pair, state: known };
}
