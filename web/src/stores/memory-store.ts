/**
 * Translation memories that a person has brought, in IndexedDB: a file each, which is on or off. They stay on this
 * machine.
 *
 *     files      what there is to list
 *     entries    of each file, by the same key: a list does not read them
 */

import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import { checkMemory } from "../memory/files.ts";
import type { Pair } from "../memory/tags.ts";
import type { MemoryEntry } from "../wire/protocol.ts";
import { browserRoom, written, type Room } from "./free-room.ts";

const DATABASE = "dragoman-memories";
const LAYOUT = 1;

export interface MemoryFile extends Pair {
  /** In the order in which they came: of two entries for the same sentence the later one counts. */
  readonly id: number;
  readonly name: string;
  /** Entries. */
  readonly count: number;
  /** Whether it is used. */
  readonly on: boolean;
}

interface Layout extends DBSchema {
  files: { key: number; value: MemoryFile };
  entries: { key: number; value: readonly MemoryEntry[] };
}

export class MemoryStore {
  readonly #room: Room;
  #database: Promise<IDBPDatabase<Layout>> | undefined;

  constructor(room: Room = browserRoom) {
    this.#room = room;
  }

  async list(): Promise<readonly MemoryFile[]> {
    return (await this.#open()).getAll("files");
  }

  /** What is on for a pair of languages, the later file last. */
  async of({ source, target }: Pair): Promise<readonly MemoryEntry[]> {
    const files = (await this.list()).filter((file) => file.on && file.source === source && file.target === target);
    return (await Promise.all(files.map(({ id }) => this.entries(id)))).flat();
  }

  async entries(id: number): Promise<readonly MemoryEntry[]> {
    return (await (await this.#open()).get("entries", id)) ?? [];
  }

  /** @throws QuotaError "translation-memory-too-large": with all that are on; "no-room" */
  async add(name: string, { source, target }: Pair, entries: readonly MemoryEntry[]): Promise<void> {
    checkMemory([...await this.of({ source, target }), ...entries]);
    const transaction = (await this.#open()).transaction(["files", "entries"], "readwrite");
    const id = Math.max(0, ...await transaction.objectStore("files").getAllKeys()) + 1;
    const work = Promise.all([
      transaction.objectStore("files").add({ id, name, source, target, count: entries.length, on: true }),
      transaction.objectStore("entries").add(entries, id),
      transaction.done,
    ]);
    await written(work, entries.flatMap((entry) => [entry.source, entry.target]), this.#room);
  }

  /** @throws QuotaError "translation-memory-too-large": with all that are on. */
  async switch(id: number, on: boolean): Promise<void> {
    const database = await this.#open();
    const file = await database.get("files", id);
    if (!file) return;
    if (on && !file.on) checkMemory([...await this.of(file), ...await this.entries(id)]);
    await database.put("files", { ...file, on });
  }

  async remove(id: number): Promise<void> {
    const transaction = (await this.#open()).transaction(["files", "entries"], "readwrite");
    await Promise.all([transaction.objectStore("files").delete(id), transaction.objectStore("entries").delete(id), transaction.done]);
  }

  #open(): Promise<IDBPDatabase<Layout>> {
    this.#database ??= openDB<Layout>(DATABASE, LAYOUT, {
      upgrade(database) {
        database.createObjectStore("files", { keyPath: "id" });
        database.createObjectStore("entries");
      },
      terminated: () => { this.#database = undefined; }, // By the browser, as where site data are cleared: opened anew.
    });
    this.#database.catch(() => { this.#database = undefined; }); // The next one tries again.
    return this.#database;
  }
}
