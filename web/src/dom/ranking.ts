/**
 * How near each unit is that waits, as the queue is to know it.
 *
 *     add --> unranked --(its element was looked at)--> in the queue, by nearness --> drop
 *
 * Units of one element are watched together.
 */

import { isElement } from "./nodes/kinds.ts";
import type { Entry } from "./entries.ts";
import type { TranslationQueue } from "./queue.ts";
import type { Unit } from "./units/units.ts";
import type { MakeVisibility, Nearness, Visibility } from "./visibility.ts";

interface Watched {
  readonly entries: Set<Entry>;
  nearness: Nearness | undefined;
}

export class Ranking {
  readonly #queue: TranslationQueue<Entry>;
  readonly #visibility: Visibility;
  readonly #watched = new WeakMap<Element, Watched>();
  readonly #unranked = new Set<Entry>();

  /** `onranked` is called when something may have come into the queue. */
  constructor(queue: TranslationQueue<Entry>, makeVisibility: MakeVisibility, onranked: () => void) {
    this.#queue = queue;
    this.#visibility = makeVisibility((element, nearness) => {
      this.#onNearness(element, nearness);
      onranked();
    });
  }

  /** Whether all that was added is in the queue. */
  get complete(): boolean {
    return this.#unranked.size === 0;
  }

  add(entry: Entry): void {
    const element = seenElement(entry.unit);
    if (!element) {
      this.#queue.add(entry, "visible");
      return;
    }
    const watched = this.#watched.get(element) ?? { entries: new Set<Entry>(), nearness: undefined };
    watched.entries.add(entry);
    if (watched.entries.size === 1) {
      this.#watched.set(element, watched);
      this.#visibility.observe(element);
    }
    if (watched.nearness === undefined) this.#unranked.add(entry);
    else this.#queue.add(entry, rankOf(entry, watched.nearness));
  }

  drop(entry: Entry): void {
    this.#unranked.delete(entry);
    const element = seenElement(entry.unit);
    const watched = element && this.#watched.get(element);
    if (!watched) return;
    watched.entries.delete(entry);
    if (watched.entries.size > 0) return;
    this.#watched.delete(element);
    this.#visibility.unobserve(element);
  }

  isSeen({ unit }: Entry): boolean {
    const element = seenElement(unit);
    return !element || this.#watched.get(element)?.nearness === "visible";
  }

  stop(): void {
    this.#visibility.stop();
  }

  #onNearness(element: Element, nearness: Nearness): void {
    const watched = this.#watched.get(element);
    if (!watched) return;
    watched.nearness = nearness;
    for (const entry of watched.entries) {
      const rank = rankOf(entry, nearness);
      if (this.#unranked.delete(entry)) this.#queue.add(entry, rank);
      else this.#queue.setNearness(entry, rank);
    }
  }
}

/** Whose place on the screen a unit has; none for the title and what is in the head. */
function seenElement({ type, container }: Unit): Element | null {
  const element = isElement(container) ? container : (container as ShadowRoot).host;
  if (type === "text" && element.localName === "title" && element.closest("head")) return null;
  return element.closest("select") ?? element;
}

function rankOf(entry: Entry, nearness: Nearness): Nearness {
  if (entry.unit.type === "text") return nearness;
  return nearness === "visible" ? "near" : "background";
}
