import "fake-indexeddb/auto";
import { forceCloseDatabase, IDBFactory } from "fake-indexeddb";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MemoryStore } from "../../../web/src/stores/memory-store.ts";

const PAIR = { source: "de", target: "en" };
const YES = { source: "Ja.", target: "Yes." };
const NO = { source: "Nein.", target: "No." };

beforeEach(() => { vi.stubGlobal("indexedDB", new IDBFactory()); });
afterEach(() => { vi.restoreAllMocks(); });

it("keeps files in their order, of each pair, while they are on", async () => {
  const store = new MemoryStore();
  await store.add("one.tsv", PAIR, [YES]);
  await store.add("two.tmx", PAIR, [NO]);
  await store.add("back.tsv", { source: "en", target: "de" }, [YES]);
  expect(await store.list()).toEqual([
    { id: 1, name: "one.tsv", ...PAIR, count: 1, on: true },
    { id: 2, name: "two.tmx", ...PAIR, count: 1, on: true },
    { id: 3, name: "back.tsv", source: "en", target: "de", count: 1, on: true },
  ]);
  expect(await new MemoryStore().of(PAIR)).toEqual([YES, NO]);
  await store.switch(1, false);
  expect(await store.of(PAIR)).toEqual([NO]);
  await store.remove(2);
  expect(await store.of(PAIR)).toEqual([]);
  expect(await store.entries(1)).toEqual([YES]);
});

it("says how much is too much, with what is on", async () => {
  const store = new MemoryStore();
  const many = Array.from({ length: 60_000 }, () => YES);
  await store.add("one.tsv", PAIR, many);
  await expect(store.add("two.tsv", PAIR, many)).rejects.toMatchObject({
    code: "translation-memory-too-large", requested: 120_000, quota: 100_000,
  });
  await store.switch(1, false);
  await store.add("two.tsv", PAIR, many);
  await expect(store.switch(1, true)).rejects.toMatchObject({ requested: 120_000 });
});

it("keeps both of two files that come at once", async () => {
  const [store, other] = [new MemoryStore(), new MemoryStore()];
  await store.list();
  await Promise.all([store.add("one.tsv", PAIR, [YES]), other.add("two.tsv", PAIR, [NO])]);
  expect((await store.list()).map(({ id }) => id)).toEqual([1, 2]);
  expect(await store.of(PAIR)).toHaveLength(2);
});

it("is opened anew where the browser has closed it", async () => {
  const transaction = vi.spyOn(IDBDatabase.prototype, "transaction");
  const store = new MemoryStore();
  await store.add("one.tsv", PAIR, [YES]);
  forceCloseDatabase(transaction.mock.contexts[0] as typeof IDBDatabase);
  expect(await store.of(PAIR)).toEqual([YES]);
});
