/**
 * A page under translation: puts the parts of this folder together.
 *
 *     Collector ----- units ----> admit --> TranslationQueue <--> BlockTranslator
 *         ^                                   |          ^
 *         | what changed                      v          | nearness
 *     ChangeWatch <------ page <----------- place    Visibility
 *
 *     start() -> translating <-> translated      new content of the page is translated as it comes
 *                    |    ^
 *                    v    |  the tab is hidden, and shown again
 *                    paused
 *     restore() -> restoring -> restored         final: a page is translated again by a new object
 *
 * Everything that takes time runs in slices. The watch, the queue and what was written to the page
 * belong to this object and end with `restore`; the translator belongs to the caller.
 */

import { ChangeWatch } from "./changes.ts";
import { isElement } from "./nodes/kinds.ts";
import { Collector, type Discovery, type Root } from "./units/collect.ts";
import { Contests } from "./contests.ts";
import type { BlockTranslator, TranslatedBlock } from "./units/blocks.ts";
import type { Changes } from "./dirty.ts";
import { Entries, isSame, keyOf, type Entry, type Result } from "./entries.ts";
import { Memory } from "./memory.ts";
import { Originals } from "./nodes/originals.ts";
import { MisplacedError, place, unplace } from "./units/place.ts";
import { TranslationQueue } from "./queue.ts";
import { Ranking } from "./ranking.ts";
import { directionOf, hasLetters } from "./nodes/rules.ts";
import { browserClock, Slices, type Clock } from "./slices.ts";
import type { Piece, Unit } from "./units/units.ts";
import { browserVisibility, type MakeVisibility } from "./visibility.ts";

export type PagePhase = "translating" | "translated" | "paused" | "restoring" | "restored";

export interface PageProgress {
  readonly phase: PagePhase;
  /** Units found so far, those that are translated, and those that could not be. */
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** Units in sight that still wait. */
  readonly visible: number;
  /** Why the last one failed. */
  readonly error: unknown;
}

export interface PageOptions {
  /** BCP 47. */
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
  /** Whether frames of the same origin are translated with it. Default: true. */
  readonly frames?: boolean;
  /** At most once a slice. */
  readonly onprogress?: (progress: PageProgress) => void;
  readonly makeVisibility?: MakeVisibility;
  readonly clock?: Clock;
  /** Nodes, or so, that are placed at a time: a unit of fewer is never seen half done. Default: 1,000. */
  readonly steps?: number;
}

/** What a place in the page said before, and says now. */
export interface Shown {
  readonly element: Element;
  readonly source: string;
  readonly translation: string;
}

/** Milliseconds that translations out of sight wait for each other: each time, the page is laid out anew. */
const UNSEEN = 250;
/** When elements without a shadow root are looked at again, in milliseconds. */
const LATE = [300, 1_000, 3_000, 8_000];

export class PageTranslation {
  readonly #topDocument: Document;
  readonly #options: PageOptions;
  readonly #originals = new Originals();
  readonly #collector: Collector;
  readonly #queue: TranslationQueue<Entry>;
  readonly #slices: Slices;
  readonly #clock: Clock;
  readonly #ranking: Ranking;
  readonly #changes: ChangeWatch;
  readonly #ended = new AbortController();

  readonly #entries = new Entries();
  readonly #roots = new WeakSet<Root>();
  readonly #frames = new WeakSet<Element>();
  readonly #hostless = new Set<Element>();
  readonly #memory = new Memory();
  readonly #contests: Contests;

  #removals = 0;
  #placeTimer: ReturnType<typeof setTimeout> | undefined;
  #placingNow = false;
  readonly #results: Result[] = [];
  #phase: PagePhase = "translating";
  #total = 0;
  #done = 0;
  #failed = 0;
  #error: unknown = undefined;

  constructor(document: Document, translator: BlockTranslator, options: PageOptions) {
    this.#topDocument = document;
    this.#options = options;
    const { sourceLanguage, frames = true, clock = browserClock(), makeVisibility = browserVisibility } = options;
    this.#clock = clock;
    this.#contests = new Contests(() => clock.now());
    this.#collector = new Collector(this.#originals, { sourceLanguage, frames });
    this.#queue = new TranslationQueue<Entry>(translator, {
      isWanted: (entry) => this.#isCurrent(entry),
      ondone: (entry, translated) => { this.#receive(entry, translated); },
      onfailed: (entry, error) => { this.#fail(entry, error); },
    });
    this.#slices = new Slices(clock, () => { this.#afterSlice(); });
    this.#ranking = new Ranking(this.#queue, makeVisibility, () => { this.#slices.wake(); });
    const { defaultView: view } = document;
    this.#changes = new ChangeWatch(view, {
      onchildren: (parent, removed) => { this.#onChildren(parent, removed); },
      onchanges: (changes) => { this.#onChanges(changes); },
    });
  }

