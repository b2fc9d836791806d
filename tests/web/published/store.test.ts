import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PublishedModel } from "../../../web/src/published/catalogue.ts";
import type { PublishedHost } from "../../../web/src/published/host.ts";
import { PublishedStore, type FetchProgress } from "../../../web/src/published/store.ts";
import { FakeShelf, publishedHost, SharedLocks } from "../support/fakes.ts";
import { ADDRESS, FakeMirror, lively } from "../support/mirror.ts";

const MODEL = lively(1000);

let mirror: FakeMirror;
let shelf: FakeShelf;
let locks: LockManager;
let frEn: PublishedModel;
let enDe: PublishedModel;
/** How the model file of fr-en is called. */
let sha256: string;

function store(overrides: Partial<PublishedHost> = {}): PublishedStore {
  return new PublishedStore(
    publishedHost({ openShelf: () => Promise.resolve(shelf), fetch: mirror.fetch, locks, ...overrides }),
  );
}

/** The size of the model file of fr-en, packed. */
const packed = (): number => frEn.files[0]?.sources[0]?.size ?? 0;
const text = (content: Uint8Array | undefined): string => new TextDecoder().decode(content);

beforeEach(() => {
  mirror = new FakeMirror();
  shelf = new FakeShelf();
  locks = new SharedLocks().manager;
  const vocabulary = mirror.file("vocab", "pieces");
  const model = mirror.file("model", MODEL);
  ({ sha256 } = model);
  frEn = mirror.model("fr", "en", [model, vocabulary]);
  enDe = mirror.model("en", "de", [mirror.file("model", lively(500)), vocabulary]);
});

describe("fetching", () => {
  it("verifies, unpacks and keeps, and counts the sum of all files", async () => {
    const seen: FetchProgress[] = [];
    expect(await store().isKept(frEn)).toBe(false);
    await store().fetch([frEn, enDe], { onprogress: (progress) => seen.push(progress) });
    const total = mirror.asked.map(({ name }) => mirror.files.get(name)?.content.length ?? 0).reduce((a, b) => a + b);
    expect(seen[0]).toEqual({ loaded: 0, total, isElsewhere: false });
    expect(seen.at(-1)).toEqual({ loaded: total, total, isElsewhere: false });
    expect(seen.map(({ loaded }) => loaded)).toEqual(seen.map(({ loaded }) => loaded).sort((a, b) => a - b));
    expect(await store().isKept(frEn)).toBe(true);
    const { contents, model } = await store().read("fr-en");
    expect(text(contents.get("model"))).toBe(MODEL);
    expect(text(contents.get("vocab"))).toBe("pieces");
    expect(model).toEqual(frEn);
    expect(await store().models()).toEqual([enDe, frEn]);
  });

  it("asks once for what two models share, and for nothing that is kept", async () => {
    await store().fetch([frEn, enDe]);
    expect(mirror.asked.length).toBe(3);
    await store().fetch([frEn, enDe]);
    expect(mirror.asked.length).toBe(3);
  });

  it("leaves no parts behind", async () => {
    await store().fetch([frEn]);
    expect([...shelf.files.keys()].filter((name) => name.startsWith("partial"))).toEqual([]);
  });

  it("asks the browser to keep the files when something is fetched, and only then", async () => {
    const persist = vi.fn(() => Promise.resolve(true));
    await store({ persist }).fetch([frEn]);
    await store({ persist }).fetch([frEn]);
    expect(persist).toHaveBeenCalledTimes(1);
  });

  it("does not wait for what the person says to that", async () => {
    await store({ persist: () => new Promise<never>(() => undefined) }).fetch([frEn]);
    expect(await store().isKept(frEn)).toBe(true);
  });
});

