/** Sentences that are kept for later visits, in an IndexedDB of this process. */

import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { deleteDB, openDB } from "idb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DATABASE, SentenceStore, type SentenceNews } from "../../../web/src/stores/sentence-store.ts";

const LIMIT = 1_000_000;
let time = 0;

function open(options: { core?: string; limit?: number } = {}): SentenceStore {
  return new SentenceStore({ core: "core-1", limit: LIMIT, now: () => time, ...options });
}

function line(text: string, change: Partial<SentenceNews> = {}): SentenceNews {
  return { model: "m", options: "hard", text, line: `line of ${text}`, dropped: false, ...change };
}

async function texts(store: SentenceStore, model = "m"): Promise<string[]> {
  const rows = JSON.parse(await store.load(model)) as [string, string, string][];
  return rows.map(([, text]) => text);
}

async function totalBytes(): Promise<unknown> {
  const database = await openDB(DATABASE);
  const bytes: unknown = await database.get("totals", "bytes");
  const all = (await database.getAll("sentences")) as { bytes: number }[];
  database.close();
  expect(bytes ?? 0).toBe(all.reduce((sum, one) => sum + one.bytes, 0));
  return bytes;
}

beforeEach(() => {
  vi.stubGlobal("indexedDB", new IDBFactory());
  time = 1_000_000_000;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a store", () => {
  it("gives a later visit what was written, the one used last first", async () => {
    const first = open();
    await first.write([line("ja"), line("\ud83d 😀")]);
    time += 1;
    await first.write([line("nein")]);
    expect(JSON.parse(await open().load("m"))).toEqual([
      ["hard", "nein", "line of nein"],
      ["hard", "ja", "line of ja"],
      ["hard", "\ud83d 😀", "line of \ud83d 😀"],
    ]);
    expect(first.fault).toBeUndefined();
  });

  it("finds nothing of another model, nor of another release of the core", async () => {
    const store = open();
    await store.write([line("ja"), line("oui", { model: "m 2" }), line("yes", { model: "" })]);
    expect(await texts(store)).toEqual(["ja"]);
    expect(await texts(store, "m 2")).toEqual(["oui"]);
    expect(await texts(open({ core: "core-2" }))).toEqual([]);
    expect(await texts(open({ core: "core" }), "-1 m")).toEqual([]);
  });

  it("lets those go that were used longest ago", async () => {
    const store = open({ limit: 200 });
    for (const text of ["a", "b", "c"]) {
      await store.write([line(text, { line: "x".repeat(70) })]);
      time += 4_000_000;
      if (text !== "a") await store.write([line("a", { line: null })]); // used again
    }
    expect((await texts(store)).sort()).toEqual(["a", "c"]);
    expect(await totalBytes()).toBeLessThanOrEqual(200);
  });

  it("keeps nothing that is over the limit by itself", async () => {
    const store = open({ limit: 50 });
    await store.write([line("a", { line: "x".repeat(100) })]);
    expect(await texts(store)).toEqual([]);
    expect(await totalBytes()).toBe(0);
  });

  it("drops what did not validate, and replaces what is written again", async () => {
    const store = open();
    await store.write([line("a"), line("b")]);
    await store.write([line("a", { line: null, dropped: true }), line("gone", { line: null, dropped: true })]);
    await store.write([line("b", { line: "longer line of b" }), line("unknown", { line: null })]);
    expect(JSON.parse(await store.load("m"))).toEqual([["hard", "b", "longer line of b"]]);
    await totalBytes();
  });

  it("can be cleared", async () => {
    const store = open();
    await store.write([line("a"), line("b", { model: "other" })]);
    await store.clear();
    expect([await texts(store), await texts(store, "other")]).toEqual([[], []]);
    await store.write([line("c")]);
    expect(await texts(store)).toEqual(["c"]);
    await totalBytes();
  });

  it("can be closed, and holds up nobody then", async () => {
    const store = open();
    await store.write([line("a")]);
    await store.close();
    await deleteDB(DATABASE);
    expect(store.fault).toBeUndefined();
    expect(await texts(open())).toEqual([]);
  });

  it("is shared by two tabs that write at once", async () => {
    const [one, other] = [open(), open()];
    const numbers = [...Array(20).keys()];
    await Promise.all(numbers.map((n) => (n % 2 ? one : other).write([line(`s${n % 13}`), line(`t${n}`)])));
    expect((await texts(one)).length).toBe(33);
    expect((await texts(one)).sort()).toEqual((await texts(other)).sort());
    await totalBytes();
    expect([one.fault, other.fault]).toEqual([undefined, undefined]);
  });

  it("passes over what somebody else wrote there", async () => {
    const store = open();
    await store.write([line("a")]);
    const database = await openDB(DATABASE);
    await database.put("sentences", { model: "core-1 m", options: "hard", text: "b", line: 7, used: 1 });
    database.close();
    expect(await texts(store)).toEqual(["a"]);
  });
});

describe("a store that cannot be used says why, and rejects nothing", () => {
  async function fault(store: SentenceStore): Promise<string | undefined> {
    expect(await store.load("m")).toBe("[]");
    await store.write([line("a")]);
    await store.clear();
    return store.fault?.why;
  }

  it("there is no IndexedDB", async () => {
    vi.unstubAllGlobals();
    const { indexedDB } = globalThis;
    Reflect.deleteProperty(globalThis, "indexedDB");
    try {
      expect(await fault(open())).toBe("not-supported");
    } finally {
      globalThis.indexedDB = indexedDB;
    }
  });

  it.each([
    ["SecurityError", "not-supported"],
    ["UnknownError", "failed"],
    ["QuotaExceededError", "quota"],
  ])("opening throws a %s", async (name, why) => {
    const refuse = (): never => {
      throw new DOMException("no", name);
    };
    vi.stubGlobal("indexedDB", { open: refuse });
    expect(await fault(open())).toBe(why);
  });

  it("a later release has written it", async () => {
    (await openDB(DATABASE, 99)).close();
    expect(await fault(open())).toBe("newer");
  });

  it("it does not open: a tab with another layout is in the way, and frozen", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.stubGlobal("indexedDB", { open: () => Reflect.construct(IDBOpenDBRequest, []) as unknown });
    const faulted = fault(open());
    await vi.advanceTimersByTimeAsync(3000);
    expect(await faulted).toBe("blocked");
  });

  it("the disk is full", async () => {
    const store = open();
    await store.load("m");
    vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    try {
      await store.write([line("a")]);
    } finally {
      vi.restoreAllMocks();
    }
    expect(store.fault?.why).toBe("quota");
    expect(await texts(open())).toEqual([]);
  });

  it("another page deletes it, and is not held up", async () => {
    const store = open();
    await store.write([line("a")]);
    await deleteDB(DATABASE);
    expect(await fault(store)).toBe("closed");
    expect(await texts(open())).toEqual([]);
  });
});
