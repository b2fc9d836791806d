/** The panel of languages: what is kept and what can be had, fetched, paused, deleted; files that are dropped. */

import type { Environment } from "../src/api/environment.ts";
import type { Offer } from "../src/api/offers.ts";
import { readCatalogue, type PublishedModel } from "../src/published/catalogue.ts";
import { takeFiles } from "../src/published/imports.ts";
import { Download, type DownloadState } from "../src/ui/download.ts";
import { keepFocus } from "../src/ui/memory/row-focus.ts";
import { element, namedButton, within } from "./page/dom.ts";
import { attribution, said } from "./fetch-panel.ts";
import { errorMessage } from "./texts/errors.ts";
import { formatBytes, formatScore } from "./texts/format.ts";
import { directionName, plural, say } from "./texts/texts.ts";

/** A download and the row that shows it. */
interface Shown {
  readonly download: Download;
  readonly show: (state: DownloadState) => void;
  state: DownloadState | undefined;
}

export class Library {
  readonly #dialog: HTMLDialogElement;
  readonly #environment: Environment;
  readonly #findOffers: () => Promise<readonly Offer[]>;
  /** By direction: those under way outlive a new list. */
  readonly #downloads = new Map<string, Shown>();
  readonly #parts;

  /** `findOffers` is called after each change, and tells whoever else wants to know. */
  constructor(dialog: HTMLDialogElement, environment: Environment, findOffers: () => Promise<readonly Offer[]>) {
    this.#dialog = dialog;
    this.#environment = environment;
    this.#findOffers = findOffers;
    this.#parts = {
      close: within(dialog, ".close", HTMLButtonElement),
      total: within(dialog, ".total", HTMLElement),
      problem: within(dialog, ".problem", HTMLElement),
      kept: within(dialog, ".kept", HTMLElement),
      offered: within(dialog, ".offered", HTMLElement),
      none: within(dialog, ".none", HTMLElement),
      filter: within(dialog, ".filter", HTMLInputElement),
      drop: within(dialog, ".drop", HTMLElement),
      files: within(dialog, ".files", HTMLInputElement),
    };
    this.#listen();
  }

  async open(): Promise<void> {
    this.#parts.problem.hidden = true;
    this.#dialog.showModal();
    await this.#list();
  }

  #listen(): void {
    const { close, filter, files } = this.#parts;
    close.addEventListener("click", () => {
      this.#dialog.close();
    });
    within(this.#dialog, ".choose", HTMLButtonElement).addEventListener("click", () => {
      files.click();
    });
    files.addEventListener("change", () => {
      void this.take([...(files.files ?? [])]);
      files.value = "";
    });
    filter.addEventListener("input", () => {
      this.#filter();
    });
  }

  /** Files that were dropped or chosen. */
  async take(files: readonly File[]): Promise<void> {
    if (!this.#dialog.open) await this.open();
    this.#tell(say("library.reading", { files: plural(files.length, "file") }));
    try {
      const taken = await takeFiles(this.#environment.published, files, () => this.#known());
      await this.#list();
      this.#tell(say("library.added", { directions: taken.map(directionOf).join(", ") }));
    } catch (error) {
      await this.#list();
      this.#fail(error);
    }
  }

  /** What was published, by its hashes: a part of the site. */
  async #known(): Promise<readonly PublishedModel[]> {
    const url = new URL("models/published.json", this.#environment.base).href;
    const response = await fetch(url);
    return readCatalogue(await response.text(), url);
  }

  async #list(): Promise<void> {
    try {
      this.#show(await this.#findOffers());
    } catch (error) {
      this.#fail(error);
    }
  }

  #show(offers: readonly Offer[]): void {
    const kept = offers.filter(({ published, isKept }) => published && isKept);
    const own = offers.filter(({ published }) => !published);
    const offered = offers.filter(({ published, isKept }) => published && !isKept);
    const { total, filter, none } = this.#parts;
    const bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    const figures = { models: plural(kept.length, "model"), bytes: formatBytes(bytes), own: plural(own.length, "model") };
    total.textContent = say(kept.length ? "library.fetched" : "library.none-fetched", figures);
    this.#fill(this.#parts.kept, [...kept, ...own]);
    this.#fill(this.#parts.offered, offered);
    filter.hidden = offered.length === 0;
    none.hidden = offered.length > 0;
    none.textContent = say(offers.some(({ published }) => published) ? "library.all" : "library.no-more");
  }

  #fill(list: HTMLElement, offers: readonly Offer[]): void {
    const { compare } = new Intl.Collator();
    const rows = offers.map((offer) => ({ row: this.#row(offer), name: directionOf(offer) }));
    rows.sort((one, other) => compare(one.name, other.name));
    keepFocus(list, () => {
      list.replaceChildren(...rows.map(({ row }) => row));
      this.#filter();
    }, this.#parts.close);
  }

  #row(offer: Offer): HTMLElement {
    const { published, isKept } = offer;
    const row = element("li");
    row.dataset["key"] = row.dataset["pair"] = `${offer.source}-${offer.target}`;
    const name = element("span", "name", directionOf(offer));
    const facts = element("span", "facts", factsOf(offer));
    row.append(name, facts);
    if (!published) return row;
    if (published.home) facts.append(", ", link(published));
    if (isKept) row.append(namedButton(say("library.delete"), say("library.delete-of", { direction: directionOf(offer) }), () => this.#delete(published)));
    else this.#addDownload(row, offer, published);
    return row;
  }

  #addDownload(row: HTMLElement, offer: Offer, model: PublishedModel): void {
    const key = row.dataset["pair"] ?? "";
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", say("library.fetched-of", { direction: directionOf(offer) }));
    const bytes = element("span", "bytes");
    const act = namedButton("", "", () => {
      const shown = this.#downloads.get(key);
      if (shown?.state?.name === "fetching") shown.download.pause();
      else void shown?.download.start();
    });
    const drop = namedButton(say("library.discard"), say("library.discard-of", { direction: directionOf(offer) }), () => this.#delete(model));
    row.append(act, drop, bar, bytes);
    const show = (state: DownloadState): void => {
      if (state.name === "done") {
        this.#downloads.delete(key);
        void this.#list();
        return;
      }
      const isRunning = state.name === "fetching";
      label(act, say(isRunning ? "library.pause" : state.loaded ? "library.go-on" : "library.fetch"), directionOf(offer));
      bar.max = Math.max(1, state.total);
      bar.value = state.loaded;
      bar.hidden = !isRunning && state.loaded === 0;
      const isFocused = document.activeElement === drop;
      drop.hidden = isRunning || state.loaded === 0;
      if (isFocused && drop.hidden) act.focus();
      bytes.textContent = said(state);
    };
    this.#follow(key, model, show);
  }

  /** A download that is under way shows itself in the new row; else there is a new one. */
  #follow(key: string, model: PublishedModel, show: (state: DownloadState) => void): void {
    const older = this.#downloads.get(key);
    if (older?.state?.name === "fetching") {
      this.#downloads.set(key, { ...older, show });
      show(older.state);
      return;
    }
    const download = new Download(this.#environment.published, [model], (state) => {
      const shown = this.#downloads.get(key);
      if (shown?.download !== download) return;
      shown.state = state;
      shown.show(state);
    });
    this.#downloads.set(key, { download, show, state: undefined });
    void download.offer();
  }

  async #delete(model: PublishedModel): Promise<void> {
    try {
      await this.#environment.published.remove(model);
      await this.#list();
      this.#tell(say("library.deleted", { direction: directionOf(model) }));
    } catch (error) {
      this.#fail(error);
    }
  }

  #filter(): void {
    const { filter, offered } = this.#parts;
    const wanted = filter.value.trim().toLowerCase(); // Of the browser's language, Turkish would not find "Italian" by "it".
    for (const row of offered.querySelectorAll<HTMLElement>("li")) {
      const text = `${row.querySelector(".name")?.textContent ?? ""} ${row.dataset["pair"] ?? ""}`;
      row.hidden = !text.toLowerCase().includes(wanted);
    }
  }

  #tell(text: string): void {
    this.#parts.problem.hidden = true;
    this.#parts.total.textContent = text;
  }

  #fail(error: unknown): void {
    const { title, advice, technical } = errorMessage(error);
    this.#parts.problem.hidden = false;
    this.#parts.problem.textContent = `${title}. ${advice}`;
    this.#parts.problem.title = technical;
  }
}

function directionOf({ source, target }: Pick<Offer, "source" | "target">): string {
  return directionName(source, target);
}

/** "25.9 MB, score 85.1, Mozilla and contributors, MPL-2.0" */
function factsOf({ published, isKept, bytes, download }: Offer): string {
  if (!published) return say("library.built-in", { bytes: formatBytes(bytes) });
  const score = published.score === null ? [] : [say("library.score", { score: formatScore(published.score * 100, 1) })];
  return [formatBytes(isKept ? bytes : download), ...score, attribution([published])].join(", ");
}

function link(model: PublishedModel): HTMLElement {
  const made = document.createElement("a");
  if (/^https?:/.test(model.home)) made.href = model.home;
  made.rel = "noreferrer";
  made.target = "_blank";
  made.textContent = say("library.source");
  made.setAttribute("aria-label", say("library.source-of", { direction: directionOf(model) }));
  return made;
}

function label(made: HTMLButtonElement, act: string, direction: string): void {
  made.textContent = act;
  made.setAttribute("aria-label", say("library.act-on", { act, direction }));
}
