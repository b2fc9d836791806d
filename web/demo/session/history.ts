/** The texts that were translated last: in this browser only, and only while a person wants that. */

import type { SiteStorage } from "../page/site-storage.ts";

export interface HistoryEntry {
  readonly source: string;
  readonly target: string;
  readonly text: string;
  readonly translation: string;
}

export const MOST_ENTRIES = 50;
/** UTF-16 code units; a longer text is not kept. */
const LONGEST = 5_000;
const ENTRIES = "dragoman-history";
const SWITCH = "dragoman-history-kept";
const OFF = "off";

export class History {
  readonly #memory: SiteStorage;

  constructor(memory: SiteStorage) {
    this.#memory = memory;
  }

  get isKept(): boolean {
    return this.#memory.getItem(SWITCH) !== OFF;
  }

  /** Switched off, what was kept is deleted. */
  keep(wanted: boolean): void {
    if (wanted) this.#memory.removeItem(SWITCH);
    else this.#memory.setItem(SWITCH, OFF);
    if (!wanted) this.clear();
  }

  /** The newest first. */
  get entries(): readonly HistoryEntry[] {
    try {
      const entries: unknown = JSON.parse(this.#memory.getItem(ENTRIES) ?? "[]");
      return Array.isArray(entries) ? entries.filter(isEntry) : [];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  }

  /** A text that goes on is one entry, as is one that was there before. */
  add(entry: HistoryEntry): void {
    if (!this.isKept || entry.text.trim() === "" || entry.text.length > LONGEST) return;
    const [last, ...older] = this.entries;
    const rest = last && isTypedOn(last, entry) ? older : last ? [last, ...older] : [];
    this.#write([entry, ...rest.filter((one) => one.text !== entry.text || one.target !== entry.target)]);
  }

  remove(entry: HistoryEntry): void {
    this.#write(this.entries.filter((one) => one.text !== entry.text || one.target !== entry.target));
  }

  clear(): void {
    this.#memory.removeItem(ENTRIES);
  }

  #write(entries: readonly HistoryEntry[]): void {
    try {
      this.#memory.setItem(ENTRIES, JSON.stringify(entries.slice(0, MOST_ENTRIES)));
    } catch (error) {
      // No room: what is older makes room for it.
      if (entries.length > 1) this.#write(entries.slice(0, entries.length >> 1));
      else if (!(error instanceof DOMException)) throw error;
    }
  }
}

/** More was typed, or some of it deleted; what has lost more than half is another text that begins alike, as "D" does. */
function isTypedOn(before: HistoryEntry, after: HistoryEntry): boolean {
  if (before.source !== after.source || before.target !== after.target) return false;
  if (after.text.startsWith(before.text)) return true;
  return before.text.startsWith(after.text) && 2 * after.text.length >= before.text.length;
}

function isEntry(value: unknown): value is HistoryEntry {
  if (typeof value !== "object" || value === null) return false;
  const names = ["source", "target", "text", "translation"] as const;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "string");
}