  get progress(): PageProgress {
    const { visible } = this.#queue;
    this.#updatePhase();
    return { phase: this.#phase, total: this.#total, done: this.#done, failed: this.#failed, visible, error: this.#error };
  }

  start(): void {
    const { signal } = this.#ended;
    this.#topDocument.addEventListener("visibilitychange", () => { this.#pauseIfHidden(); }, { signal });
    this.#pauseIfHidden();
    this.#addRoot(this.#topDocument);
    for (const delay of LATE) setTimeout(() => { this.#lookForHosts(); }, delay);
  }

  /** Everything back as the page has it; resolves when it is. */
  restore(): Promise<void> {
    if (this.#phase === "restoring" || this.#phase === "restored") return Promise.resolve();
    this.#phase = "restoring";
    this.#ended.abort();
    this.#queue.stop();
    this.#slices.stop();
    this.#ranking.stop();
    this.#changes.stop();
    return new Promise((resolve) => {
      const slices = new Slices(this.#clock, () => {
        if (!slices.idle) return;
        this.#phase = "restored";
        this.#report();
        resolve();
      });
      slices.add(this.#originals.restoreAll());
    });
  }

  /** What is shown at a node, if it was translated. */
  shownAt(node: Node): Shown | null {
    const entry = this.#entries.at(node);
    if (entry) return this.#shown(entry);
    for (let at: Node | null = node; at; at = at.parentNode) {
      const entries = this.#entries.within(at);
      if (entries.length > 0) return entries.length === 1 ? this.#shown(entries[0]) : null;
    }
    return null;
  }

  #shown(entry: Entry | undefined): Shown | null {
    if (entry?.state !== "placed" || !isElement(entry.unit.container)) return null;
    return { element: entry.unit.container, source: entry.block.text, translation: entry.translation };
  }

  // --- Finding ------------------------------------------------------------------------------------

  #addRoot(root: Root): void {
    if (this.#roots.has(root)) return;
    this.#roots.add(root);
    this.#changes.observe(root);
    if (root.nodeType === root.DOCUMENT_NODE) {
      this.#changes.write(() => { this.#setLanguage((root as Document).documentElement, true); });
      this.#collect(root, true);
    }
  }

  #addFrame(frame: HTMLIFrameElement): void {
    const add = (): void => {
      if (this.#ended.signal.aborted) return;
      const inner = documentOf(frame);
      if (inner) this.#addRoot(inner);
    };
    if (!this.#frames.has(frame)) {
      this.#frames.add(frame);
      frame.addEventListener("load", add, { signal: this.#ended.signal });
    }
    add();
  }

  #setLanguage(element: Element, whole: boolean): void {
    const { sourceLanguage, targetLanguage } = this.#options;
    this.#originals.writeAttribute(element, "lang", targetLanguage);
    if (!whole) return;
    const direction = directionOf(targetLanguage);
    const current = this.#originals.attributeOf(element, "dir")?.toLowerCase() ?? directionOf(sourceLanguage);
    if (current !== direction) this.#originals.writeAttribute(element, "dir", direction);
  }

  #collect(node: ParentNode & Node, deep: boolean): void {
    this.#slices.add(this.#collecting(node, deep));
  }

  *#collecting(node: ParentNode & Node, deep: boolean): Generator<undefined, void> {
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
        this.#addRoot(discovery.root);
        break;
      case "frame":
        this.#addFrame(discovery.frame);
        break;
      case "host":
        this.#hostless.add(discovery.element);
        break;
      case "language":
        this.#changes.write(() => { this.#setLanguage(discovery.element, false); });
    }
  }

  /** Custom elements get their shadow roots when their scripts come, of which no mutation tells. */
  #lookForHosts(): void {
    if (this.#ended.signal.aborted) return;
    for (const element of this.#hostless) {
      if (!element.isConnected) this.#hostless.delete(element);
      else if (element.shadowRoot) {
        this.#hostless.delete(element);
        this.#collect(element, true);
      }
    }
  }

  // --- Units --------------------------------------------------------------------------------------

  /** Take a unit as it was found; one that is known, and the same, stays as it is. */
  *#admit(unit: Unit): Generator<undefined, void> {
    const known = this.#entries.overlapping(unit);
    const [same] = known;
    if (same && known.length === 1 && isSame(same.unit, unit) && same.state !== "dropped") return;
    for (const entry of known) this.#retract(entry);
    if (this.#memory.isOutput(unit.block.text) || this.#contests.isLost(unit)) return;
    const entry: Entry = { unit, block: unit.block, state: "waiting", translation: "", retried: false };
    this.#entries.add(entry);
    this.#total += 1;
    const remembered = this.#memory.get(keyOf(unit));
    if (remembered) yield* this.#placeEntry(entry, remembered);
    else this.#ranking.add(entry);
  }

  /** Take a unit back: out of the queue, and out of the page. */
  #retract(entry: Entry): void {
    if (entry.state === "dropped") return;
    const { unit, state } = entry;
    entry.state = "dropped";
    this.#total -= 1;
    if (state === "placed") this.#done -= 1;
    else if (state === "failed") this.#failed -= 1;
    this.#queue.remove(entry);
    this.#ranking.drop(entry);
    this.#entries.delete(entry);
    if (unit.type === "attribute") {
      this.#changes.write(() => { this.#originals.restoreAttribute(unit.container, unit.name); });
      return;
    }
    if (state !== "placed" && state !== "placing") return;
    const moved = this.#originals.isMoved(unit.container);
    this.#changes.write(() => { unplace(this.#originals, unit); });
    if (!moved) return;
    // The order of the whole parent was restored: what else stands in it is placed anew.
    for (const sibling of this.#entries.within(unit.container)) this.#retract(sibling);
    this.#changes.lookAgain(unit.container);
  }

  /** Whether the page still has what the unit was made of. */
  #isCurrent(entry: Entry): boolean {
    const { unit } = entry;
    if (entry.state === "dropped") return false;
    if (!unit.container.isConnected) {
      this.#retract(entry);
      return false;
    }
    return true;
  }

