import { describe, expect, it, vi } from "vitest";
import { DragomanError } from "../../../../web/src/wire/errors.ts";
import type { LanguageToPage, OpenMessage, PageToLanguage, PersistentCacheFault } from "../../../../web/src/wire/protocol.ts";
import { LanguageWorker, type LanguageSurroundings, type SessionPort } from "../../../../web/src/workers/language/language-worker.ts";
import { MANIFEST, REQUEST, RESPONSE, STATISTICS } from "../../support/values.ts";

const OPEN: OpenMessage = { type: "open", bundle: "de-en", threads: 2, measureThreads: true };
const FAILED = { ok: false, error: { code: "engine", message: "it failed", details: {} } } as const;

function session(overrides: Partial<SessionPort> = {}): SessionPort {
  return {
    offer: vi.fn(),
    load: () => Promise.resolve({ ok: true }),
    unload: vi.fn(() => Promise.resolve()),
    translate: (_id, _request, onProgress) => {
      onProgress?.("running", 1, 2);
      return Promise.resolve({ ok: true, response: RESPONSE });
    },
    graph: (_id, _graph, onOutput) => {
      onOutput("a", FAILED);
      return Promise.resolve({ ok: true, outputs: { a: FAILED } });
    },
    document: (_id, content, _asked, { onbeginning, onprogress }) => {
      onbeginning("Ein Brief");
      onprogress("running", 9, 9);
      const file = new File([content.slice().reverse()], "a.en.txt");
      return Promise.resolve({ ok: true, document: { file, kind: "txt", sentences: 1, doubtful: 0, warnings: {} } });
    },
    startStream: () => ({ ok: true }),
    feed: () => Promise.resolve(true),
    finish: () => Promise.resolve(false),
    nextPiece: () => Promise.resolve({ ok: true, piece: null }),
    cancel: vi.fn(),
    prioritize: vi.fn(),
    statistics: () => STATISTICS,
    news: () => [],
    clearCache: vi.fn(),
    ...overrides,
  };
}

/** A worker whose session does as the test says. */
async function open(core: Partial<SessionPort> = {}, message: Partial<OpenMessage> = {}, python?: Promise<void>, isLate = false) {
  const posted: LanguageToPage[] = [];
  const store: ReturnType<LanguageSurroundings["openStore"]> & { fault: PersistentCacheFault | undefined } = {
    ...{ load: vi.fn(() => Promise.resolve("[]")), write: vi.fn(), fault: undefined },
    ...{ clear: vi.fn(() => Promise.resolve()), close: vi.fn(() => Promise.resolve()) },
  };
  const openStore = vi.fn(() => store);
  const whole = session(core);
  const start = vi.fn(() => whole);
  const read = vi.fn();
  const loadDocuments = vi.fn(() => Promise.resolve());
  const manifestText = JSON.stringify(MANIFEST);
  const channel = {
    load: vi.fn(() => Promise.resolve({ model: 1, manifestText, vocabulary: new Uint8Array(1) })),
    ...{ run: vi.fn(), stop: vi.fn(), unload: vi.fn() },
  };
  const worker = new LanguageWorker({
    post: (said) => posted.push(said),
    connectEngine: () => channel,
    loadPython: async () => {
      await python;
      return { start, read, loadDocuments };
    },
    openStore,
  });
  const { port1 } = new MessageChannel();
  worker.receive({ type: "prepare", base: "http://localhost/" }, port1);
  worker.receive({ ...OPEN, ...message });
  if (!isLate) await vi.waitFor(() => { expect(posted).not.toEqual([]); });
  port1.close();
  const ask = async (...asked: PageToLanguage[]): Promise<LanguageToPage[]> => {
    const before = posted.length;
    for (const one of asked) worker.receive(one);
    await vi.waitFor(() => { expect(posted.length).toBeGreaterThan(before); });
    return posted.slice(before);
  };
  return { worker, posted, ask, whole, start, store, openStore, loadDocuments, channel };
}

