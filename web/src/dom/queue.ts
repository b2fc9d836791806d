/**
 * Which unit is translated next.
 *
 *     add --> waiting, by nearness --(pump: visible first, then near, then the rest)--> under way
 *                 ^                                                                      |
 *                 |                                        result, failure --> settled --'
 *                 `---- "queue-full": the translator has no room yet
 *
 * As many are under way as fill the engine's mini-batches; of what is seen, all. Nearness may change
 * at any time: what waits changes places, what is under way is told to the translator. Paused, it
 * starts nothing, and what is under way counts as background.
 */

import type { Block, BlockHandle, BlockTranslator, TranslatedBlock } from "./units/blocks.ts";
import type { Nearness } from "./visibility.ts";

export interface Job {
  readonly block: Block;
}

export interface QueueEvents<J extends Job> {
  ondone(job: J, translated: TranslatedBlock): void;
  onfailed(job: J, error: unknown): void;
  /** Asked just before it would be sent: whether anybody still wants it. */
  isWanted(job: J): boolean;
}

const RANKS: readonly Nearness[] = ["visible", "near", "background"];
/** Most that are under way, all ranks together, when one of this rank may start. */
const WINDOW: Readonly<Record<Nearness, number>> = { visible: 512, near: 128, background: 64 };
/** Milliseconds until a full queue is tried again. */
const PATIENCE = 200;

export class TranslationQueue<J extends Job> {
  readonly #translator: BlockTranslator;
  readonly #events: QueueEvents<J>;
  readonly #waiting: Readonly<Record<Nearness, Set<J>>> = { visible: new Set(), near: new Set(), background: new Set() };
  readonly #ranks = new Map<J, Nearness>();
  readonly #underWay = new Map<J, BlockHandle>();
  #paused = false;
  #stopped = false;
  #full = false;

  constructor(translator: BlockTranslator, events: QueueEvents<J>) {
    this.#translator = translator;
    this.#events = events;
  }

  /** Jobs that wait or are under way. */
  get size(): number {
    return this.#ranks.size;
  }

  /** Those of them that somebody is looking at. */
  get visible(): number {
    let count = 0;
    for (const rank of this.#ranks.values()) if (rank === "visible") count += 1;
    return count;
  }

  add(job: J, nearness: Nearness): void {
    this.#ranks.set(job, nearness);
    this.#waiting[nearness].add(job);
  }

  setNearness(job: J, nearness: Nearness): void {
    const rank = this.#ranks.get(job);
    if (rank === undefined || rank === nearness) return;
    this.#ranks.set(job, nearness);
    if (this.#waiting[rank].delete(job)) this.#waiting[nearness].add(job);
    else if (!this.#paused) this.#underWay.get(job)?.prioritize(nearness);
  }

  /** Nobody wants it any more; its result, if it comes, is dropped. */
  remove(job: J): void {
    const rank = this.#ranks.get(job);
    if (rank === undefined) return;
    this.#ranks.delete(job);
    this.#waiting[rank].delete(job);
    const handle = this.#underWay.get(job);
    this.#underWay.delete(job);
    handle?.cancel();
  }

  get paused(): boolean {
    return this.#paused;
  }

  set paused(paused: boolean) {
    if (this.#paused === paused) return;
    this.#paused = paused;
    for (const [job, handle] of this.#underWay) {
      handle.prioritize(paused ? "background" : (this.#ranks.get(job) ?? "background"));
    }
    this.pump();
  }

  /** Start what there is room for. */
  pump(): void {
    if (this.#paused || this.#stopped || this.#full) return;
    for (const rank of RANKS) {
      for (const job of this.#waiting[rank]) {
        if (this.#underWay.size >= WINDOW[rank]) break;
        this.#waiting[rank].delete(job);
        if (this.#events.isWanted(job)) this.#start(job, rank);
        else this.#ranks.delete(job);
      }
    }
  }

  /** Cancel everything. */
  stop(): void {
    this.#stopped = true;
    for (const job of [...this.#ranks.keys()]) this.remove(job);
  }

  #start(job: J, rank: Nearness): void {
    const handle = this.#translator.submit(job.block, rank);
    this.#underWay.set(job, handle);
    handle.result.then(
      (translated) => {
        if (this.#settle(job, handle)) this.#events.ondone(job, translated);
      },
      (error: unknown) => {
        if (!this.#settle(job, handle)) return;
        if (isFull(error)) this.#wait(job, rank);
        else this.#events.onfailed(job, error);
      },
    );
  }

  /** Whether this is the job's handle still. */
  #settle(job: J, handle: BlockHandle): boolean {
    if (this.#underWay.get(job) !== handle) return false;
    this.#underWay.delete(job);
    this.#ranks.delete(job);
    return true;
  }

  #wait(job: J, rank: Nearness): void {
    this.add(job, rank);
    if (this.#full) return;
    this.#full = true;
    setTimeout(() => {
      this.#full = false;
      this.pump();
    }, PATIENCE);
  }
}

function isFull(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "queue-full";
}
