/**
 * The units of a page that are known, and where they stand.
 *
 *     a text unit          by each of its text nodes and elements, and by its container
 *     an attribute         by its element and name
 */

import type { Job } from "./queue.ts";
import type { Branch, Piece, TextUnit, Unit } from "./units/units.ts";

export type EntryState = "waiting" | "placing" | "placed" | "failed" | "dropped";

export interface Entry extends Job {
  readonly unit: Unit;
  state: EntryState;
  translation: string;
  /** Placed, but as the page has it: the translation is to be doubted (`doubts.ts`). */
  isKept: boolean;
  /** A worker may die under a request once. */
  retried: boolean;
}

export class Entries {
  readonly #ofText = new WeakMap<Node, Entry>();
  readonly #ofContainer = new WeakMap<Node, Set<Entry>>();
  readonly #ofAttribute = new WeakMap<Element, Map<string, Entry>>();

  /** Of a text node, or of an element that a text unit has among its pieces. */
  at(node: Node): Entry | undefined {
    return this.#ofText.get(node);
  }

  /** Text units whose runs are children of a node. */
  within(container: Node): Entry[] {
    return [...(this.#ofContainer.get(container) ?? [])];
  }

  attributesOf(element: Element): Entry[] {
    return [...(this.#ofAttribute.get(element)?.values() ?? [])];
  }

  /** Those that have something of what a unit has. */
  overlapping(unit: Unit): Entry[] {
    if (unit.type === "attribute") {
      const entry = this.#ofAttribute.get(unit.container)?.get(unit.name);
      return entry ? [entry] : [];
    }
    return [...new Set(unit.leaves.map(({ node }) => this.#ofText.get(node)).filter((entry) => entry !== undefined))];
  }

  add(entry: Entry): void {
    const { unit } = entry;
    if (unit.type === "attribute") {
      const entries = this.#ofAttribute.get(unit.container) ?? new Map<string, Entry>();
      this.#ofAttribute.set(unit.container, entries.set(unit.name, entry));
      return;
    }
    for (const node of nodesOf(unit)) this.#ofText.set(node, entry);
    const entries = this.#ofContainer.get(unit.container) ?? new Set<Entry>();
    this.#ofContainer.set(unit.container, entries.add(entry));
  }

  delete(entry: Entry): void {
    const { unit } = entry;
    if (unit.type === "attribute") {
      this.#ofAttribute.get(unit.container)?.delete(unit.name);
      return;
    }
    this.#ofContainer.get(unit.container)?.delete(entry);
    for (const node of nodesOf(unit)) if (this.#ofText.get(node) === entry) this.#ofText.delete(node);
  }
}

function* nodesOf({ leaves, pieces }: TextUnit): Generator<Node, void> {
  for (const { node } of leaves) yield node;
  for (const { node } of branchesOf(pieces)) yield node;
}

function* branchesOf(pieces: readonly Piece[]): Generator<Branch, void> {
  for (const piece of pieces) {
    if (piece.type !== "element") continue;
    yield piece;
    if (piece.children) yield* branchesOf(piece.children);
  }
}

/** Equal for units that have the same translation. */
export function keyOf({ type, block }: Unit): string {
  if (block.elements.length === 0) return `${type}\n${block.text}`;
  return `${type}\n${JSON.stringify(block.elements)}\n${block.text}`;
}

/** Whether two units are made of the same nodes and say the same. */
export function isSame(one: Unit, other: Unit): boolean {
  if (one.container !== other.container || keyOf(one) !== keyOf(other)) return false;
  if (one.type === "attribute" || other.type === "attribute") return true;
  const [left, right] = [[...nodesOf(one)], [...nodesOf(other)]];
  return left.length === right.length && left.every((node, index) => node === right[index]);
}
