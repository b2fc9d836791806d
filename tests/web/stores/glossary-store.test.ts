import "fake-indexeddb/auto";
import { forceCloseDatabase, IDBFactory } from "fake-indexeddb";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { EVERYWHERE, GlossaryStore } from "../../../web/src/stores/glossary-store.ts";

const PAIR = { source: "de", target: "en" };
const COMPUTER = { source: "Rechner", target: "workstation" };
const HAWK = { source: "Habicht" };
const many = (count: number, name = "Wort") => Array.from({ length: count }, (_, at) => ({ source: `${name}${at}` }));

beforeEach(() => { vi.stubGlobal("indexedDB", new IDBFactory()); });
afterEach(() => { vi.restoreAllMocks(); });

it("keeps terms of each direction, everywhere and for a site", async () => {
  const store = new GlossaryStore();
  await store.add(PAIR, EVERYWHERE, [COMPUTER]);
  await store.add(PAIR, "example.org", [HAWK, { source: "Rechner", target: "abacus" }]);
  await store.add({ source: "en", target: "de" }, EVERYWHERE, [{ source: "hawk" }]);
  expect(await new GlossaryStore().list(PAIR)).toEqual([
    { id: 1, ...PAIR, site: "", term: COMPUTER },
    { id: 2, ...PAIR, site: "example.org", term: HAWK },
    { id: 3, ...PAIR, site: "example.org", term: { source: "Rechner", target: "abacus" } },
  ]);
  expect(await store.of(PAIR)).toEqual([COMPUTER]);
  expect(await store.of(PAIR, "example.org")).toEqual([COMPUTER, HAWK, { source: "Rechner", target: "abacus" }]);
  expect(await store.of(PAIR, "www.example.org")).toEqual([COMPUTER]);
  await store.remove(1);
  expect(await store.of(PAIR)).toEqual([]);
});

it("has one term for the same words of a site, and what is edited gives way", async () => {
  const store = new GlossaryStore();
  await store.add(PAIR, EVERYWHERE, [COMPUTER, HAWK]);
  await store.add(PAIR, EVERYWHERE, [{ source: "Rechner", target: "abacus" }]);
  expect(await store.of(PAIR)).toEqual([HAWK, { source: "Rechner", target: "abacus" }]);
  await store.add(PAIR, EVERYWHERE, [{ source: "Zug", target: "train" }], 2);
  expect(await store.of(PAIR)).toEqual([{ source: "Rechner", target: "abacus" }, { source: "Zug", target: "train" }]);
});

it("takes as many as a request may have, with those of the fullest site, or nothing", async () => {
  const store = new GlossaryStore();
  await store.add(PAIR, EVERYWHERE, many(6_000));
  await store.add(PAIR, "example.org", many(4_000));
  await store.add(PAIR, "example.com", many(4_000));
  await expect(store.add(PAIR, EVERYWHERE, [COMPUTER])).rejects.toMatchObject({ code: "glossary-too-large", requested: 10_001, quota: 10_000 });
  await expect(store.add(PAIR, "example.org", [COMPUTER])).rejects.toMatchObject({ requested: 10_001 });
  expect(await store.list(PAIR)).toHaveLength(14_000);
});

it("takes no term that cannot be used", async () => {
  const store = new GlossaryStore();
  await expect(store.add(PAIR, EVERYWHERE, [COMPUTER, { source: "…" }])).rejects.toMatchObject({ code: "invalid-glossary" });
  expect(await store.list(PAIR)).toEqual([]);
});

it("is opened anew where the browser has closed it", async () => {
  const transaction = vi.spyOn(IDBDatabase.prototype, "transaction");
  const store = new GlossaryStore();
  await store.add(PAIR, EVERYWHERE, [HAWK]);
  forceCloseDatabase(transaction.mock.contexts[0] as typeof IDBDatabase);
  expect(await store.of(PAIR)).toEqual([HAWK]);
});
