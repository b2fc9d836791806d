/**
 * Translation as one types.
 *
 *     update(text) --> waiting --(250 ms without typing, or 1 s in all)--> translating --> done
 *                                                                            |       `--> failed
 *                         a newer text starts: the older one is aborted <----'
 *     stop() while one waits or is translated --> stopped --(update, now)--> ...
 *
 * There is at most one translation under way. What comes of an aborted one is not reported.
 */

import type { TranslationResponse } from "../wire/protocol.ts";
import type { TranslationProgress } from "../calls/ticket.ts";
import type { Partial } from "./growing.ts";

export type LiveState =
  | { readonly name: "empty" }
  | { readonly name: "stopped" }
  | { readonly name: "waiting"; readonly text: string }
  | {
      readonly name: "translating";
      readonly text: string;
      readonly progress: TranslationProgress | null;
      /** What is there of it, where the text is long. */
      readonly partial: Partial | null;
    }
  | { readonly name: "done"; readonly text: string; readonly response: TranslationResponse }
  | { readonly name: "failed"; readonly text: string; readonly error: unknown };

export type TranslateFunction = (
  text: string,
  options: {
    signal: AbortSignal;
    onprogress: (progress: TranslationProgress) => void;
    onpartial: (partial: Partial) => void;
  },
) => Promise<TranslationResponse>;

const DELAY = 250;
const LONGEST_WAIT = 1_000;

export class LiveTranslation {
  readonly #translate: TranslateFunction;
  readonly #onstate: (state: LiveState) => void;
  #state: LiveState = { name: "empty" };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitingSince: number | undefined;
  #running: AbortController | undefined;

  constructor(translate: TranslateFunction, onstate: (state: LiveState) => void) {
    this.#translate = translate;
    this.#onstate = onstate;
  }

  get state(): LiveState {
    return this.#state;
  }

  /** The text has changed by typing. */
  update(text: string): void {
    if (text.trim() === "") {
      this.clear();
      return;
    }
    this.#waitingSince ??= Date.now();
    const waited = Date.now() - this.#waitingSince;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.now(text),
      Math.max(0, Math.min(DELAY, LONGEST_WAIT - waited)),
    );
    this.#become({ name: "waiting", text });
  }

  /** Translate without waiting; resolves when the state is final, or another text has taken over. */
  async now(text: string): Promise<void> {
    this.#end();
    const running = new AbortController();
    this.#running = running;
    const report = (state: LiveState): void => {
      if (this.#running === running) this.#become(state);
    };
    const working = (progress: TranslationProgress | null, partial: Partial | null): void => {
      report({ name: "translating", text, progress, partial });
    };
    working(null, null);
    // A typed text waits meanwhile: its state is the newer one.
    const isNewest = (): boolean => this.#state.name === "translating";
    try {
      const response = await this.#translate(text, {
        signal: running.signal,
        onprogress: (progress) => {
          if (isNewest()) working(progress, null);
        },
        onpartial: (partial) => {
          if (isNewest()) working(null, partial);
        },
      });
      this.#finish(running, { name: "done", text, response });
    } catch (error) {
      this.#finish(running, { name: "failed", text, error });
    }
  }

  /** Another translation of the text that is done, such as one that a person has chosen. */
  revise(response: TranslationResponse): void {
    if (this.#state.name === "done") this.#become({ ...this.#state, response });
  }

  /** There is nothing to translate. */
  clear(): void {
    this.#end();
    this.#become({ name: "empty" });
  }

  /** Abort what is under way and forget what waits; where there was neither, the state stays. */
  stop(): void {
    const wasBusy = this.#timer !== undefined || this.#running !== undefined;
    this.#end();
    if (wasBusy) this.#become({ name: "stopped" });
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waitingSince = undefined;
    this.#running?.abort();
    this.#running = undefined;
  }

  #finish(running: AbortController, state: LiveState): void {
    if (this.#running !== running) return;
    this.#running = undefined;
    this.#become(state);
  }

  #become(state: LiveState): void {
    this.#state = state;
    this.#onstate(state);
  }
}
