/**
 * What is to be known of a request on its way: made once, at the door, and passed down to whatever does
 * something about it.
 *
 *     signal      aborted by the caller's signal, by `cancel`, or by the deadline: whoever works listens to it
 *     deadline    one moment, from when the ticket was made; the worker, once it has the request, has the
 *                 first word about it, and the page the last one
 *     priority    may change at any time: then the worker is told
 *     progress    goes back up to the caller
 */

import { follow } from "../base/signals.ts";
import type { Priority } from "../wire/contract.ts";
import { DragomanError } from "../wire/errors.ts";
import type { ProgressState, TranslationRequest } from "../wire/protocol.ts";
import { checkPriority } from "./priority.ts";

export interface TranslationProgress {
  readonly state: ProgressState;
  /** Sentences done of all. */
  readonly done: number;
  readonly total: number;
}

export interface TicketOptions {
  readonly signal?: AbortSignal | undefined;
  readonly priority?: Priority | undefined;
  /** Seconds from now. */
  readonly deadline?: number | undefined;
  readonly onprogress?: ((progress: TranslationProgress) => void) | undefined;
}

/** Seconds that the worker has to say itself that a deadline is over. */
const GRACE = 1;
/** Seconds: the least that a worker is given. */
const SHORTEST_DEADLINE = 0.001;
/** Milliseconds; a longer timer would end at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

export class Ticket {
  readonly #options: TicketOptions;
  readonly #control = new AbortController();
  readonly #unfollow: () => void;
  /** Milliseconds, as `performance.now` counts them. */
  readonly #due: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #priority: Priority | undefined;
  #onpriority: ((priority: Priority) => void) | undefined;
  #progress: TranslationProgress | undefined;

  /** @throws TypeError there is no such priority; RangeError the deadline is not above 0. */
  constructor(options: TicketOptions = {}) {
    const { signal, priority, deadline } = options;
    if (priority !== undefined) checkPriority(priority);
    if (deadline !== undefined && !(deadline > 0)) throw new RangeError(`a deadline of ${deadline} s is not above 0`);
    this.#options = options;
    this.#priority = priority;
    this.#due = deadline === undefined ? undefined : performance.now() + deadline * 1000;
    this.#unfollow = follow(signal, this.#control);
    this.#watch(0);
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** What the worker is told of it: the priority as it is now, and the seconds that are left. */
  get fields(): Pick<TranslationRequest, "priority" | "deadline"> {
    const left = this.#due === undefined ? undefined : (this.#due - performance.now()) / 1000;
    return {
      ...(this.#priority !== undefined && { priority: this.#priority }),
      ...(left !== undefined && { deadline: Math.max(left, SHORTEST_DEADLINE) }),
    };
  }

  /** Whether somebody wants to know of progress: the caller, or the error that a deadline ends in. */
  get wantsProgress(): boolean {
    return this.#options.onprogress !== undefined || this.#due !== undefined;
  }

  /** @throws TypeError there is no such priority. */
  prioritize(priority: Priority): void {
    checkPriority(priority);
    this.#priority = priority;
    this.#onpriority?.(priority);
  }

  /** Take the request back. */
  cancel(reason: unknown = new DOMException("the request was cancelled", "AbortError")): void {
    this.#control.abort(reason);
  }

  report(progress: TranslationProgress): void {
    this.#progress = progress;
    this.#options.onprogress?.(progress);
  }

  /** A worker has it from now on. */
  handOver(onpriority: (priority: Priority) => void): void {
    this.#onpriority = onpriority;
    this.#watch(GRACE);
  }

  /** The request has ended: nothing can happen to it any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#unfollow();
    this.#onpriority = undefined;
  }

  #watch(grace: number): void {
    clearTimeout(this.#timer);
    const { deadline } = this.#options;
    if (deadline === undefined || this.#due === undefined) return;
    const wait = this.#due + grace * 1000 - performance.now();
    this.#timer = setTimeout(() => { this.cancel(deadlineError(deadline, this.#progress)); }, Math.min(wait, LONGEST_TIMER));
  }
}

/** As the core words it. */
function deadlineError(deadline: number, progress: TranslationProgress | undefined): DragomanError {
  const { done = 0, total = 0 } = progress ?? {};
  const message = `not ready within ${deadline} s: ${done} of ${total} sentences were done`;
  return new DragomanError("deadline", message, { deadline, done, total });
}
