/**
 * The units that are known, from when they were found until the page or we take them back.
 *
 *     waiting -> placing -> placed
 *        |          `----> failed
 *        `--- retract, from any of them --> dropped
 */

import type { ChangeWatch } from "./changes.ts";
import { DoubtMarks } from "./doubts.ts";
import { Entries, type Entry } from "./entries.ts";
import { isElement } from "./nodes/kinds.ts";
import type { Originals } from "./nodes/originals.ts";
import type { TranslationQueue } from "./queue.ts";
import type { Ranking } from "./ranking.ts";
import { unplace } from "./units/place.ts";
import type { Piece, Unit } from "./units/units.ts";

/** What a place in the page said before, and says now. */
export interface Shown {
  readonly element: Element;
  readonly source: string;
  readonly translation: string;
  /** What is shown is the source: the translation is to be doubted. */
  readonly isKept: boolean;
}

export interface KnownParts {
  readonly originals: Originals;
  readonly queue: TranslationQueue<Entry>;
  readonly ranking: Ranking;
  readonly changes: ChangeWatch;
}

export class KnownUnits {
  readonly entries = new Entries();
  readonly #marks: DoubtMarks;
  readonly #parts: KnownParts;
  #total = 0;
  #done = 0;
  #failed = 0;
  #error: unknown = undefined;

  constructor(parts: KnownParts) {
    this.#parts = parts;
    this.#marks = new DoubtMarks(parts.originals, this.entries);
  }

  /** How many there are, and how they stand; `error`: why the last one failed. */
  get tally(): { readonly total: number; readonly done: number; readonly failed: number; readonly error: unknown } {
    return { total: this.#total, done: this.#done, failed: this.#failed, error: this.#error };
  }

  add(unit: Unit): Entry {
    const entry: Entry = { unit, block: unit.block, state: "waiting", translation: "", isKept: false, retried: false };
    this.entries.add(entry);
    this.#total += 1;
    return entry;
  }

  markPlaced(entry: Entry, translation: string): void {
    entry.state = "placed";
    entry.translation = translation;
    this.#done += 1;
  }

  /** It stays as the page has it, and is marked. */
  markKept(entry: Entry, translation: string): void {
    entry.isKept = true;
    this.markPlaced(entry, translation);
    this.#parts.changes.write(() => { this.#marks.update(entry.unit.container); });
  }

  stop(): void {
    this.#marks.stop();
  }

  markFailed(entry: Entry, error: unknown): void {
    if (entry.state !== "waiting" && entry.state !== "placing") return;
    entry.state = "failed";
    this.#failed += 1;
    this.#error = error;
  }

  /** Take a unit back: out of the queue, and out of the page. */
  retract(entry: Entry): void {
    if (entry.state === "dropped") return;
    const { originals, queue, ranking, changes } = this.#parts;
    const { unit, state } = entry;
    entry.state = "dropped";
    this.#total -= 1;
    if (state === "placed") this.#done -= 1;
    else if (state === "failed") this.#failed -= 1;
    queue.remove(entry);
    ranking.drop(entry);
    this.entries.delete(entry);
    if (entry.isKept) changes.write(() => { this.#marks.update(unit.container); });
    if (unit.type === "attribute") {
      changes.write(() => { originals.restoreAttribute(unit.container, unit.name); });
      return;
    }
    if (state !== "placed" && state !== "placing") return;
    const moved = originals.isMoved(unit.container);
    changes.write(() => {
      unplace(originals, unit);
      // What a form would send is that of the text again (`Placer`).
      if (isElement(unit.container) && unit.container.localName === "option") originals.restoreAttribute(unit.container, "value");
    });
    if (!moved) return;
    // The order of the whole parent was restored: what else stands in it is placed anew.
    for (const sibling of this.entries.within(unit.container)) this.retract(sibling);
    changes.lookAgain(unit.container);
  }

  /** Whether somebody still wants it, and its place is still in the page. */
  isCurrent(entry: Entry): boolean {
    const { unit } = entry;
    if (entry.state === "dropped") return false;
    if (!unit.container.isConnected) {
      this.retract(entry);
      return false;
    }
    return true;
  }

  /** Whether the page has what it had when the unit was found; if not, it is looked at again. */
  isIntact(entry: Entry): boolean {
    if (isIntact(this.#parts.originals, entry.unit)) return true;
    this.retract(entry);
    this.#parts.changes.lookAgain(entry.unit.container);
    return false;
  }

  /** What is shown at a node, if it was translated. */
  shownAt(node: Node): Shown | null {
    const entry = this.entries.at(node);
    if (entry) return this.#shown(entry);
    for (let at: Node | null = node; at; at = at.parentNode) {
      const entries = this.entries.within(at);
      if (entries.length > 0) return entries.length === 1 ? this.#shown(entries[0]) : null;
    }
    return null;
  }

  #shown(entry: Entry | undefined): Shown | null {
    if (entry?.state !== "placed" || !isElement(entry.unit.container)) return null;
    return { element: entry.unit.container, source: entry.block.text, translation: entry.translation, isKept: entry.isKept };
  }
}

/** Whether the page has what it had when the unit was found. */
function isIntact(originals: Originals, unit: Unit): boolean {
  if (unit.type === "attribute") {
    const source = originals.attributeOf(unit.container, unit.name);
    return source?.replace(/[ \t\n\r\f]+/g, " ").trim() === unit.block.text;
  }
  const holds = (parent: Node, pieces: readonly Piece[]): boolean =>
    pieces.every((piece) => {
      if (piece.node.parentNode !== parent) return false;
      if (piece.type === "text") return originals.textOf(piece.node) === piece.source;
      return piece.children === null || holds(piece.node, piece.children);
    });
  return holds(unit.container, unit.pieces);
}