  #pauseIfHidden(): void {
    this.#queue.paused = this.#topDocument.visibilityState === "hidden";
    this.#report();
  }

  // --- Results ------------------------------------------------------------------------------------

  #receive(entry: Entry, translated: TranslatedBlock): void {
    this.#results.push({ entry, translated });
    if (this.#ranking.isSeen(entry)) this.#placeSoon();
    else this.#placeTimer ??= setTimeout(() => { this.#placeSoon(); }, UNSEEN);
    this.#slices.wake(); // There is room for the next.
  }

  #placeSoon(): void {
    clearTimeout(this.#placeTimer);
    this.#placeTimer = undefined;
    if (this.#placingNow || this.#ended.signal.aborted) return;
    this.#placingNow = true;
    this.#slices.addFirst(this.#placing());
  }

  *#placing(): Generator<undefined, void> {
    for (let next = this.#results.shift(); next; next = this.#results.shift()) {
      const { entry, translated } = next;
      this.#memory.add(keyOf(entry.unit), entry.block.text, translated);
      if (this.#isCurrent(entry)) yield* this.#placeEntry(entry, translated);
      yield undefined;
    }
    this.#placingNow = false;
  }

  /** A unit of many nodes is placed in several slices, and what has changed meanwhile is dropped. */
  *#placeEntry(entry: Entry, translated: TranslatedBlock): Generator<undefined, void> {
    const { unit } = entry;
    // The page may have changed without our having been told yet.
    this.#changes.catchUp();
    if (entry.state !== "waiting" || !this.#isIntact(entry)) return;
    this.#ranking.drop(entry);
    entry.state = "placing";
    const { steps: most = 1_000 } = this.#options;
    try {
      for (const steps = this.#put(unit, translated); !this.#changes.write(() => advance(steps, most)); ) {
        const { count } = this.#changes;
        yield undefined;
        this.#changes.catchUp();
        if (!isPlacing(entry) || (this.#changes.count > count && !this.#isIntact(entry))) return;
      }
      entry.state = "placed";
      entry.translation = translated.text;
      this.#done += 1;
      this.#contests.count(unit);
    } catch (error) {
      if (!(error instanceof MisplacedError)) throw error;
      this.#giveUp(entry, error);
    }
  }

  /** Whether the page has what it had when the unit was found; if not, it is looked at again. */
  #isIntact(entry: Entry): boolean {
    if (isIntact(this.#originals, entry.unit)) return true;
    this.#retract(entry);
    this.#changes.lookAgain(entry.unit.container);
    return false;
  }

  *#put(unit: Unit, translated: TranslatedBlock): Generator<undefined, void> {
    if (unit.type === "attribute") {
      this.#originals.writeAttribute(unit.container, unit.name, translated.text);
      return;
    }
    const { container } = unit;
    if (isElement(container) && container.localName === "option" && !container.hasAttribute("value")) {
      // Its text is what a form would send.
      this.#originals.writeAttribute(container, "value", (container as HTMLOptionElement).value);
    }
    yield* place(this.#originals, unit, translated);
  }

  #fail(entry: Entry, error: unknown): void {
    const gone = typeof error === "object" && error !== null && "code" in error && error.code === "worker-gone";
    if (gone && !entry.retried) {
      entry.retried = true;
      this.#queue.add(entry, "visible");
      this.#slices.wake();
    } else {
      this.#ranking.drop(entry);
      this.#giveUp(entry, error);
      this.#slices.wake();
    }
  }

  #giveUp(entry: Entry, error: unknown): void {
    if (entry.state !== "waiting" && entry.state !== "placing") return;
    entry.state = "failed";
    this.#failed += 1;
    this.#error = error;
  }

  #afterSlice(): void {
    this.#queue.pump();
    this.#report();
  }

  #report(): void {
    if (this.#phase !== "restoring") this.#options.onprogress?.(this.progress);
  }

  #updatePhase(): void {
    if (this.#phase === "restoring" || this.#phase === "restored") return;
    const busy =
      this.#queue.size > 0 ||
      !this.#ranking.complete ||
      this.#results.length > 0 ||
      this.#changes.pending ||
      !this.#slices.idle;
    this.#phase = this.#queue.paused ? "paused" : busy ? "translating" : "translated";
  }

  // --- Changes of the page --------------------------------------------------------------------------

  #onChildren(parent: Node, removed: NodeList): void {
    for (const node of removed) {
      const entry = this.#entries.at(node);
      if (entry && node.parentNode !== parent) this.#retract(entry);
    }
    if (this.#originals.isMoved(parent)) for (const entry of this.#entries.within(parent)) this.#retract(entry);
    this.#removals += removed.length;
  }

  /** Before the browser paints: what the page changed is looked at, and shown if it is remembered. */
  #onChanges(changes: Changes): void {
    this.#slices.addFirst(this.#looking(changes));
    this.#lookForHosts();
    if (this.#removals > 5_000) {
      this.#removals = 0;
      this.#originals.release();
    }
    this.#slices.flush();
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
      const container = node.isConnected ? this.#collector.containerOf(node) : null;
      if (container && !containers.has(container)) yield* this.#collecting(container, false);
      if (container) containers.add(container);
      yield undefined;
    }
    for (const element of added) {
      const fresh = element.isConnected && !hasAncestorIn(element, added);
      if (fresh && this.#collector.containerOf(element) === element) yield* this.#collecting(element, true);
      yield undefined;
    }
    for (const element of attributes) if (element.isConnected) yield* this.#collecting(element, false);
  }

  #retractText(node: Text): void {
    const entry = this.#entries.at(node);
    if (entry?.unit.type !== "text" || (entry.state !== "placed" && entry.state !== "placing")) return;
    // A figure in a node of its own was kept there, so the new one is right where it stands.
    if (this.#originals.isRewritten(node) || hasLetters(node.data)) this.#retract(entry);
  }

  /** Take back all that is in an element. */
  *#retracting(element: Element): Generator<undefined, void> {
    const found = new Set<Entry>();
    const walker = element.ownerDocument.createTreeWalker(element, 5); // Elements and text.
    for (let node: Node | null = walker.currentNode; node; node = walker.nextNode()) {
      const entry = this.#entries.at(node);
      if (entry) found.add(entry);
      if (isElement(node)) for (const other of this.#entries.attributesOf(node)) found.add(other);
    }
    for (const entry of found) {
      this.#retract(entry);
      yield undefined;
    }
  }
}

// --- Units ------------------------------------------------------------------------------------------

/** Whether nobody has taken it back since. */
function isPlacing({ state }: Entry): boolean {
  return state === "placing";
}

/** Some steps; whether they were the last. */
function advance(steps: Iterator<undefined, void>, most: number): boolean {
  for (let count = 0; count < most; count += 1) if (steps.next().done) return true;
  return false;
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

function documentOf(frame: HTMLIFrameElement): Document | null {
  try {
    const inner = frame.contentDocument;
    return inner?.documentElement ? inner : null;
  } catch {
    return null; // Of another origin, which some browsers say by throwing.
  }
}

function hasAncestorIn(element: Element, set: ReadonlySet<Element>): boolean {
  for (let at = element.parentElement; at; at = at.parentElement) if (set.has(at)) return true;
  return false;
}
