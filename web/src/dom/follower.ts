/** Follows what the page does to itself: what it changed is taken back, looked at again, or found. */

import type { Changes } from "./dirty.ts";
import type { Entry } from "./entries.ts";
import type { Finder } from "./finder.ts";
import type { KnownUnits } from "./known.ts";
import { isElement } from "./nodes/kinds.ts";
import type { Originals } from "./nodes/originals.ts";
import { hasLetters } from "./nodes/rules.ts";
import type { Slices } from "./slices.ts";

export interface FollowerParts {
  readonly originals: Originals;
  readonly known: KnownUnits;
  readonly finder: Finder;
  readonly slices: Slices;
}

/** Removed nodes after which what is remembered of those that are gone is given back. */
const MANY = 5_000;

export class Follower {
  readonly #parts: FollowerParts;
  #removals = 0;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Nodes were removed from a parent, or others added to it: at once. */
  onchildren(parent: Node, removed: NodeList): void {
    for (const node of removed) {
      const entry = this.#parts.known.entries.at(node);
      if (entry && node.parentNode !== parent) this.#parts.known.retract(entry);
    }
    if (this.#parts.originals.isMoved(parent)) for (const entry of this.#parts.known.entries.within(parent)) this.#parts.known.retract(entry);
    for (const node of removed) this.#removals += 1 + (isElement(node) ? node.getElementsByTagName("*").length : 0);
  }

  /** Before the browser paints: what the page changed is looked at, and shown if it is remembered. */
  onchanges(changes: Changes): void {
    this.#parts.slices.addFirst(this.#looking(changes));
    this.#parts.finder.lookForHosts();
    if (this.#removals > MANY) {
      this.#removals = 0;
      this.#parts.originals.release();
    }
    this.#parts.slices.flush();
  }

  /** The page may go on changing meanwhile: that is looked at after the next frame. */
  *#looking({ runs, texts, added, attributes, scopes }: Changes): Generator<undefined, void> {
    for (const node of texts) {
      this.#retractText(node);
      yield undefined;
    }
    for (const element of scopes) yield* this.#retracting(element);
    const containers = new Set<Node>();
    for (const node of runs) {
      const container = node.isConnected ? this.#parts.finder.containerOf(node) : null;
      if (container && !containers.has(container)) yield* this.#parts.finder.collecting(container, false);
      if (container) containers.add(container);
      yield undefined;
    }
    for (const element of added) {
      const fresh = element.isConnected && !hasAncestorIn(element, added);
      if (fresh && this.#parts.finder.containerOf(element) === element) yield* this.#parts.finder.collecting(element, true);
      yield undefined;
    }
    for (const element of attributes) {
      if (!element.isConnected) continue;
      this.#retractAttributes(element);
      // An element in a line is looked at with the whole line: its words alone are no unit.
      yield* this.#parts.finder.collecting(this.#parts.finder.containerOf(element) ?? element, false);
    }
  }

  /** Those that the page has set anew, to what they said before or to something else. */
  #retractAttributes(element: Element): void {
    for (const entry of this.#parts.known.entries.attributesOf(element)) {
      const { unit, state, isKept, translation } = entry;
      if (unit.type !== "attribute" || state !== "placed" || isKept) continue;
      if (element.getAttribute(unit.name) !== translation) this.#parts.known.retract(entry);
    }
  }

  #retractText(node: Text): void {
    const entry = this.#parts.known.entries.at(node);
    if (entry?.unit.type !== "text" || (entry.state !== "placed" && entry.state !== "placing")) return;
    // A figure in a node of its own was kept there, so the new one is right where it stands.
    if (this.#parts.originals.isRewritten(node) || hasLetters(node.data)) this.#parts.known.retract(entry);
  }

  /** Take back all that is in an element. */
  *#retracting(element: Element): Generator<undefined, void> {
    const entries = new Set<Entry>();
    const walker = element.ownerDocument.createTreeWalker(element, 5); // Elements and text.
    for (let node: Node | null = walker.currentNode; node; node = walker.nextNode()) {
      const entry = this.#parts.known.entries.at(node);
      if (entry) entries.add(entry);
      if (isElement(node)) for (const other of this.#parts.known.entries.attributesOf(node)) entries.add(other);
    }
    for (const entry of entries) {
      this.#parts.known.retract(entry);
      yield undefined;
    }
  }
}

function hasAncestorIn(element: Element, set: ReadonlySet<Element>): boolean {
  for (let at = element.parentElement; at; at = at.parentElement) if (set.has(at)) return true;
  return false;
}
