/**
 * Brings what is new in the core's cache to the sentence store, in batches.
 *
 *     something has ended --> wait --> take some news --> one transaction --> more? wait again
 *
 * Nothing is asked of Python while sentences are being translated but now and then, for a small batch.
 * What was not written when a page goes away is not kept.
 */

import type { SentenceNews } from "../../stores/sentence-store.ts";

/** News at a time: some milliseconds of the interpreter. */
const BATCH = 32;
/** Milliseconds to the next batch, while somebody waits for a translation and when nobody does. */
const PAUSES = { busy: 1000, idle: 50 };

export interface KeepingOptions {
  readonly take: (most: number) => readonly SentenceNews[];
  /** Never rejects. */
  readonly write: (news: readonly SentenceNews[]) => Promise<void>;
  readonly isBusy: () => boolean;
  readonly onfailed: (error: unknown) => void;
}

export class Keeping {
  readonly #options: KeepingOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: KeepingOptions) {
    this.#options = options;
  }

  /** There may be something new. */
  touch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writing.then(() => this.#flush()).catch(this.#options.onfailed);
    }, this.#options.isBusy() ? PAUSES.busy : PAUSES.idle);
  }

  /** Once what is being written is written; nothing more is taken until the next `touch`. */
  async settled(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #flush(): Promise<void> {
    const news = this.#options.take(BATCH);
    if (!news.length) return;
    await this.#options.write(news);
    if (news.length === BATCH) this.touch();
  }
}
