/** The list of documents: a row each, with its progress and what can be done about it. */

import { DOCUMENTS } from "../../src/wire/contract.ts";
import { DragomanError } from "../../src/wire/errors.ts";
import type { ErrorCode } from "../../src/wire/protocol.ts";
import { element, namedButton, within } from "../page/dom.ts";
import { errorMessage } from "../texts/errors.ts";
import { formatNumber, formatPercent } from "../texts/format.ts";
import { directionName, languageName, plural, say } from "../texts/texts.ts";
import { DocumentQueue, type Job, type JobState, type QueueHost } from "./queue.ts";

/** A table with more columns than this is asked about as a whole. */
const MOST_COLUMNS = 20;
const FOR_GOOD: readonly ErrorCode[] = ["unsupported-format", "document", "document-too-large"];

export interface DocumentsHost extends Omit<QueueHost, "onchange"> {
  /** Choose another source language. */
  readonly onswitch: (language: string) => void;
}

interface Row {
  readonly root: HTMLLIElement;
  readonly name: HTMLElement;
  readonly status: HTMLElement;
  readonly bar: HTMLProgressElement;
  readonly actions: HTMLElement;
  shown?: JobState["name"];
  /** The translation has been downloaded. */
  isSaved?: boolean;
  /** Of the file that can be downloaded. */
  url?: string;
}

export class DocumentsPanel {
  readonly #root: HTMLElement;
  readonly #list: HTMLElement;
  readonly #host: DocumentsHost;
  readonly #queue: DocumentQueue;
  readonly #rows = new Map<Job, Row>();

  constructor(root: HTMLElement, host: DocumentsHost) {
    this.#root = root;
    this.#host = host;
    this.#list = within(root, ".jobs", HTMLElement);
    this.#queue = new DocumentQueue({ ...host, onchange: (job) => { this.#show(job); } });
    const files = within(root, ".files", HTMLInputElement);
    files.accept = DOCUMENTS.endings.map((ending) => `.${ending}`).join(",");
    within(root, ".choose", HTMLButtonElement).addEventListener("click", () => {
      files.click();
    });
    files.addEventListener("change", () => {
      this.take([...(files.files ?? [])]);
      files.value = "";
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.#queue.isBusy || this.#isAnyUnsaved) event.preventDefault();
    });
  }

  /** Files that were dropped or chosen. */
  take(files: readonly File[]): void {
    for (const file of files) this.#queue.add(file);
    this.#root.scrollIntoView({ block: "nearest" });
  }

  /** Bring it into view, ready for files to be chosen: only a person may open the dialog for that. */
  show(): void {
    this.#root.scrollIntoView({ block: "nearest" });
    within(this.#root, ".choose", HTMLButtonElement).focus();
  }

  /** There are languages to choose from now. */
  known(): void {
    this.#queue.known();
  }

  /** The page speaks another language. */
  retell(): void {
    for (const [job, row] of this.#rows) {
      delete row.shown;
      this.#show(job);
    }
  }

  /** Whether there is a translation that nobody has downloaded. */
  get #isAnyUnsaved(): boolean {
    return [...this.#rows].some(([{ state }, row]) => state.name === "done" && state.document.sentences > 0 && !row.isSaved);
  }

  #show(job: Job): void {
    const row = this.#rows.get(job) ?? this.#addRow(job);
    const { state } = job;
    row.name.textContent = job.file.name;
    row.name.title = job.source && directionName(job.source, job.target);
    row.root.dataset["state"] = state.name;
    tell(row.status, told(job));
    row.bar.hidden = !["waiting", "reading", "translating"].includes(state.name);
    row.bar.setAttribute("aria-label", say("documents.progress", { name: job.file.name }));
    if (state.name === "translating" && state.total > 0) {
      row.bar.max = state.total;
      row.bar.value = state.done;
    } else {
      row.bar.removeAttribute("value");
    }
    const group = ["waiting", "reading"].includes(state.name) ? "translating" : state.name;
    if (row.shown === group) return;
    row.shown = group;
    this.#showActions(job, row);
  }

