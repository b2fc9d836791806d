/** A request between the page and the language worker. */

import { deferred } from "../base/deferred.ts";
import { DragomanError, fromWire } from "../wire/errors.ts";
import type { Priority, ProgressState, TranslationResponse } from "../wire/protocol.ts";
import type { Answer, Call } from "./call.ts";

export interface TranslationProgress {
  readonly state: ProgressState;
  /** Sentences done of all. */
  readonly done: number;
  readonly total: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onprogress?: ((progress: TranslationProgress) => void) | undefined;
}

/** A request under way. */
export interface Submission {
  readonly result: Promise<TranslationResponse>;
  /** Give what still waits another priority. */
  readonly prioritize: (priority: Priority) => void;
  /** Take the request back: `result` rejects with `reason`, if it has not settled. */
  readonly cancel: (reason?: unknown) => void;
}

/** Seconds that the worker has to say itself that a deadline is over. */
const GRACE = 1;

/** Milliseconds; a longer timer would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

export class RequestCall implements Call {
  readonly #answer = deferred<TranslationResponse>();
  readonly #onprogress: CallOptions["onprogress"];
  #progress: TranslationProgress | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onprogress: CallOptions["onprogress"]) {
    this.#onprogress = onprogress;
  }

  get result(): Promise<TranslationResponse> {
    return this.#answer.promise;
  }

  watchDeadline(deadline: number | undefined, withdraw: (reason: DragomanError) => void): void {
    if (deadline === undefined) return;
    this.#timer = setTimeout(
      () => {
        const { done = 0, total = 0 } = this.#progress ?? {};
        withdraw(deadlineError(deadline, done, total));
      },
      Math.min((deadline + GRACE) * 1000, LONGEST_TIMER),
    );
  }

  receive(answer: Answer): boolean {
    if (answer.type === "progress") {
      const { state, done, total } = answer;
      this.#progress = { state, done, total };
      this.#onprogress?.(this.#progress);
    }
    if (answer.type !== "settled") return false;
    clearTimeout(this.#timer);
    if (answer.outcome.ok) this.#answer.resolve(answer.outcome.response);
    else this.#answer.reject(fromWire(answer.outcome.error));
    return true;
  }

  reject(reason: unknown): void {
    clearTimeout(this.#timer);
    this.#answer.reject(reason);
  }
}

/** As the core words it. */
export function deadlineError(deadline: number, done = 0, total = 0): DragomanError {
  return new DragomanError(
    "deadline",
    `not ready within ${deadline} s: ${done} of ${total} sentences were done`,
    { deadline, done, total },
  );
}
