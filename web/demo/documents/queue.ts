/**
 * Documents that are translated one after the other.
 *
 *     add --> waiting --> reading --> translating --> done
 *                            |            `---------> failed, cancelled --again--> waiting
 *                            |--> columns --choose--> waiting          of a table none was named yet
 *                            `--> doubt --anyway--> waiting            it seems to be in another language
 *
 * A job keeps the languages that were chosen when it came, and its translator with them. One that came before there was
 * anything to choose from waits until `known`.
 */

import type { Translator } from "../../src/api/translator.ts";
import { abortable } from "../../src/base/signals.ts";
import type { LanguageDoubt, OtherLanguage } from "../../src/ui/language-notice.ts";
import { DragomanError } from "../../src/wire/errors.ts";
import type { TranslatedDocument } from "../../src/wire/protocol.ts";

/** What is shown of a translated document. */
export type ShownDocument = Pick<TranslatedDocument, "file" | "kind" | "sentences" | "doubtful">;

/** What translates: of a `Translator` only this is needed. */
export interface DocumentTranslator {
  translateDocument(...asked: Parameters<Translator["translateDocument"]>): Promise<ShownDocument>;
}

export interface Place {
  readonly source: string;
  readonly target: string;
  readonly translator: Promise<DocumentTranslator>;
  readonly release: () => void;
}

export type JobState =
  | { readonly name: "waiting" | "reading" | "cancelled" | "no-model" }
  | { readonly name: "translating"; readonly done: number; readonly total: number }
  | { readonly name: "columns"; readonly columns: readonly string[] }
  | { readonly name: "doubt"; readonly doubt: OtherLanguage }
  | { readonly name: "done"; readonly document: ShownDocument }
  | { readonly name: "failed"; readonly error: unknown };

export interface Job {
  readonly file: File;
  readonly source: string;
  readonly target: string;
  readonly state: JobState;
}

interface Work extends Job {
  source: string;
  target: string;
  state: JobState;
  place: Place | undefined;
  columns: readonly string[];
  isSure: boolean;
  running: AbortController | undefined;
}

export interface QueueHost {
  /** A translator for the languages that are chosen now; or that none are known yet, or that a model is to be fetched first. */
  readonly place: () => Place | "unknown" | "missing";
  /** What there is to doubt of a text that is said to be in a language. */
  readonly doubt: (text: string, language: string) => Promise<LanguageDoubt>;
  readonly onchange: (job: Job) => void;
}

export class DocumentQueue {
  readonly #host: QueueHost;
  readonly #jobs: Work[] = [];

  constructor(host: QueueHost) {
    this.#host = host;
  }

  /** Whether something would be lost if the page went away. */
  get isBusy(): boolean {
    return this.#jobs.some(({ state }) => ["waiting", "reading", "translating"].includes(state.name));
  }

  add(file: File): void {
    const job: Work = {
      file, source: "", target: "", state: { name: "waiting" },
      place: undefined, columns: [], isSure: false, running: undefined,
    };
    this.#jobs.push(job);
    this.#wait(job);
  }

  /** There are languages now: what came before them begins. */
  known(): void {
    for (const work of this.#jobs) if (work.state.name === "waiting" && !work.place) this.#wait(work);
  }

  /** Translate it with what is chosen now. */
  again(job: Job): void {
    this.#with(job, (work) => {
      this.#wait(work);
    });
  }

  /** It is in the language that was chosen, whatever it looks like. */
  anyway(job: Job): void {
    this.#with(job, (work) => {
      work.isSure = true;
      this.#wait(work);
    });
  }

  /** @param columns of a table: their names or numbers. */
  choose(job: Job, columns: readonly string[]): void {
    this.#with(job, (work) => {
      work.columns = columns;
      this.#wait(work);
    });
  }

  cancel(job: Job): void {
    this.#with(job, (work) => {
      work.running?.abort();
      this.#end(work, { name: "cancelled" });
    });
  }

  /** Forget it, whatever becomes of it. */
  remove(job: Job): void {
    this.#with(job, (work) => {
      work.running?.abort();
      work.place?.release();
      this.#jobs.splice(this.#jobs.indexOf(work), 1);
      this.#next();
    });
  }

  #with(job: Job, act: (work: Work) => void): void {
    const work = this.#jobs.find((one) => one === job);
    if (work) act(work);
  }

  #wait(work: Work): void {
    const place = this.#host.place();
    work.place?.release();
    work.place = typeof place === "string" ? undefined : place;
    if (work.place) ({ source: work.source, target: work.target } = work.place);
    this.#become(work, { name: place === "missing" ? "no-model" : "waiting" });
    this.#next();
  }

  #next(): void {
    if (this.#jobs.some(({ running }) => running)) return;
    const work = this.#jobs.find(({ state, place }) => state.name === "waiting" && place);
    if (work?.place) void this.#run(work, work.place);
  }

  async #run(work: Work, place: Place): Promise<void> {
    const running = new AbortController();
    const { signal } = running;
    const isCurrent = (): boolean => work.running === running && !signal.aborted;
    work.running = running;
    this.#become(work, { name: "reading" });
    let checked = Promise.resolve();
    try {
      const translator = await abortable(place.translator, signal);
      const document = await translator.translateDocument(work.file, {
        signal,
        columns: work.columns,
        onbeginning: (text) => {
          checked = this.#check(work, running, text);
        },
        onprogress: ({ done, total }) => {
          if (isCurrent()) this.#become(work, { name: "translating", done, total });
        },
      });
      await checked; // A short document may be done before its language is told.
      if (isCurrent()) this.#end(work, { name: "done", document });
    } catch (error) {
      const columns = askedColumns(error);
      if (isCurrent()) this.#end(work, columns ? { name: "columns", columns } : { name: "failed", error });
    }
  }

  async #check(work: Work, running: AbortController, text: string): Promise<void> {
    if (work.isSure) return;
    // Without its table nothing is known of languages.
    const doubt = await this.#host.doubt(text, work.source).catch(() => ({ name: "none" }) as const);
    if (doubt.name === "none" || doubt.name === "not-sure" || work.running !== running || running.signal.aborted) return;
    running.abort();
    this.#end(work, { name: "doubt", doubt });
  }

  #end(work: Work, state: JobState): void {
    work.running = undefined;
    work.place?.release();
    work.place = undefined;
    this.#become(work, state);
    this.#next();
  }

  #become(work: Work, state: JobState): void {
    work.state = state;
    this.#host.onchange(work);
  }
}

/** The columns of a table, which does not say which of them people read; undefined: it is another error. */
export function askedColumns(error: unknown): readonly string[] | undefined {
  if (!(error instanceof DragomanError) || error.details["reason"] !== "columns") return undefined;
  return JSON.parse(String(error.details["columns"] ?? "[]")) as string[];
}
