/**
 * What `Translator.create` tells of the loading.
 *
 *     "downloadprogress"   all files of all models that are needed, `loaded` of a `total` that is always 1 (the
 *                          standard's): published ones that are fetched, then the one that is loaded
 *     "loading"            every stage by itself, in bytes
 */

import type { FetchProgress } from "../published/store.ts";
import type { LoadingMessage, LoadingStage } from "../wire/protocol.ts";
import type { Offer } from "./offers.ts";

export class DownloadProgressEvent extends Event {
  readonly lengthComputable = true;
  readonly total = 1;
  readonly loaded: number;

  constructor(loaded: number) {
    super("downloadprogress");
    this.loaded = loaded;
  }
}

export class LoadingEvent extends Event {
  readonly stage: LoadingStage;
  readonly loaded: number;
  /** 0 where it is not known. */
  readonly total: number;

  constructor({ stage, loaded, total }: LoadingMessage) {
    super("loading");
    this.stage = stage;
    this.loaded = loaded;
    this.total = total;
  }
}

/** The events of a monitor, by name. */
export interface CreateMonitorEvents {
  downloadprogress: DownloadProgressEvent;
  loading: LoadingEvent;
}

export class CreateMonitor extends EventTarget {
  /** The standard's other way to listen. */
  ondownloadprogress: ((event: DownloadProgressEvent) => void) | null = null;
  /** Bytes that were fetched before anything is loaded; whether the model that is loaded is among them. */
  #fetched = 0;
  #isFirstFetched = false;

  constructor() {
    super();
    this.addEventListener("downloadprogress", (event) => this.ondownloadprogress?.(event));
  }

  override addEventListener<K extends keyof CreateMonitorEvents>(
    type: K,
    listener: (event: CreateMonitorEvents[K]) => void,
    options?: AddEventListenerOptions | boolean,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void {
    super.addEventListener(type, listener, options);
  }

  /**
   * What hears of the fetch of some models.
   *
   * @internal
   */
  fetching(legs: readonly Offer[]): (progress: FetchProgress) => void {
    const [first] = legs;
    return ({ loaded, total }) => {
      if (total === 0) return;
      this.#fetched = total;
      this.#isFirstFetched = first?.published !== undefined;
      this.dispatchEvent(new LoadingEvent({ type: "loading", stage: "model", loaded, total }));
      const rest = this.#isFirstFetched ? 0 : (first?.download ?? 0);
      this.dispatchEvent(new DownloadProgressEvent(loaded / (total + rest)));
    };
  }

  /** @internal */
  report(message: LoadingMessage): void {
    const { stage, loaded, total } = message;
    // It was fetched just now, and is only read.
    if (stage === "model" && this.#isFirstFetched) return;
    this.dispatchEvent(new LoadingEvent(message));
    if (stage === "model" && total > 0) {
      this.dispatchEvent(new DownloadProgressEvent((this.#fetched + loaded) / (this.#fetched + total)));
    }
  }
}
