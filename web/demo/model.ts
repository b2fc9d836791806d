/**
 * The translator of the chosen pair, while it loads and after.
 *
 *     load(pair) --> loading --> ready | failed --(load again)--> loading ...
 *
 * A newer load destroys what the older one made; translations wait for the load under way.
 */

import type { LoadingEvent } from "../src/api/monitor.ts";
import type { TranslationResponse } from "../src/wire/protocol.ts";
import { abortable } from "../src/base/signals.ts";
import type { LanguagePair } from "../src/api/models.ts";
import { Translator, type TranslateDetailedOptions } from "../src/api/translator.ts";

export interface ModelListener {
  readonly onloading: (event: LoadingEvent) => void;
  readonly onready: (seconds: number) => void;
  readonly onfailed: (error: unknown) => void;
}

export class Model {
  readonly #listener: ModelListener;
  #loading = new AbortController();
  #translator: Promise<Translator> | undefined;

  constructor(listener: ModelListener) {
    this.#listener = listener;
  }

  /** `pair` may have to be fetched first: that is a part of the loading. */
  load(pair: LanguagePair | Promise<LanguagePair>): void {
    this.unload();
    const loading = new AbortController();
    this.#loading = loading;
    const started = performance.now();
    const translator = this.#create(pair, loading.signal);
    this.#translator = translator;
    translator.then(
      () => { this.#listener.onready((performance.now() - started) / 1_000); },
      (error: unknown) => {
        if (!loading.signal.aborted) this.#listener.onfailed(error);
      },
    );
  }

  /** Give back what was loaded. */
  unload(): void {
    this.#loading.abort();
    this.#translator?.then((translator) => { translator.destroy(); }, () => undefined);
    this.#translator = undefined;
  }

  /** Waits for the load under way; rejects if that fails. */
  async translate(text: string, options: TranslateDetailedOptions): Promise<TranslationResponse> {
    if (!this.#translator) throw new Error("nothing is being loaded");
    const translator = await abortable(this.#translator, options.signal);
    return translator.translateDetailed(text, options);
  }

  async #create(pair: LanguagePair | Promise<LanguagePair>, signal: AbortSignal): Promise<Translator> {
    return Translator.create({
      ...(await pair),
      signal,
      monitor: (monitor) => {
        monitor.addEventListener("loading", (event) => {
          if (!signal.aborted) this.#listener.onloading(event);
        });
      },
    });
  }
}
