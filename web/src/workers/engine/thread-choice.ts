/**
 * How many threads a model's mini-batches are dealt to: measured on those that come, nothing is computed
 * for it.
 *
 *     all --(measured against half of them)--> all are faster: chosen
 *                                         `--> half are as fast: half, against a quarter of them ...
 */

/** Mini-batches of fewer rows say little, and have little to deal. */
const MANY_ROWS = 8;
/** The first ones run in code that the browser has not optimized yet. */
const WARM_UP = 6;
/** Mini-batches of each of the two numbers. */
const ROUNDS = 3;
/** Fewer threads are worth so much more time: they leave the processor to others. */
const WORTH = 1.05;

export class ThreadChoice {
  readonly #onchosen: (threads: number) => void;
  #threads: number;
  /** 0: it is chosen. */
  #rival: number;
  #warmUp = WARM_UP;
  /** Milliseconds a cell by number of threads. */
  #times = new Map<number, number[]>();

  /** @param onchosen told once, unless one thread is all there is. */
  constructor(most: number, onchosen: (threads: number) => void) {
    this.#threads = most;
    this.#rival = half(most);
    this.#onchosen = onchosen;
  }

  static fixed(threads: number): ThreadChoice {
    const choice = new ThreadChoice(threads, () => undefined);
    choice.#rival = 0;
    return choice;
  }

  /** The most that a mini-batch may be dealt to from now on. */
  get threads(): number {
    return this.#threads;
  }

  /** For the next mini-batch. */
  threadsFor(rows: number): number {
    if (this.#rival === 0 || rows < MANY_ROWS || this.#warmUp > 0) return this.#threads;
    return this.#timesOf(this.#rival).length < this.#timesOf(this.#threads).length ? this.#rival : this.#threads;
  }

  /** A mini-batch of so many rows and cells (source pieces and those of all hypotheses, padding included) is done. */
  took(threads: number, rows: number, cells: number, milliseconds: number): void {
    if (this.#rival === 0 || rows < MANY_ROWS) return;
    if (this.#warmUp > 0) {
      this.#warmUp--;
      return;
    }
    this.#timesOf(threads).push(milliseconds / cells);
    const [times, rivals] = [this.#timesOf(this.#threads), this.#timesOf(this.#rival)];
    if (times.length < ROUNDS || rivals.length < ROUNDS) return;
    // A browser's clock may be so coarse that a mini-batch takes no time: that says nothing.
    const isEnough = median(times) > 0 && median(rivals) <= WORTH * median(times);
    if (isEnough) this.#threads = this.#rival;
    this.#rival = isEnough ? half(this.#threads) : 0;
    this.#times = new Map(isEnough ? [[this.#threads, rivals]] : []);
    if (this.#rival === 0) this.#onchosen(this.#threads);
  }

  #timesOf(threads: number): number[] {
    const times = this.#times.get(threads) ?? [];
    this.#times.set(threads, times);
    return times;
  }
}

function half(threads: number): number {
  return Math.floor(threads / 2);
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? Infinity;
}