describe("going on", () => {
  /** Stop when so many bytes have come. */
  async function stopAt(bytes: number): Promise<void> {
    const stopping = new AbortController();
    mirror.onchunk = (sent) => {
      if (sent >= bytes) stopping.abort(new DOMException("enough", "AbortError"));
    };
    await expect(store().fetch([frEn], { signal: stopping.signal })).rejects.toThrow("enough");
    mirror.onchunk = () => undefined;
  }

  it("goes on where an abort was, with nothing that another origin's server would be asked about first", async () => {
    await stopAt(300);
    const { begun, download } = await store().missing([frEn]);
    expect(begun).toBe(300);
    expect(download).toBeGreaterThan(1000);
    const seen: number[] = [];
    await store().fetch([frEn], { onprogress: ({ loaded }) => seen.push(loaded) });
    expect(mirror.fetched.slice(0, 2)).toEqual([`${sha256.slice(0, 6)} all`, `${sha256.slice(0, 6)} bytes=300-`]);
    expect(mirror.asked.flatMap(({ unsafe }) => unsafe)).toEqual([]);
    expect(seen.slice(0, 2)).toEqual([0, 300]);
    expect(text((await store().read("fr-en")).contents.get("model"))).toBe(MODEL);
  });

  it("begins anew where the file has changed meanwhile", async () => {
    await stopAt(300);
    mirror.put(`files/${sha256}`, new TextEncoder().encode(MODEL), "another"); // not packed any more
    await store().fetch([frEn]);
    expect(mirror.fetched.slice(1, 3)).toEqual([`${sha256.slice(0, 6)} bytes=300-`, `${sha256.slice(0, 6)} all`]);
    expect(text((await store().read("fr-en")).contents.get("model"))).toBe(MODEL);
  });

  it("begins anew where the server has no ranges, or no validator", async () => {
    await stopAt(300);
    mirror.hasRanges = false;
    await store().fetch([frEn]);
    expect(await store().isKept(frEn)).toBe(true);
    mirror.hasTags = false;
    shelf.files.clear();
    await stopAt(300);
    expect((await store().missing([frEn])).begun).toBe(0);
    await store().fetch([frEn]);
    expect(await store().isKept(frEn)).toBe(true);
  });

  it("asks for nothing more where all of it had come", async () => {
    await stopAt(packed());
    expect((await store().missing([frEn])).begun).toBe(packed());
    await store().fetch([frEn]);
    expect(mirror.fetched[1]).toBe(`${sha256.slice(0, 6)} bytes=${packed()}-`);
    expect(text((await store().read("fr-en")).contents.get("model"))).toBe(MODEL);
  });

  it("keeps parts while they come, for a tab that is closed without a word", async () => {
    let now = 0;
    mirror.faults.set(sha256, [(content) => mirror.answer(content, 0, { tag: `files/${sha256}`, most: 700 })]);
    const hung = new Promise<never>(() => undefined);
    void store({ now: () => (now += 700), sleep: () => hung }).fetch([frEn]);
    await vi.waitFor(async () => {
      expect((await store().missing([frEn])).begun).toBe(700);
    });
    locks = new SharedLocks().manager; // the browser releases what a closed tab held
    await store().fetch([frEn]);
    expect(mirror.fetched[1]).toBe(`${sha256.slice(0, 6)} bytes=700-`);
  });

  it("goes on by itself after a broken connection, and pauses longer each time that brings nothing", async () => {
    const break_ = (most: number) => (content: Uint8Array<ArrayBuffer>, start: number) =>
      mirror.answer(content, start, { tag: `files/${sha256}`, most });
    mirror.faults.set(sha256, [break_(400), break_(0), break_(0), () => new Response(null, { status: 503 })]);
    const pauses: number[] = [];
    const sleep = (milliseconds: number): Promise<void> => {
      pauses.push(milliseconds);
      return new Promise((resolve) => void setTimeout(resolve, 0));
    };
    await store({ sleep, locks: undefined }).fetch([frEn]);
    expect(pauses).toEqual([500, 1000, 2000, 4000]);
    expect(mirror.asked.filter(({ name }) => name.includes(sha256)).map(({ range }) => range)).toEqual([
      null, "bytes=400-", "bytes=400-", "bytes=400-", "bytes=400-",
    ]);
  });
});

