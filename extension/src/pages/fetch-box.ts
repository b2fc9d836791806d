/** What a fetch would bring and how far it is, with its buttons. Shown by the panel and by rows of the settings. */

import type { PublishedModel } from "../../../web/src/published/catalogue.ts";
import { fromWire } from "../../../web/src/wire/errors.ts";
import { formatSize, message } from "../api.ts";
import type { Pair, SaidState } from "../messages.ts";
import { errorText } from "../errors.ts";
import type { ModelsClient } from "./models-client.ts";
import type { Publisher } from "./publisher.ts";

export class FetchBox {
  readonly element = document.createElement("div");
  readonly pair: Pair;
  readonly #client: ModelsClient;
  readonly #publisher: Publisher;
  readonly #bar = document.createElement("progress");
  readonly #bytes = document.createElement("p");
  readonly #start: HTMLButtonElement;
  readonly #pause: HTMLButtonElement;
  readonly #cancel: HTMLButtonElement;

  /** `what` is named in the buttons' labels: "French to English". */
  constructor(pair: Pair, what: string, client: ModelsClient, publisher: Publisher) {
    this.pair = pair;
    this.#client = client;
    this.#publisher = publisher;
    this.element.className = "fetch";
    this.#bytes.className = "faint bytes";
    this.#bytes.setAttribute("role", "status");
    this.#bar.setAttribute("aria-label", message("progress"));
    this.#start = this.#button("start", what, () => void this.#begin());
    this.#pause = this.#button("pause", what, () => { client.post({ type: "pause", ...pair }); });
    this.#cancel = this.#button("cancel", what, () => { client.post({ type: "discard", ...pair }); });
    this.#pause.textContent = message("pause");
    this.#cancel.textContent = message("cancel");
    const row = document.createElement("div");
    row.className = "actions";
    row.append(this.#start, this.#pause, this.#cancel);
    this.element.append(this.#bar, this.#bytes, row);
    for (const part of [this.#bar, this.#pause, this.#cancel]) part.hidden = true;
    this.#start.textContent = message("fetch");
    client.post({ type: "offer", ...pair });
  }

  show(state: SaidState): void {
    if (state.name === "done") return;
    const { loaded, total } = state;
    const isRunning = state.name === "fetching";
    const pressed = [this.#start, this.#pause, this.#cancel].find((button) => button === document.activeElement);
    this.#start.hidden = isRunning;
    this.#pause.hidden = !isRunning;
    this.#cancel.hidden = !isRunning && loaded === 0;
    this.#bar.hidden = this.#cancel.hidden;
    // Keys go on where the pressed button was.
    if (pressed?.hidden) (isRunning ? this.#pause : this.#start).focus();
    this.#bar.max = Math.max(1, total);
    this.#bar.value = loaded;
    this.#start.textContent = loaded > 0 ? message("goOn", formatSize(total - loaded)) : message("fetch");
    this.#bytes.textContent = textOf(state);
  }

  async #begin(): Promise<void> {
    const hasBegun = await this.#publisher.fetch(this.#client, this.pair);
    if (!hasBegun) this.#bytes.textContent = message("notAllowed");
  }

  #button(name: string, what: string, onclick: () => void): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = name === "start" ? `${name} main` : name;
    button.title = what;
    button.addEventListener("click", onclick);
    return button;
  }
}

function textOf(state: Exclude<SaidState, { name: "done" }>): string {
  const sizes = message("bytesOf", formatSize(state.loaded), formatSize(state.total));
  switch (state.name) {
    case "offered":
      return state.loaded > 0 ? message("cameBefore", sizes) : "";
    case "paused":
      return message("paused", sizes);
    case "fetching":
      return sizes;
    case "failed":
      return errorText(fromWire(state.error));
  }
}

/** Who made some models, under what licence. */
export function attribution(models: readonly PublishedModel[]): string {
  return [...new Set(models.map(({ publisher, licence }) => message("madeBy", publisher, licence)))].join("; ");
}
