/** Pages that put their own text back, again and again: after some times they are left alone. */

import type { Unit } from "./units/units.ts";

const TIMES = 20;
/** Milliseconds. */
const WITHIN = 5_000;

export class Contests {
  readonly #now: () => number;
  readonly #placings = new WeakMap<Node, Map<string, { times: number; since: number }>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A unit was put into the page. */
  count({ container, block }: Unit): void {
    const texts = this.#placings.get(container) ?? new Map<string, { times: number; since: number }>();
    const contest = texts.get(block.text) ?? { times: 0, since: this.#now() };
    contest.times += 1;
    this.#placings.set(container, texts.set(block.text, contest));
  }

  isLost({ container, block }: Unit): boolean {
    const texts = this.#placings.get(container);
    const contest = texts?.get(block.text);
    if (!contest) return false;
    if (this.#now() - contest.since > WITHIN) {
      texts?.delete(block.text);
      return false;
    }
    return contest.times > TIMES;
  }
}
