/**
 * Puts translations into the page: what is seen at once, the rest together.
 *
 *     receive --> results --(seen: soon; unseen: within 250 ms)--> placing, in slices --> placed
 */

import type { ChangeWatch } from "./changes.ts";
import type { Contests } from "./contests.ts";
import { isDoubted } from "./doubts.ts";
import { keyOf, type Entry } from "./entries.ts";
import type { KnownUnits } from "./known.ts";
import type { Memory } from "./memory.ts";
import { isElement } from "./nodes/kinds.ts";
import type { Originals } from "./nodes/originals.ts";
import type { Ranking } from "./ranking.ts";
import type { Slices } from "./slices.ts";
import type { TranslatedBlock } from "./units/blocks.ts";
import { MisplacedError, place } from "./units/place.ts";
import type { Unit } from "./units/units.ts";

export interface PlacerParts {
  readonly originals: Originals;
  readonly known: KnownUnits;
  readonly ranking: Ranking;
  readonly changes: ChangeWatch;
  readonly slices: Slices;
  readonly memory: Memory;
  readonly contests: Contests;
}

interface Result {
  readonly entry: Entry;
  readonly translated: TranslatedBlock;
}

/** Milliseconds that translations out of sight wait for each other: each time, the page is laid out anew. */
const UNSEEN = 250;

export class Placer {
  readonly #parts: PlacerParts;
  readonly #steps: number;
  readonly #results: Result[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPlacing = false;
  #isStopped = false;

  /** @param steps nodes, or so, that are placed at a time. */
  constructor(parts: PlacerParts, steps: number) {
    this.#parts = parts;
    this.#steps = steps;
  }

  /** Whether nothing waits to be placed. */
  get idle(): boolean {
    return this.#results.length === 0;
  }

  /** A translation has come. */
  receive(entry: Entry, translated: TranslatedBlock): void {
    this.#results.push({ entry, translated });
    if (this.#parts.ranking.isSeen(entry)) this.#placeSoon();
    else this.#timer ??= setTimeout(() => { this.#placeSoon(); }, UNSEEN);
    this.#parts.slices.wake(); // There is room for the next.
  }

  #placeSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isPlacing || this.#isStopped) return;
    this.#isPlacing = true;
    this.#parts.slices.addFirst(this.#placing());
  }

  /** What waits is not placed any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  *#placing(): Generator<undefined, void> {
    try {
      for (let next = this.#results.shift(); next; next = this.#results.shift()) {
        const { entry, translated } = next;
        this.#parts.memory.add(keyOf(entry.unit), entry.block.text, translated);
        if (this.#parts.known.isCurrent(entry)) yield* this.place(entry, translated);
        yield undefined;
      }
    } finally {
      this.#isPlacing = false;
      if (!this.idle) this.#placeSoon(); // One has failed: the others are placed all the same.
    }
  }

  /** Put a translation into the page: of many nodes in several slices; what has changed meanwhile is dropped. */
  *place(entry: Entry, translated: TranslatedBlock): Generator<undefined, void> {
    const { unit } = entry;
    // The page may have changed without our having been told yet.
    this.#parts.changes.catchUp();
    if (entry.state !== "waiting" || !this.#parts.known.isIntact(entry)) return;
    this.#parts.ranking.drop(entry);
    if (isDoubted(unit, translated)) {
      this.#parts.known.markKept(entry, translated.text);
      return;
    }
    entry.state = "placing";
    try {
      for (const steps = this.#put(unit, translated); !this.#parts.changes.write(() => advance(steps, this.#steps)); ) {
        const { count } = this.#parts.changes;
        yield undefined;
        this.#parts.changes.catchUp();
        if (!isPlacing(entry) || (this.#parts.changes.count > count && !this.#parts.known.isIntact(entry))) return;
      }
      this.#parts.known.markPlaced(entry, translated.text);
      this.#parts.contests.count(unit);
    } catch (error) {
      if (error instanceof MisplacedError) {
        this.#parts.known.markFailed(entry, error);
      } else if (isElsewhere(error)) {
        // An element of the page's own has taken its insides away while it was moved, and would again.
        this.#parts.contests.lose(unit);
        this.#parts.known.retract(entry);
      } else {
        throw error;
      }
    }
  }

  *#put(unit: Unit, translated: TranslatedBlock): Generator<undefined, void> {
    if (unit.type === "attribute") {
      this.#parts.originals.writeAttribute(unit.container, unit.name, translated.text);
      return;
    }
    const { container } = unit;
    if (isElement(container) && container.localName === "option" && !container.hasAttribute("value")) {
      // Its text is what a form would send.
      this.#parts.originals.writeAttribute(container, "value", (container as HTMLOptionElement).value);
    }
    yield* place(this.#parts.originals, unit, translated);
  }
}

/** Whether nobody has taken it back since. */
function isPlacing({ state }: Entry): boolean {
  return state === "placing";
}

/** Whether a node was to be put beside one that is not there; the exception is of the page's window. */
function isElsewhere(error: unknown): boolean {
  const name = typeof error === "object" && error !== null && "name" in error ? error.name : undefined;
  return name === "NotFoundError" || name === "HierarchyRequestError";
}

/** Some steps; whether they were the last. */
function advance(steps: Iterator<undefined, void>, most: number): boolean {
  for (let count = 0; count < most; count += 1) if (steps.next().done) return true;
  return false;
}
