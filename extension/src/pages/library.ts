/** The models in the settings: what is here and what can be had; fetched, deleted, brought as files. */

import type { Offer } from "../../../web/src/api/offers.ts";
import { takeFiles } from "../../../web/src/published/imports.ts";
import { PublishedStore } from "../../../web/src/published/store.ts";
import { counted, formatSize, languageName, message, ownLanguage } from "../api.ts";
import type { Pair, SaidState } from "../messages.ts";
import { knownModels, missingOf } from "../models.ts";
import { errorText } from "../errors.ts";
import { attribution, FetchBox } from "./fetch-box.ts";
import { byId } from "./localize.ts";
import { ModelsClient } from "./models-client.ts";
import { Publisher } from "./publisher.ts";

export class Library {
  readonly #client: ModelsClient;
  readonly #boxes = new Map<string, FetchBox>();

  /** `onoffers` hears of the models at each change. */
  constructor(onoffers: (offers: readonly Offer[]) => void) {
    this.#client = new ModelsClient({
      ondownload: (pair, state) => { this.#showDownload(pair, state); },
      onchanged: () => void load(),
      onfailed: (error) => { this.#fail(error); },
    });
    const load = async (): Promise<void> => {
      const offers = await this.#client.offers();
      this.#show(offers, await Publisher.of(missingOf(offers)));
      onoffers(offers);
    };
    this.#listen();
    load().catch((error: unknown) => { this.#fail(error); });
  }

  /** What translates is others now. */
  renew(): void {
    this.#client.post({ type: "changed" });
  }

  #listen(): void {
    const files = byId<HTMLInputElement>("files");
    const drop = byId("drop");
    byId("choose-files").addEventListener("click", () => { files.click(); });
    files.addEventListener("change", () => {
      void this.#take([...(files.files ?? [])]);
      files.value = "";
    });
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
    document.addEventListener("dragleave", () => { drop.classList.remove("over"); });
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      void this.#take([...(event.dataTransfer?.files ?? [])]);
    });
    byId("find").addEventListener("input", () => { this.#filter(); });
  }

  async #take(files: readonly File[]): Promise<void> {
    if (files.length === 0) return;
    this.#say(message("reading"));
    try {
      const taken = await takeFiles(new PublishedStore(), files, knownModels);
      this.renew();
      this.#say(message("added", taken.map(directionOf).join(", ")));
    } catch (error) {
      this.#say("");
      this.#fail(error);
    }
  }

  #show(offers: readonly Offer[], publisher: Publisher): void {
    const own = offers.filter(({ published }) => !published);
    const kept = offers.filter(({ published, isKept }) => published && isKept);
    const offered = offers.filter(({ published, isKept }) => published && !isKept);
    const bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
    byId("total").textContent = kept.length > 0 ? counted("total", kept.length, formatSize(bytes)) : message("noneFetched");
    this.#boxes.clear();
    const inFocus = document.activeElement?.closest<HTMLElement>("#models li, #offered li")?.dataset["pair"];
    fill("models", [...kept, ...own].map((offer) => this.#keptRow(offer)));
    fill("offered", offered.map((offer) => this.#offeredRow(offer, publisher)));
    byId("none-offered").hidden = offered.length > 0;
    this.#filter();
    if (inFocus !== undefined) focusRow(inFocus);
  }

  #keptRow(offer: Offer): HTMLLIElement {
    const row = rowOf(offer);
    if (!offer.published) return row;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = message("delete");
    button.setAttribute("aria-label", message("deleteNamed", directionOf(offer)));
    button.addEventListener("click", () => { this.#client.post({ type: "remove", source: offer.source, target: offer.target }); });
    row.append(button);
    return row;
  }

  #offeredRow(offer: Offer, publisher: Publisher): HTMLLIElement {
    const row = rowOf(offer);
    const { source, target } = offer;
    const box = new FetchBox({ source, target }, directionOf(offer), this.#client, publisher);
    this.#boxes.set(`${source} ${target}`, box);
    row.append(box.element);
    return row;
  }

  #showDownload({ source, target }: Pair, state: SaidState): void {
    this.#boxes.get(`${source} ${target}`)?.show(state);
  }

  #filter(): void {
    const wanted = byId<HTMLInputElement>("find").value.trim().toLocaleLowerCase();
    for (const row of byId("offered").querySelectorAll<HTMLElement>("li")) {
      row.hidden = !`${row.querySelector(".name")?.textContent ?? ""} ${row.dataset["pair"] ?? ""}`.toLocaleLowerCase().includes(wanted);
    }
  }

  #say(text: string): void {
    byId("library-error").hidden = true;
    byId("library-status").textContent = text;
  }

  #fail(error: unknown): void {
    byId("library-error").hidden = false;
    byId("library-error").textContent = errorText(error);
  }
}

function fill(id: string, rows: readonly HTMLLIElement[]): void {
  const { compare } = new Intl.Collator(ownLanguage());
  const nameOf = (row: HTMLElement): string => row.querySelector(".name")?.textContent ?? "";
  byId(id).replaceChildren(...[...rows].sort((one, other) => compare(nameOf(one), nameOf(other))));
}

/** The row of a model that keys were at, wherever it is now; not its button, which may do another thing than the one before. */
function focusRow(pair: string): void {
  const rows = [...document.querySelectorAll<HTMLElement>("#models li, #offered li")];
  const row = rows.find((one) => one.dataset["pair"] === pair);
  if (!row) return;
  row.tabIndex = -1;
  row.focus();
}

function rowOf(offer: Offer): HTMLLIElement {
  const row = document.createElement("li");
  row.dataset["pair"] = `${offer.source}-${offer.target}`;
  const text = document.createElement("div");
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = directionOf(offer);
  const facts = document.createElement("span");
  facts.className = "faint facts";
  facts.textContent = factsOf(offer);
  text.append(name, facts);
  row.append(text);
  return row;
}

function directionOf({ source, target }: Pair): string {
  return message("fromTo", languageName(source), languageName(target));
}

/** "26 MB, score 85.1, Mozilla and contributors, MPL-2.0" */
function factsOf({ published, isKept, bytes, download }: Offer): string {
  if (!published) return message("builtIn", formatSize(bytes));
  const { score } = published;
  const scored = score === null ? [] : [message("score", (score * 100).toLocaleString(ownLanguage(), { maximumFractionDigits: 1, minimumFractionDigits: 1 }))];
  return [formatSize(isKept ? bytes : download), ...scored, attribution([published])].join(", ");
}