  #addRow(job: Job): Row {
    const row: Row = {
      root: document.createElement("li"),
      name: element("span", "name"),
      status: element("span", "status"),
      bar: document.createElement("progress"),
      actions: element("div", "actions"),
    };
    row.status.setAttribute("role", "status");
    row.root.append(row.name, row.actions, row.status, row.bar);
    this.#rows.set(job, row);
    this.#list.append(row.root);
    this.#list.hidden = false;
    return row;
  }

  #showActions(job: Job, row: Row): void {
    const isFocused = row.actions.contains(document.activeElement);
    if (row.url) URL.revokeObjectURL(row.url);
    delete row.url;
    row.actions.replaceChildren(...this.#actions(job, row));
    if (isFocused) row.actions.querySelector<HTMLElement>("a, button, input")?.focus();
  }

  #actions(job: Job, row: Row): Node[] {
    const { state } = job;
    const { name } = job.file;
    const remove = namedButton(say("documents.remove"), say("documents.remove-of", { name }), () => { this.#remove(job); });
    const again = namedButton(say("documents.again"), say("documents.again-of", { name }), () => { this.#queue.again(job); });
    switch (state.name) {
      case "waiting":
      case "reading":
      case "translating":
        return [namedButton(say("documents.cancel"), say("documents.cancel-of", { name }), () => { this.#queue.cancel(job); })];
      case "done": {
        row.url = URL.createObjectURL(state.document.file);
        const link = download(row.url, state.document.file.name);
        link.addEventListener("click", () => { row.isSaved = true; });
        return [link, remove];
      }
      case "columns":
        return [this.#columns(job, state.columns), remove];
      case "doubt": {
        const { doubt } = state;
        const anyway = namedButton(say("notice.anyway"), "", () => { this.#queue.anyway(job); });
        if (doubt.name === "no-model") return [anyway, remove];
        const other = say("notice.switch", { language: languageName(doubt.language) });
        return [namedButton(other, "", () => { this.#switch(job, doubt.language); }), anyway, remove];
      }
      case "failed":
        return isForGood(state.error) ? [remove] : [again, remove];
      case "cancelled":
      case "no-model":
        return [again, remove];
    }
  }

  #switch(job: Job, language: string): void {
    this.#host.onswitch(language);
    this.#queue.again(job);
  }

  #remove(job: Job): void {
    const row = this.#rows.get(job);
    this.#queue.remove(job);
    this.#rows.delete(job);
    if (row?.url) URL.revokeObjectURL(row.url);
    row?.root.remove();
    this.#list.hidden = this.#rows.size === 0;
    within(this.#root, ".choose", HTMLButtonElement).focus();
  }

  #columns(job: Job, columns: readonly string[]): HTMLFormElement {
    const form = document.createElement("form");
    const named = columns.length <= MOST_COLUMNS && new Set(columns).size === columns.length;
    const boxes = named ? columns.map((column, place) => checkbox(column || say("documents.column", { number: formatNumber(place + 1) }))) : [];
    const go = namedButton(say("documents.columns-go"), "", () => undefined);
    go.type = "submit";
    const update = (): void => { go.disabled = named && !boxes.some(({ box }) => box.checked); };
    update();
    form.addEventListener("change", update);
    form.append(...boxes.map(({ label }) => label), go);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = columns.flatMap((column, place) => (boxes[place]?.box.checked ? [column || String(place + 1)] : []));
      this.#queue.choose(job, named ? chosen : ["all"]);
    });
    return form;
  }
}

function told(job: Job): string {
  const { state } = job;
  const direction = job.source && `${directionName(job.source, job.target)} · `;
  switch (state.name) {
    case "waiting":
      return `${direction}${say("documents.waiting")}`;
    case "reading":
      return `${direction}${say("documents.reading")}`;
    case "translating": {
      const percent = formatPercent(state.total ? Math.floor((100 * state.done) / state.total) / 100 : 0);
      return `${direction}${say("documents.percent", { percent, characters: plural(state.total, "character") })}`;
    }
    case "done": {
      const { sentences, doubtful, kind } = state.document;
      if (sentences === 0) return say("documents.nothing");
      const done = say("documents.done", { sentences: plural(sentences, "sentence") });
      const doubts = doubtful ? `, ${say("documents.doubtful", { sentences: formatNumber(doubtful) })}` : "";
      return kind === "pdf" ? `${done}${doubts}. ${say("documents.text-only")}` : `${done}${doubts}`;
    }
    case "columns":
      return say("documents.columns");
    case "doubt": {
      const looks = say("notice.looks", { language: languageName(state.doubt.language) });
      return state.doubt.name === "no-model" ? `${looks}${say("notice.no-model")}` : looks;
    }
    case "cancelled":
      return say("documents.cancelled");
    case "no-model":
      return say("documents.first-fetch");
    case "failed": {
      const { title, advice } = errorMessage(state.error);
      return `${title}. ${advice}`;
    }
  }
}

/** Trying again would not help: it is the file that is wrong. */
function isForGood(error: unknown): boolean {
  return error instanceof DragomanError && FOR_GOOD.includes(error.code);
}

function tell(status: HTMLElement, text: string): void {
  if (status.textContent !== text) status.textContent = text;
}

function download(url: string, name: string): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.className = "strong";
  link.textContent = say("documents.download");
  link.setAttribute("aria-label", say("documents.download-of", { name }));
  return link;
}

function checkbox(text: string): { readonly label: HTMLElement; readonly box: HTMLInputElement } {
  const label = element("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  label.append(box, ` ${text}`);
  return { label, box };
}
