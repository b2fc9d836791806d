/** Dependent requests between the page and the language worker. */

import { deferred } from "../base/deferred.ts";
import { fromWire, type DragomanError } from "../wire/errors.ts";
import type { Outcome, PageToLanguage, TranslationResponse } from "../wire/protocol.ts";
import type { Answer, Call } from "./call.ts";

/** How an output ended. */
export type OutputEnd =
  | { readonly ok: true; readonly response: TranslationResponse }
  | { readonly ok: false; readonly error: DragomanError | DOMException };

export interface GraphResult {
  /** By the names of the outputs, those that others need first. */
  readonly outputs: Readonly<Record<string, OutputEnd>>;
}

export type OnOutput = (name: string, end: OutputEnd) => void;

export class GraphCall implements Call {
  readonly #id: number;
  readonly #post: (message: PageToLanguage) => void;
  readonly #onoutput: OnOutput | undefined;
  readonly #answer = deferred<GraphResult>();

  constructor(id: number, post: (message: PageToLanguage) => void, onoutput: OnOutput | undefined) {
    this.#id = id;
    this.#post = post;
    this.#onoutput = onoutput;
  }

  get result(): Promise<GraphResult> {
    return this.#answer.promise;
  }

  /** Take back an output and what depends on it; what has ended stays as it is. */
  cancelOutput(output: string): void {
    this.#post({ type: "cancel", id: this.#id, output });
  }

  receive(answer: Answer): boolean {
    if (answer.type === "output") this.#onoutput?.(answer.name, endOf(answer.outcome));
    if (answer.type !== "outputs") return false;
    const { outcome } = answer;
    if (outcome.ok) {
      const outputs = Object.entries(outcome.outputs).map(([name, end]) => [name, endOf(end)] as const);
      this.#answer.resolve({ outputs: Object.fromEntries(outputs) });
    } else {
      this.#answer.reject(fromWire(outcome.error));
    }
    return true;
  }

  reject(reason: unknown): void {
    this.#answer.reject(reason);
  }
}

function endOf(outcome: Outcome): OutputEnd {
  return outcome.ok ? outcome : { ok: false, error: fromWire(outcome.error) };
}
