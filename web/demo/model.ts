/**
 * The translator of the chosen pair, while it loads and after.
 *
 *     load(pair) --> loading --> ready | failed --(load again)--> loading ...
 *
 * A newer load gives back what the older one made: once it is made itself, so that it can take over the workers,
 * but at once what is still loading. Translations wait for the load under way. Who works for longer
 * takes a lease: what is leased is destroyed when the last one gives it back.
 */

import type { LoadingEvent } from "../src/api/monitor.ts";
import type { TranslationResponse } from "../src/wire/protocol.ts";
import { abortable } from "../src/base/signals.ts";
import type { LanguagePair } from "../src/api/models.ts";
import type { TranslateDetailedOptions } from "../src/api/options.ts";
import { Translator } from "../src/api/translator.ts";
import { LONG, translateGrowing, type GrowingOptions } from "../src/ui/growing.ts";
import type { CreateTranslator, FindKnown, PageTranslator } from "./engine/page-translator.ts";

export interface ModelListener {
  readonly onloading: (event: LoadingEvent) => void;
  readonly onready: (seconds: number) => void;
  readonly onfailed: (error: unknown) => void;
}

export interface Lease {
  readonly translator: Promise<PageTranslator>;
  readonly release: () => void;
}

export class Model {
  readonly #listener: ModelListener;
  readonly #create: CreateTranslator;
  #loaded: Shared | undefined;

  constructor(listener: ModelListener, create: CreateTranslator) {
    this.#listener = listener;
    this.#create = create;
  }

  /** `pair` may have to be fetched first: that is a part of the loading. */
  load(pair: LanguagePair | Promise<LanguagePair>): void {
    const before = this.#loaded;
    if (before && !before.isMade) before.release();
    const started = performance.now();
    const loading = new AbortController();
    const isCurrent = (): boolean => this.#loaded === loaded;
    const onloading = (event: LoadingEvent): void => {
      if (isCurrent()) this.#listener.onloading(event);
    };
    const created = Promise.resolve(pair).then((known) => this.#create(known, loading.signal, onloading));
    const loaded = new Shared(created, loading);
    this.#loaded = loaded;
    if (before?.isMade) void loaded.translator.catch(() => undefined).then(() => { before.release(); });
    loaded.translator.then(
      () => {
        if (isCurrent()) this.#listener.onready((performance.now() - started) / 1_000);
      },
      (error: unknown) => {
        if (isCurrent()) this.#listener.onfailed(error);
      },
    );
  }

  /** Give back what was loaded. */
  unload(): void {
    this.#loaded?.release();
    this.#loaded = undefined;
  }

  /** Undefined: nothing is being loaded. */
  lease(): Lease | undefined {
    return this.#loaded?.lease();
  }

  /** Waits for the load under way; rejects if that fails. */
  async translator(signal?: AbortSignal): Promise<PageTranslator> {
    if (!this.#loaded) throw new Error("nothing is being loaded");
    return abortable(this.#loaded.translator, signal);
  }

  /** The same; of a long text `onpartial` hears what is there. */
  async translate(text: string, options: TranslateDetailedOptions & GrowingOptions): Promise<TranslationResponse> {
    const translator = await this.translator(options.signal);
    const { translateStreamingDetailed: stream } = translator;
    if (text.length <= LONG || !stream) return translator.translateDetailed(text, options);
    return translateGrowing({ translateStreamingDetailed: stream.bind(translator) }, text, options);
  }
}

/** A translator with several holders: the last one destroys it. */
class Shared {
  readonly translator: Promise<PageTranslator>;
  readonly #loading: AbortController;
  #holders = 1;
  #isMade = false;

  constructor(translator: Promise<PageTranslator>, loading: AbortController) {
    this.translator = translator;
    this.#loading = loading;
    translator.then(() => { this.#isMade = true; }, () => undefined);
  }

  get isMade(): boolean {
    return this.#isMade;
  }

  lease(): Lease {
    this.#holders++;
    let isHeld = true;
    const release = (): void => {
      if (isHeld) this.release();
      isHeld = false;
    };
    return { translator: this.translator, release };
  }

  release(): void {
    if (--this.#holders > 0) return;
    this.#loading.abort();
    this.translator.then((translator) => { translator.destroy(); }, () => undefined);
  }
}

/** Makes translators in this browser, with the sentences and terms that are known for a direction. */
export const creator = (find: FindKnown): CreateTranslator => async (pair, signal, onloading) => {
  const { memory, glossary } = await find(pair);
  return Translator.create({
    ...pair,
    signal,
    ...(memory.length > 0 && { memory }),
    ...(glossary.length > 0 && { glossary }),
    monitor: (monitor) => {
      monitor.addEventListener("loading", onloading);
    },
  });
};
