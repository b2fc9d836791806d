/**
 * The translator of the chosen pair, while it loads and after.
 *
 *     load(pair) --> loading --> ready | failed --(load again)--> loading ...
 *
 * A newer load destroys what the older one made; translations wait for the load under way.
 */

import type { LoadingEvent } from "../src/monitor.ts";
import type { TranslationResponse } from "../src/protocol.ts";
import { abortable } from "../src/signals.ts";
import { Translator, type LanguagePair, type TranslateDetailedOptions } from "../src/translator.ts";

export interface ModelListener {
  readonly onloading: (event: LoadingEvent) => void;
  readonly onready: (seconds: number) => void;
  readonly onfailed: (error: unknown) => void;
}

export class Model {
  readonly #listener: ModelListener;
  #loading = new AbortController();
  #translator: Promise<Translator> = Promise.reject(new Error("nothing was loaded yet"));

  constructor(listener: ModelListener) {
    this.#listener = listener;
    this.#translator.catch(() => undefined);
  }

  load(pair: LanguagePair): void {
    this.#loading.abort();
    this.#translator.then((translator) => { translator.destroy(); }, () => undefined);
    const loading = new AbortController();
    this.#loading = loading;
    const started = performance.now();
    this.#translator = Translator.create({
      ...pair,
      signal: loading.signal,
      monitor: (monitor) => {
        monitor.addEventListener("loading", (event) => {
          if (!loading.signal.aborted) this.#listener.onloading(event);
        });
      },
    });
    this.#translator.then(
      () => { this.#listener.onready((performance.now() - started) / 1_000); },
      (error: unknown) => {
        if (!loading.signal.aborted) this.#listener.onfailed(error);
      },
    );
  }

  /** Waits for the load under way; rejects if that fails. */
  async translate(text: string, options: TranslateDetailedOptions): Promise<TranslationResponse> {
    const translator = await abortable(this.#translator, options.signal);
    return translator.translateDetailed(text, options);
  }
}
