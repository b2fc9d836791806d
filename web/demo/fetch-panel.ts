/** In place of a translation: what a direction that is not on this machine would cost, and its fetch. */

import type { PublishedModel } from "../src/published/catalogue.ts";
import type { PublishedStore } from "../src/published/store.ts";
import { Download, type DownloadState } from "../src/ui/download.ts";
import type { Route } from "../src/ui/directions.ts";
import { within } from "./page/dom.ts";
import { errorMessage } from "./texts/errors.ts";
import { formatBytes } from "./texts/format.ts";
import { directionName, languageName, plural, say } from "./texts/texts.ts";

export interface FetchListener {
  /** Something of it has changed that the status line should say. */
  readonly onstatus: (text: string) => void;
  /** All of it is kept. */
  readonly ondone: () => void;
}

/** A state of the download that is shown. */
type Shown = Exclude<DownloadState, { name: "done" }>;

/** What is offered: a direction, and what of it is missing. */
interface Offered {
  readonly source: string;
  readonly target: string;
  readonly over: string | undefined;
  readonly models: readonly PublishedModel[];
}

export class FetchPanel {
  readonly #element: HTMLElement;
  readonly #store: PublishedStore;
  readonly #listener: FetchListener;
  readonly #parts;
  #offered: Offered | undefined;
  #download: Download | undefined;
  #state: Shown | undefined;

  constructor(element: HTMLElement, store: PublishedStore, listener: FetchListener) {
    this.#element = element;
    this.#store = store;
    this.#listener = listener;
    this.#parts = {
      title: within(element, "h2", HTMLElement),
      what: within(element, ".what", HTMLElement),
      bar: within(element, "progress", HTMLProgressElement),
      bytes: within(element, ".bytes", HTMLElement),
      start: within(element, ".start", HTMLButtonElement),
      pause: within(element, ".pause", HTMLButtonElement),
      by: within(element, ".by", HTMLElement),
    };
    this.#parts.start.addEventListener("click", () => void this.#download?.start());
    this.#parts.pause.addEventListener("click", () => {
      this.#download?.pause();
    });
  }

  /** Whether a person has to decide first. */
  get isShown(): boolean {
    return !this.#element.hidden;
  }

  /** Offer the legs of a route that are missing; fetches nothing. */
  show({ legs, over }: Route, source: string, target: string): void {
    const models = legs.flatMap(({ published, isKept }) => (published && !isKept ? [published] : []));
    this.hide();
    this.#offered = { source, target, over, models };
    this.#tell(this.#offered);
    const download = new Download(this.#store, models, (state) => {
      if (this.#download === download) this.#update(state);
    });
    this.#download = download;
    this.#element.hidden = false;
    void download.offer();
  }

  /** The page speaks another language; a fetch that is under way goes on. */
  retell(): void {
    if (this.#offered) this.#tell(this.#offered);
    if (this.#state) this.#update(this.#state);
  }

  /** A fetch that is under way ends; what has come is kept. */
  hide(): void {
    this.#download?.pause();
    this.#offered = this.#download = this.#state = undefined;
    this.#element.hidden = true;
  }

  #tell({ source, target, over, models }: Offered): void {
    const { title, what, by } = this.#parts;
    title.textContent = say("fetch.title", { direction: directionName(source, target) });
    what.textContent = [
      over ? say("fetch.over", { language: languageName(over), models: plural(models.length, "model") }) : "",
      say("fetch.once"),
    ].join("");
    by.textContent = attribution(models);
  }

  #update(state: DownloadState): void {
    if (state.name === "done") {
      this.hide();
      this.#listener.ondone();
      return;
    }
    this.#state = state;
    const { bar, bytes, start, pause } = this.#parts;
    const { loaded, total } = state;
    const isRunning = state.name === "fetching";
    const isFocused = [start, pause].some((button) => button === document.activeElement);
    start.hidden = isRunning;
    pause.hidden = !isRunning;
    if (isFocused) (isRunning ? pause : start).focus(); // The other one is gone.
    start.textContent = loaded > 0
      ? say("fetch.go-on", { bytes: formatBytes(total - loaded) })
      : say("fetch.start", { bytes: formatBytes(total) });
    bar.hidden = !isRunning && loaded === 0;
    bar.max = Math.max(1, total);
    bar.value = loaded;
    bytes.textContent = said(state);
    this.#listener.onstatus(say(isRunning ? "status.fetching" : state.name === "failed" ? "status.not-fetched" : "status.to-be-fetched"));
  }
}

/** "12.3 MB of 25.9 MB", and what is to be known besides. */
export function said(state: Shown): string {
  const { loaded, total } = state;
  const sizes = say("loading.part", { loaded: formatBytes(loaded), total: formatBytes(total) });
  switch (state.name) {
    case "offered":
      return loaded > 0 ? say("fetch.before", { sizes }) : "";
    case "paused":
      return say("fetch.paused", { sizes });
    case "fetching":
      return state.isElsewhere ? say("fetch.elsewhere", { sizes }) : sizes;
    case "failed": {
      const { title, advice } = errorMessage(state.error);
      return `${title}. ${advice}`;
    }
  }
}

/** Who made some models, under what licence. */
export function attribution(models: readonly PublishedModel[]): string {
  const makers = models.map(({ publisher, licence }) => say("fetch.by", { publisher, licence }));
  return [...new Set(makers)].join("; ");
}
