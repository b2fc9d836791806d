/**
 * A person's own terms, in IndexedDB: of a direction, for all that is translated or for one site. They stay on this
 * machine.
 */

import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import { checkCount, checkTerm } from "../glossary/terms.ts";
import type { Pair } from "../memory/tags.ts";
import type { Term } from "../wire/protocol.ts";
import { browserRoom, written, type Room } from "./free-room.ts";

const DATABASE = "dragoman-glossary";
const LAYOUT = 1;
/** As a site: everywhere. */
export const EVERYWHERE = "";

export interface KeptTerm extends Pair {
  readonly id: number;
  /** A host, such as "example.org", or `EVERYWHERE`. */
  readonly site: string;
  readonly term: Term;
}

interface Layout extends DBSchema {
  terms: { key: number; value: Omit<KeptTerm, "id"> & { id?: number }; indexes: { pair: [string, string] } };
}

export class GlossaryStore {
  readonly #room: Room;
  #database: Promise<IDBPDatabase<Layout>> | undefined;

  constructor(room: Room = browserRoom) {
    this.#room = room;
  }

  /** All of a direction, of every site, in the order in which they came. */
  async list({ source, target }: Pair): Promise<readonly KeptTerm[]> {
    const found = await (await this.#open()).getAllFromIndex("terms", "pair", [source, target]);
    return found as KeptTerm[];
  }

  /** What holds on a site: those for everywhere, then its own, which count before them. */
  async of(pair: Pair, site: string = EVERYWHERE): Promise<readonly Term[]> {
    const all = await this.list(pair);
    const places = site === EVERYWHERE ? [EVERYWHERE] : [EVERYWHERE, site];
    return places.flatMap((place) => all.filter((one) => one.site === place).map(({ term }) => term));
  }

  /**
   * Of what has the same words already, on the same site, the new one stays.
   *
   * @param edited the one that they take the place of.
   * @throws DragomanError "invalid-glossary"; QuotaError "glossary-too-large": with all others; "no-room"
   */
  async add({ source, target }: Pair, site: string, terms: readonly Term[], edited?: number): Promise<void> {
    for (const term of terms) checkTerm(term);
    const database = await this.#open();
    const transaction = database.transaction("terms", "readwrite");
    const all = (await transaction.store.index("pair").getAll([source, target])) as KeptTerm[];
    const added = new Map(terms.map((term) => [term.source, term]));
    const gone = all.filter((one) => one.id === edited || (one.site === site && added.has(one.term.source)));
    const others = all.filter((one) => !gone.includes(one));
    try {
      checkCount(mostTogether([...others.map((one) => one.site), ...Array.from(added, () => site)]));
    } catch (error) {
      transaction.abort();
      await transaction.done.catch(() => undefined);
      throw error;
    }
    const work = Promise.all([
      ...gone.map(({ id }) => transaction.store.delete(id)),
      ...Array.from(added.values(), (term) => transaction.store.add({ source, target, site, term })),
      transaction.done,
    ]);
    await written(work, terms.flatMap((term) => [term.source, term.target ?? ""]), this.#room);
  }

  async remove(id: number): Promise<void> {
    await (await this.#open()).delete("terms", id);
  }

  #open(): Promise<IDBPDatabase<Layout>> {
    this.#database ??= openDB<Layout>(DATABASE, LAYOUT, {
      upgrade(database) {
        database.createObjectStore("terms", { keyPath: "id", autoIncrement: true }).createIndex("pair", ["source", "target"]);
      },
      terminated: () => { this.#database = undefined; }, // By the browser, as where site data are cleared: opened anew.
    });
    this.#database.catch(() => { this.#database = undefined; }); // The next one tries again.
    return this.#database;
  }
}

/** Terms that a page may have at most: those for everywhere, and those of the site with most. */
function mostTogether(sites: readonly string[]): number {
  const counts = new Map<string, number>([[EVERYWHERE, 0]]);
  for (const site of sites) counts.set(site, (counts.get(site) ?? 0) + 1);
  const everywhere = counts.get(EVERYWHERE) ?? 0;
  counts.delete(EVERYWHERE);
  return everywhere + Math.max(0, ...counts.values());
}
