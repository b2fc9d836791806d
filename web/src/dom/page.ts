/**
 * A page under translation: puts the parts of this folder together.
 *
 *     Finder ---- units ----> KnownUnits, Ranking --> TranslationQueue <--> BlockTranslator
 *         ^                                              |          ^
 *         | what changed                                 v          | nearness
 *     Follower <-- ChangeWatch <--- page <----------- Placer    Visibility
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
import { Contests } from "./contests.ts";
import type { Entry } from "./entries.ts";
import { Finder } from "./finder.ts";
import { Follower } from "./follower.ts";
import { KnownUnits, type Shown } from "./known.ts";
import { Memory } from "./memory.ts";
import { Originals } from "./nodes/originals.ts";
import { Placer } from "./placer.ts";
import { TranslationQueue } from "./queue.ts";
import { Ranking } from "./ranking.ts";
import { browserClock, Slices, type Clock } from "./slices.ts";
import type { BlockTranslator } from "./units/blocks.ts";
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

/** When elements without a shadow root are looked at again, in milliseconds. */
const LATE = [300, 1_000, 3_000, 8_000];

export class PageTranslation {
  readonly #topDocument: Document;
  readonly #options: PageOptions;
  readonly #clock: Clock;
  readonly #originals = new Originals();
  readonly #queue: TranslationQueue<Entry>;
  readonly #slices: Slices;
  readonly #ranking: Ranking;
  readonly #changes: ChangeWatch;
  readonly #known: KnownUnits;
  readonly #placer: Placer;
  readonly #finder: Finder;
  readonly #ended = new AbortController();
  #phase: PagePhase = "translating";
  #restored: Promise<void> | undefined;

  constructor(document: Document, translator: BlockTranslator, options: PageOptions) {
    this.#topDocument = document;
    this.#options = options;
    const { clock = browserClock(), makeVisibility = browserVisibility, steps = 1_000, frames = true } = options;
    this.#clock = clock;
    const { defaultView: view } = document;
    const originals = this.#originals;
    const queue = new TranslationQueue<Entry>(translator, {
      isWanted: (entry) => this.#known.isCurrent(entry),
      ondone: (entry, translated) => { this.#placer.receive(entry, translated); },
      onfailed: (entry, error) => { this.#fail(entry, error); },
    });
    const slices = new Slices(clock, () => { this.#afterSlice(); });
    const ranking = new Ranking(queue, makeVisibility, () => { slices.wake(); });
    const changes = new ChangeWatch(view, {
      onchildren: (parent, removed) => { follower.onchildren(parent, removed); },
      onchanges: (changed) => { follower.onchanges(changed); },
    });
    const known = new KnownUnits({ originals, queue, ranking, changes });
    const [memory, contests] = [new Memory(), new Contests(() => clock.now())];
    const placing = { originals, known, ranking, changes, slices, memory, contests };
    const placer = new Placer(placing, steps);
    const { signal } = this.#ended;
    const finder = new Finder({ ...placing, placer }, { ...options, frames, signal });
    const follower = new Follower({ originals, known, finder, slices });
    [this.#queue, this.#slices, this.#ranking, this.#changes] = [queue, slices, ranking, changes];
    [this.#known, this.#placer, this.#finder] = [known, placer, finder];
  }

  get progress(): PageProgress {
    this.#updatePhase();
    return { phase: this.#phase, ...this.#known.tally, visible: this.#queue.visible };
  }

  start(): void {
    const { signal } = this.#ended;
    this.#topDocument.addEventListener("visibilitychange", () => { this.#pauseIfHidden(); }, { signal });
    this.#pauseIfHidden();
    this.#finder.addRoot(this.#topDocument);
    for (const delay of LATE) setTimeout(() => { this.#finder.lookForHosts(); }, delay);
  }

  /** Everything back as the page has it; resolves when it is. */
  restore(): Promise<void> {
    this.#restored ??= this.#restore();
    return this.#restored;
  }

  #restore(): Promise<void> {
    this.#phase = "restoring";
    this.#ended.abort();
    this.#queue.stop();
    this.#slices.stop();
    this.#ranking.stop();
    this.#changes.stop();
    this.#placer.stop();
    this.#known.stop();
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
    return this.#known.shownAt(node);
  }

  #pauseIfHidden(): void {
    this.#queue.paused = this.#topDocument.visibilityState === "hidden";
    this.#report();
  }

  #fail(entry: Entry, error: unknown): void {
    const gone = typeof error === "object" && error !== null && "code" in error && error.code === "worker-gone";
    if (gone && !entry.retried) {
      entry.retried = true;
      this.#queue.add(entry, "visible");
      this.#slices.wake();
    } else {
      this.#ranking.drop(entry);
      this.#known.markFailed(entry, error);
      this.#slices.wake();
    }
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
      !this.#placer.idle ||
      this.#changes.pending ||
      !this.#slices.idle;
    this.#phase = this.#queue.paused ? "paused" : busy ? "translating" : "translated";
  }
}
