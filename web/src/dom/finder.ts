/**
 * Finds what there is to translate: in the document, its shadow roots and its frames.
 *
 *     root --> collecting, in slices --> units: known and the same | remembered, placed | to be ranked
 */

import type { ChangeWatch } from "./changes.ts";
import type { Contests } from "./contests.ts";
import { isSame, keyOf } from "./entries.ts";
import type { KnownUnits } from "./known.ts";
import type { Memory } from "./memory.ts";
import type { Originals } from "./nodes/originals.ts";
import { directionOf } from "./nodes/rules.ts";
import type { Placer } from "./placer.ts";
import type { Ranking } from "./ranking.ts";
import type { Slices } from "./slices.ts";
import { Collector, type Discovery, type Root } from "./units/collect.ts";
import type { Unit } from "./units/units.ts";

export interface FinderParts {
  readonly originals: Originals;
  readonly known: KnownUnits;
  readonly placer: Placer;
  readonly ranking: Ranking;
  readonly changes: ChangeWatch;
  readonly slices: Slices;
  readonly memory: Memory;
  readonly contests: Contests;
}

export interface FinderOptions {
  /** BCP 47. */
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  readonly frames: boolean;
  /** Ends the looking at frames that load. */
  readonly signal: AbortSignal;
}

export class Finder {
  readonly #parts: FinderParts;
  readonly #options: FinderOptions;
  readonly #collector: Collector;
  readonly #roots = new WeakSet<Root>();
  readonly #frames = new WeakSet<Element>();
  readonly #hostless = new Set<Element>();

  constructor(parts: FinderParts, options: FinderOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#collector = new Collector(parts.originals, options);
  }

  /** The node whose runs a node is part of. */
  containerOf(node: Node): (ParentNode & Node) | null {
    return this.#collector.containerOf(node);
  }

  /** A document, or a shadow root, belongs to the page from now on. */
  addRoot(root: Root): void {
    if (this.#roots.has(root)) return;
    this.#roots.add(root);
    this.#parts.changes.observe(root);
    if (root.nodeType === root.DOCUMENT_NODE) {
      this.#parts.changes.write(() => { this.#setLanguage((root as Document).documentElement, true); });
      this.#collect(root, true);
    }
  }

  #addFrame(frame: HTMLIFrameElement): void {
    const add = (): void => {
      if (this.#options.signal.aborted) return;
      const inner = documentOf(frame);
      if (inner) this.addRoot(inner);
    };
    if (!this.#frames.has(frame)) {
      this.#frames.add(frame);
      frame.addEventListener("load", add, { signal: this.#options.signal });
    }
    add();
  }

  #setLanguage(element: Element, whole: boolean): void {
    const { sourceLanguage, targetLanguage } = this.#options;
    this.#parts.originals.writeAttribute(element, "lang", targetLanguage);
    if (!whole) return;
    const direction = directionOf(targetLanguage);
    const current = this.#parts.originals.attributeOf(element, "dir")?.toLowerCase() ?? directionOf(sourceLanguage);
    if (current !== direction) this.#parts.originals.writeAttribute(element, "dir", direction);
  }

  #collect(node: ParentNode & Node, deep: boolean): void {
    this.#parts.slices.add(this.collecting(node, deep));
  }

  /** Find the units of a node: `deep` all of it, else only its own runs. */
  *collecting(node: ParentNode & Node, deep: boolean): Generator<undefined, void> {
    for (const discovery of this.#collector.collect(node, deep)) {
      if (discovery) yield* this.#discover(discovery);
      yield undefined;
    }
  }

  *#discover(discovery: Discovery): Generator<undefined, void> {
    switch (discovery.type) {
      case "unit":
        yield* this.#admit(discovery.unit);
        break;
      case "root":
        this.addRoot(discovery.root);
        break;
      case "frame":
        this.#addFrame(discovery.frame);
        break;
      case "host":
        this.#hostless.add(discovery.element);
        break;
      case "language":
        this.#parts.changes.write(() => { this.#setLanguage(discovery.element, false); });
    }
  }

  /** Custom elements get their shadow roots when their scripts come, of which no mutation tells. */
  lookForHosts(): void {
    if (this.#options.signal.aborted) return;
    for (const element of this.#hostless) {
      if (!element.isConnected) this.#hostless.delete(element);
      else if (element.shadowRoot) {
        this.#hostless.delete(element);
        this.#collect(element, true);
      }
    }
  }

  /** Take a unit as it was found; one that is known, and the same, stays as it is. */
  *#admit(unit: Unit): Generator<undefined, void> {
    const overlapping = this.#parts.known.entries.overlapping(unit);
    const [same] = overlapping;
    if (same && overlapping.length === 1 && isSame(same.unit, unit) && same.state !== "dropped") return;
    for (const entry of overlapping) this.#parts.known.retract(entry);
    if (this.#parts.memory.isOutput(unit.block.text) || this.#parts.contests.isLost(unit)) return;
    const entry = this.#parts.known.add(unit);
    const remembered = this.#parts.memory.get(keyOf(unit));
    if (remembered) yield* this.#parts.placer.place(entry, remembered);
    else this.#parts.ranking.add(entry);
  }
}

function documentOf(frame: HTMLIFrameElement): Document | null {
  try {
    const inner = frame.contentDocument;
    return inner?.documentElement ? inner : null;
  } catch {
    return null; // Of another origin, which some browsers say by throwing.
  }
}