describe("LanguageWorker", () => {
  it("is ready when the interpreter and the model are", async () => {
    const models = [{ bundle: "en-fr", source: "en", target: "fr", bytes: 5 }];
    const { posted, start, whole, openStore } = await open({}, { models, limits: { batch_rows: 3 } });
    expect(posted).toEqual([{ type: "ready", bundle: MANIFEST }]);
    expect(start).toHaveBeenCalledWith(expect.objectContaining({ kept: undefined }), { batch_rows: 3 }, undefined);
    expect(whole.offer).toHaveBeenCalledWith(models, expect.any(Function));
    expect(openStore).not.toHaveBeenCalled();
  });

  it("fails once, with the code that it knows or its own", async () => {
    const { posted, worker } = await open({}, {}, Promise.reject(new DragomanError("network", "no runtime")));
    worker.fail(new Error("later"));
    expect(posted).toEqual([{ type: "failed", error: { code: "network", message: "no runtime", details: {} } }]);
    const dead = await open({ translate: () => Promise.reject(new Error("memory")) });
    expect(await dead.ask({ type: "translate", id: 1, request: REQUEST })).toMatchObject([
      { type: "failed", error: { code: "worker-gone", message: "memory" } },
    ]);
  });

  it("loads another model once it is open, and says why it does not come", async () => {
    const models = [{ bundle: "en-fr", source: "en", target: "fr", bytes: 5 }];
    const asked = { type: "load", id: 1, source: "en", target: "fr", models } as const;
    const { ask, whole } = await open();
    expect(await ask(asked)).toEqual([{ type: "loaded", id: 1, outcome: { ok: true } }]);
    expect(whole.offer).toHaveBeenCalledWith(models, expect.any(Function));

    let load: ((bundle: string) => Promise<unknown>) | undefined;
    const untold = { ok: false, error: { code: "bundle", message: "it could not be loaded", details: {} } } as const;
    const failing = await open({
      offer: (_models, given) => { load = given; },
      load: async () => {
        await load?.("en-fr").catch(() => undefined);
        return untold;
      },
    });
    expect(await failing.ask({ ...asked, id: 2 })).toEqual([{ type: "loaded", id: 2, outcome: untold }]);
    failing.channel.load.mockRejectedValueOnce(new DragomanError("bundle-corrupt", "other bytes", { path: "model.onnx" }));
    expect(await failing.ask({ ...asked, id: 3 })).toEqual([
      {
        ...{ type: "loaded", id: 3 },
        outcome: { ok: false, error: { code: "bundle-corrupt", message: "other bytes", details: { path: "model.onnx" } } },
      },
    ]);
  });

  it("settles a request and a graph once, after what it tells of them", async () => {
    const { ask, posted } = await open();
    await ask({ type: "translate", id: 1, request: REQUEST, progress: true });
    await ask({ type: "translate", id: 3, request: REQUEST });
    await ask({ type: "graph", id: 2, graph: { variables: {}, requests: [] } });
    await vi.waitFor(() => { expect(posted).toHaveLength(6); });
    expect(posted.slice(1)).toEqual([
      { type: "progress", id: 1, state: "running", done: 1, total: 2 },
      { type: "settled", id: 1, outcome: { ok: true, response: RESPONSE } },
      { type: "settled", id: 3, outcome: { ok: true, response: RESPONSE } },
      { type: "output", id: 2, name: "a", outcome: FAILED },
      { type: "outputs", id: 2, outcome: { ok: true, outputs: { a: FAILED } } },
    ]);
  });

  it("reads a document once what reads them is there, and tells of it", async () => {
    const { ask, posted, loadDocuments } = await open();
    const content = new Blob([new Uint8Array([1, 2, 3])]);
    await ask({ type: "document", id: 1, content, file: { name: "a.txt" }, options: REQUEST });
    await vi.waitFor(() => { expect(posted).toHaveLength(4); });
    expect(loadDocuments).toHaveBeenCalledTimes(1);
    expect(posted.slice(1, 3)).toEqual([
      { type: "beginning", id: 1, text: "Ein Brief" },
      { type: "progress", id: 1, state: "running", done: 9, total: 9 },
    ]);
    const settled = posted[3];
    const file = settled?.type === "document-settled" && settled.outcome.ok ? settled.outcome.document.file : undefined;
    expect(new Uint8Array((await file?.arrayBuffer()) ?? [])).toEqual(new Uint8Array([3, 2, 1]));
  });

  it("says why a document cannot be read, and forgets one that was taken back before", async () => {
    const { ask, worker, posted, loadDocuments } = await open();
    const document = { type: "document", content: new Blob(["x"]), file: { name: "a.txt" }, options: REQUEST } as const;
    loadDocuments.mockRejectedValueOnce(new DragomanError("network", "no file"));
    expect(await ask({ ...document, id: 1 })).toEqual([
      { type: "document-settled", id: 1, outcome: { ok: false, error: { code: "network", message: "no file", details: {} } } },
    ]);
    worker.receive({ ...document, id: 2 });
    worker.receive({ type: "cancel", id: 2 });
    await ask({ ...document, id: 3 });
    await vi.waitFor(() => { expect(posted.at(-1)?.type).toBe("document-settled"); });
    expect(posted.some((said) => "id" in said && said.id === 2)).toBe(false);
  });

  it("answers what is said of a stream", async () => {
    const { ask } = await open({ nextPiece: () => Promise.resolve({ ok: false, error: FAILED.error }) });
    expect(await ask({ type: "stream", id: 1, options: REQUEST }, { type: "feed", id: 1, text: "Ja" })).toEqual([
      { type: "fed", id: 1, open: true },
    ]);
    expect(await ask({ type: "finish", id: 1 })).toEqual([{ type: "fed", id: 1, open: false }]);
    expect(await ask({ type: "pull", id: 1 })).toEqual([{ type: "ended", id: 1, error: FAILED.error }]);
    const other = await open({ startStream: () => FAILED });
    expect(await other.ask({ type: "stream", id: 1, options: REQUEST })).toEqual([
      { type: "ended", id: 1, error: FAILED.error },
    ]);
  });

  it("unloads the model of who has left while it was opened, and does not load one that nobody waits for", async () => {
    let opened = (): void => undefined;
    const runtime = new Promise<void>((resolve) => { opened = resolve; });
    const { worker, posted, whole } = await open({ load: vi.fn(() => Promise.resolve({ ok: true as const })) }, {}, runtime, true);
    const models = [{ bundle: "en-fr", source: "en", target: "fr", bytes: 5 }];
    worker.receive({ type: "load", id: 1, source: "en", target: "fr", models });
    worker.receive({ type: "load", id: 2, source: "en", target: "fr", models });
    worker.receive({ type: "cancel", id: 1 });
    worker.receive({ type: "unload", source: "de", target: "en" });
    expect(posted).toEqual([]);
    opened();
    await vi.waitFor(() => { expect(posted).toHaveLength(2); });
    expect(posted).toEqual([{ type: "ready", bundle: MANIFEST }, { type: "loaded", id: 2, outcome: { ok: true } }]);
    expect(vi.mocked(whole.load).mock.calls).toEqual([[2, "en", "fr"]]);
    expect(whole.unload).toHaveBeenCalledWith("de", "en");
  });

  it("hands cancels and priorities on", async () => {
    const { worker, whole } = await open();
    worker.receive({ type: "unload", source: "en", target: "fr" });
    await vi.waitFor(() => { expect(whole.unload).toHaveBeenCalledWith("en", "fr"); });
    worker.receive({ type: "cancel", id: 1, output: "a" });
    worker.receive({ type: "prioritize", id: 2, priority: "near" });
    expect(whole.cancel).toHaveBeenCalledWith(1, "a");
    expect(whole.prioritize).toHaveBeenCalledWith(2, "near");
  });

  it("keeps sentences where it is asked to, under the model's files, and forgets them", async () => {
    const { ask, start, store, openStore, whole } = await open({}, { persistentCache: true, limits: { persistent_cache_bytes: 7 } });
    expect(openStore).toHaveBeenCalledWith(7);
    const { graph, vocabulary } = MANIFEST.files;
    expect(store.load).toHaveBeenCalledWith([graph.sha256, vocabulary.sha256].sort().join(" "));
    expect(start).toHaveBeenCalledWith(expect.objectContaining({ kept: "[]" }), expect.anything(), undefined);
    expect(await ask({ type: "statistics", id: 1 })).toEqual([
      { type: "statistics", id: 1, statistics: STATISTICS, persistentCache: { state: "on" } },
    ]);
    expect(await ask({ type: "clear-cache", id: 2 })).toEqual([{ type: "cleared", id: 2 }]);
    expect([whole.clearCache, store.clear].map((spy) => vi.mocked(spy).mock.calls.length)).toEqual([1, 1]);
    expect(openStore).toHaveBeenCalledTimes(1);
  });

  it("forgets what earlier visits have kept where it keeps nothing, and what is kept where nothing more can be", async () => {
    const plain = await open();
    expect(await plain.ask({ type: "clear-cache", id: 1 })).toEqual([{ type: "cleared", id: 1 }]);
    expect(plain.openStore).toHaveBeenCalledWith(8_000_000);
    expect([plain.store.clear, plain.store.close].map((spy) => vi.mocked(spy).mock.calls.length)).toEqual([1, 1]);
    const full = await open({}, { persistentCache: true });
    full.store.fault = { why: "quota", detail: "full" };
    await full.ask({ type: "clear-cache", id: 1 });
    expect(full.openStore).toHaveBeenCalledTimes(2);
    expect(full.store.clear).toHaveBeenCalledTimes(1);
  });
});