describe("what can go wrong", () => {
  it("says after five tries that there is no connection, and goes on later", async () => {
    mirror.isReachable = false;
    await expect(store().fetch([frEn])).rejects.toMatchObject({ code: "fetch-network" });
    expect(mirror.asked.length).toBe(5);
    mirror.isReachable = true;
    await store().fetch([frEn]);
    expect(await store().isKept(frEn)).toBe(true);
  });

  it("names the status of a file that is not there", async () => {
    mirror.files.delete(`files/${sha256}`);
    await expect(store().fetch([frEn])).rejects.toMatchObject({ code: "fetch-status", details: { status: 404 } });
    expect(mirror.asked.length).toBe(1);
  });

  it("takes the next source where the first has other bytes", async () => {
    mirror.put("elsewhere", new TextEncoder().encode(MODEL));
    const [model, vocabulary] = frEn.files;
    if (!model || !vocabulary) throw new Error("no files");
    mirror.put(`files/${sha256}`, new TextEncoder().encode(`${MODEL.slice(1)}x`));
    const source = { url: `${ADDRESS}elsewhere`, compression: "none", size: 1000 } as const;
    await store().fetch([{ ...frEn, files: [{ ...model, sources: [...model.sources, source] }, vocabulary] }]);
    expect(text((await store().read("fr-en")).contents.get("model"))).toBe(MODEL);
  });

  it.each([
    ["other bytes", `${MODEL.slice(1)}x`, "SHA-256"],
    ["more bytes", `${MODEL}x`, "bytes 1000 expected, 1001 found"],
    ["fewer bytes", MODEL.slice(1), "bytes 1000 expected, 999 found"],
  ])("keeps nothing of a file with %s", async (_, content, why) => {
    mirror.put(`files/${sha256}`, new TextEncoder().encode(content));
    await expect(store().fetch([frEn])).rejects.toMatchObject({
      code: "fetch-corrupt",
      message: expect.stringContaining(why) as string,
    });
    expect([...shelf.files.keys()]).toEqual([]);
  });

  it("keeps nothing of a damaged archive", async () => {
    const content = mirror.files.get(`files/${sha256}`)?.content.slice() ?? new Uint8Array();
    content[500] = (content[500] ?? 0) ^ 1;
    mirror.put(`files/${sha256}`, content);
    await expect(store().fetch([frEn])).rejects.toMatchObject({ code: "fetch-corrupt" });
    expect([...shelf.files.keys()]).toEqual([]);
  });

  it("looks at the room first, and says how much is missing", async () => {
    const room = () => Promise.resolve(2000);
    await expect(store({ room }).fetch([frEn])).rejects.toMatchObject({
      code: "no-room",
      quota: 2000,
      requested: (await store().missing([frEn])).room,
    });
    expect(mirror.asked).toEqual([]);
  });

  it("says how much is missing where the browser refuses in the middle, and keeps what came", async () => {
    shelf.room = 1500;
    const room = () => Promise.resolve(400);
    const fetching = store({ room: () => Promise.resolve(undefined) }).fetch([frEn]);
    await expect(fetching).rejects.toMatchObject({ code: "no-room" });
    shelf.room = Infinity;
    expect((await store({ room }).missing([frEn])).begun).toBe(packed());
  });

  it("needs a place to keep files", async () => {
    const closed = store({ openShelf: () => Promise.resolve(null) });
    await expect(closed.fetch([frEn])).rejects.toMatchObject({ code: "store" });
    expect(await closed.models()).toEqual([]);
    expect(await closed.isKept(frEn)).toBe(false);
  });
});

describe("several tabs", () => {
  it("fetches once: the others wait, see how far it is, and find it there", async () => {
    const seen: FetchProgress[] = [];
    const first = store().fetch([frEn]);
    const second = store().fetch([frEn], { onprogress: (progress) => seen.push(progress) });
    await Promise.all([first, second]);
    expect(mirror.asked.length).toBe(2);
    expect(seen.at(-1)?.loaded).toBe(seen.at(-1)?.total);
  });

  it("goes on where another tab was ended", async () => {
    const stopping = new AbortController();
    mirror.onchunk = (sent) => {
      if (sent >= 300) stopping.abort();
    };
    const first = store().fetch([frEn], { signal: stopping.signal });
    const second = store().fetch([frEn]);
    await expect(first).rejects.toThrow();
    await second;
    expect(mirror.fetched[1]).toBe(`${sha256.slice(0, 6)} bytes=300-`);
  });
});

describe("reading", () => {
  it.each([["other bytes", `${MODEL.slice(1)}x`], ["fewer bytes", "x"]])("fetches a file with %s anew", async (_, content) => {
    await store().fetch([frEn]);
    shelf.files.set(`files/${sha256}`, new Blob([content]));
    expect(text((await store().read("fr-en")).contents.get("model"))).toBe(MODEL);
    expect(text(new Uint8Array(await (shelf.files.get(`files/${sha256}`)?.arrayBuffer() ?? new ArrayBuffer())))).toBe(MODEL);
  });

  it("says so where a damaged file cannot be fetched anew, and does not keep it", async () => {
    const files = frEn.files.map((file) => ({ ...file, sources: [] }));
    for (const file of files) await store().put(file, new TextEncoder().encode(file.type === "model" ? MODEL : "pieces"));
    await store().install({ ...frEn, files });
    expect(text((await store().read("fr-en")).contents.get("vocab"))).toBe("pieces");
    shelf.files.set(`files/${sha256}`, new Blob(["x"]));
    await expect(store().read("fr-en")).rejects.toMatchObject({ code: "fetch-corrupt" });
    expect(await store().isKept({ ...frEn, files })).toBe(false);
  });

  it("knows no model that was not fetched, nor one whose record is damaged", async () => {
    await expect(store().read("fr-en")).rejects.toMatchObject({ code: "store" });
    shelf.files.set("models/fr-en.json", new Blob(["{"]));
    await expect(store().read("fr-en")).rejects.toMatchObject({ code: "store" });
    expect(await store().models()).toEqual([]);
  });
});

