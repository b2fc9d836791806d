/**
 * Work in slices, so that the page stays smooth.
 *
 *     add(task) ... --> a slice: tasks one step after another, until its time is over
 *                       --> the browser paints, hears clicks --> the next slice
 *
 * A task is a generator; each step of it must be short. Tasks run in order, one at a time: what a task
 * does to the page is not mixed with what another does.
 */

/** Milliseconds. A frame has 16 of them, and the page wants some for itself. */
const SLICE = 8;

export interface Clock {
  now(): number;
  /** Call back soon, after the browser had its turn. */
  soon(callback: () => void): void;
}

export class Slices {
  readonly #clock: Clock;
  readonly #tasks: Generator<undefined, void>[] = [];
  readonly #onslice: () => void;
  #scheduled = false;
  #stopped = false;

  /** `onslice` is called at the end of each slice. */
  constructor(clock: Clock, onslice: () => void = () => undefined) {
    this.#clock = clock;
    this.#onslice = onslice;
  }

  get idle(): boolean {
    return this.#tasks.length === 0;
  }

  add(task: Generator<undefined, void>): void {
    if (this.#stopped) return;
    this.#tasks.push(task);
    this.#schedule();
  }

  /** Before all that waits. */
  addFirst(task: Generator<undefined, void>): void {
    if (this.#stopped) return;
    this.#tasks.unshift(task);
    this.#schedule();
  }

  /** A slice soon, even if it is empty: its end is what is asked for. */
  wake(): void {
    if (!this.#stopped) this.#schedule();
  }

  /** A slice at once, where the browser is about to paint. */
  flush(): void {
    this.#run();
  }

  /** Forget all that has not run. */
  stop(): void {
    this.#stopped = true;
    this.#tasks.length = 0;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.soon(() => {
      this.#scheduled = false;
      this.#run();
    });
  }

  #run(): void {
    const end = this.#clock.now() + SLICE;
    try {
      while (this.#tasks.length > 0 && this.#clock.now() < end) {
        if (this.#tasks[0]?.next().done) this.#tasks.shift();
      }
    } finally {
      // One that throws is over; the others go on.
      if (!this.#stopped) this.#onslice();
      if (this.#tasks.length > 0) this.#schedule();
    }
  }
}

/** Of a window; slices follow each other by messages, which timers' minimum delays do not hold up. */
export function browserClock(): Clock {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return {
    now: () => performance.now(),
    soon(callback) {
      waiting.push(callback);
      port2.postMessage(null);
    },
  };
}
