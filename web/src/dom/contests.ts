/** Pages that put their own text back, again and again: after some times they are left alone. */

import type { Unit } from "./units/units.ts";

const TIMES = 20;
/** Milliseconds. */
const WITHIN = 5_000;

interface Contest {
  times: number;
  since: number;
}

export class Contests {
  readonly #now: () => number;
  readonly #placings = new WeakMap<Node, Map<string, Contest>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A unit was put into the page. */
  count(unit: Unit): void {
    this.#contestOf(unit).times += 1;
  }

  /** A unit cannot be put there as the page stands. */
  lose(unit: Unit): void {
    Object.assign(this.#contestOf(unit), { times: TIMES + 1, since: this.#now() });
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

  #contestOf({ container, block }: Unit): Contest {
    const texts = this.#placings.get(container) ?? new Map<string, Contest>();
    const contest = texts.get(block.text) ?? { times: 0, since: this.#now() };
    this.#placings.set(container, texts.set(block.text, contest));
    return contest;
  }
}