describe("what is brought by hand", () => {
  it("is checked, and counts when a model is made of it", async () => {
    const [model, vocabulary] = frEn.files;
    if (!model || !vocabulary) throw new Error("no files");
    await expect(store().put(model, new TextEncoder().encode("x"))).rejects.toMatchObject({ code: "fetch-corrupt" });
    await store().put(model, new TextEncoder().encode(MODEL));
    await expect(store().install(frEn)).rejects.toMatchObject({ code: "store", details: { path: "vocab.bin" } });
    await store().release(frEn.files);
    expect([...shelf.files.keys()]).toEqual([]);
  });
});

describe("a newer model of a direction", () => {
  it("takes the place of the older one, whose files go", async () => {
    await store().fetch([frEn]);
    const [, vocabulary] = frEn.files;
    if (!vocabulary) throw new Error("no files");
    const newer = mirror.model("fr", "en", [mirror.file("model", lively(700)), vocabulary]);
    await store().fetch([newer]);
    expect(await store().models()).toEqual([newer]);
    expect(shelf.files.has(`files/${sha256}`)).toBe(false);
    expect(await store().isKept(newer)).toBe(true);
  });
});

describe("deleting", () => {
  it("spares what another model uses", async () => {
    await store().fetch([frEn, enDe]);
    await store().remove(frEn);
    expect(await store().models()).toEqual([enDe]);
    expect(await store().isKept(enDe)).toBe(true);
    expect(shelf.files.has(`files/${sha256}`)).toBe(false);
  });
});

describe("catalogues", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const address = `${ADDRESS}catalogue.json`;

  it("has addresses relative to itself, and who published each model", async () => {
    mirror.list([frEn, enDe]);
    expect(await store().catalogue(address)).toEqual([frEn, enDe]);
  });

  it("is the last one that came where there is no network", async () => {
    mirror.list([frEn]);
    await store().catalogue(address);
    mirror.isReachable = false;
    expect(await store().catalogue(address)).toEqual([frEn]);
    await expect(store().catalogue("http://localhost/other.json")).rejects.toMatchObject({ code: "fetch-network" });
  });

  it.each(["a server that does not answer", "an answer that stops in between"])("is the last one that came for %s", async (what) => {
    mirror.list([frEn]);
    await store().catalogue(address);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const fetch = vi.fn(what.startsWith("a server") ? unanswered : stopping);
    const [kept, other] = [store({ fetch }).catalogue(address), store({ fetch }).catalogue("http://localhost/other.json")];
    const refused = expect(other).rejects.toMatchObject({ code: "fetch-network" });
    await vi.waitUntil(() => fetch.mock.calls.length === 2, { interval: 1 });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await kept).toEqual([frEn]);
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may take its time as long as something comes", async () => {
    mirror.list([frEn]);
    const content = mirror.files.get("catalogue.json")?.content ?? new Uint8Array();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const fetch = vi.fn<PublishedHost["fetch"]>((_, { signal }) => Promise.resolve(new Response(dripping(content, signal))));
    const coming = store({ fetch }).catalogue(address);
    await vi.waitUntil(() => fetch.mock.calls.length === 1, { interval: 1 });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await coming).toEqual([frEn]);
  });

  it("is not replaced by a page of something else", async () => {
    mirror.list([frEn]);
    await store().catalogue(address);
    mirror.put("catalogue.json", new TextEncoder().encode("<!doctype html>"));
    expect(await store().catalogue(address)).toEqual([frEn]);
  });
});

/** As a browser does: nothing, until the signal is aborted. */
function untilAborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => { reject(signal.reason as Error); });
  });
}

const unanswered: PublishedHost["fetch"] = (_, { signal }) => untilAborted(signal);

const stopping: PublishedHost["fetch"] = (_, { signal }) => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode("{"));
      untilAborted(signal).catch((error: unknown) => { controller.error(error); });
    },
  });
  return Promise.resolve(new Response(body));
};

/** Eight pieces, two seconds after each other. */
function dripping(content: Uint8Array<ArrayBuffer>, signal: AbortSignal | null | undefined): ReadableStream<Uint8Array> {
  const size = Math.ceil(content.length / 8);
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await new Promise((resolve) => void setTimeout(resolve, 2_000));
      if (signal?.aborted) controller.error(signal.reason);
      else controller.enqueue(content.slice(at, (at += size)));
      if (at >= content.length) controller.close();
    },
  });
}
