import { describe, expect, it, vi } from "vitest";
import { deferred } from "../../../../web/src/base/deferred.ts";
import { DragomanError } from "../../../../web/src/wire/errors.ts";
import type { EngineInput, EngineOutput, EngineToLanguage } from "../../../../web/src/wire/engine-protocol.ts";
import { EngineWorker, type StartEngine } from "../../../../web/src/workers/engine/engine-worker.ts";
import type { Engine } from "../../../../web/src/workers/engine/two-engines.ts";
import { LAYOUT, MANIFEST } from "../../support/values.ts";

const LOAD = { bundle: "de-en", threads: 2, measureThreads: true, engine: "auto" } as const;

function input(): EngineInput {
  const ids = Int32Array.of(5, 6, 0);
  return { ids, lengths: Int32Array.of(3), limits: Int32Array.of(12), rows: 1, width: 3, attention: false };
}

function output(steps: number): EngineOutput {
  return { steps, ids: new Int32Array(steps), logProbabilities: new Float32Array(steps), attention: new Float32Array(0) };
}

/** A worker whose engine does as the test says. */
function open(engine: Partial<Engine> = {}, { kernel }: { kernel?: Promise<StartEngine> } = {}) {
  const posted: EngineToLanguage[] = [];
  const onstate = vi.fn();
  const close = vi.fn(() => Promise.resolve());
  const whole: Engine = { run: () => Promise.resolve(output(1)), close, ...engine };
  const start = vi.fn<StartEngine>((_, options, report) => {
    report({ name: "wasm", why: "asked" });
    return Promise.resolve(options.bundle === "bad" ? Promise.reject(new DragomanError("bundle-corrupt", "bad")) : whole);
  });
  const worker = new EngineWorker({
    post: (message) => posted.push(message),
    onstate,
    loadKernel: () => kernel ?? Promise.resolve(start),
    loadBundle: ({ bundle: name }, onbytes) => {
      onbytes(5, 5);
      const bytes = Uint8Array.of(1);
      if (name === "published") return Promise.resolve(publishedBundle());
      const nameTable = name === "named" ? Uint8Array.of(9) : undefined;
      return Promise.resolve({ manifest: MANIFEST, manifestText: "{}", graph: bytes, vocabulary: bytes, nameTable, shortlist: undefined });
    },
  });
  const until = (type: EngineToLanguage["type"], count = 1): Promise<void> =>
    vi.waitFor(() => { expect(posted.filter((message) => message.type === type)).toHaveLength(count); });
  return { worker, posted, onstate, close, start, until };
}

function publishedBundle() {
  const [model, vocabulary] = [Uint8Array.of(2), Uint8Array.of(3)];
  return { manifest: MANIFEST, manifestText: "{}", model, vocabulary, targetVocabulary: undefined, shortlist: undefined };
}

describe("EngineWorker", () => {
  it("loads a model, tells what computes it, and answers runs in their order", async () => {
    const first = deferred<EngineOutput>();
    const runs = vi.fn<Engine["run"]>().mockReturnValueOnce(first.promise).mockResolvedValueOnce(output(2));
    const { worker, posted, onstate, until } = open({ run: runs });
    worker.receive({ type: "load", model: 1, ...LOAD });
    await until("loaded");
    expect(posted).toEqual([
      { type: "loading", stage: "model", bundle: "de-en", loaded: 5, total: 5 },
      { type: "loaded", model: 1, manifestText: "{}", vocabulary: Uint8Array.of(1) },
    ]);
    expect(onstate.mock.calls).toEqual([["de-en", { name: "wasm", why: "asked" }]]);
    worker.receive({ type: "run", ticket: 1, model: 1, ...input() });
    worker.receive({ type: "run", ticket: 2, model: 1, ...input() });
    await vi.waitFor(() => { expect(runs).toHaveBeenCalledTimes(1); });
    first.resolve(output(7));
    await until("output", 2);
    expect(posted.slice(2)).toMatchObject([{ ticket: 1, steps: 7 }, { ticket: 2, steps: 2 }]);
  });

  it("hands over a table of names", async () => {
    const { worker, posted, until } = open();
    worker.receive({ type: "load", model: 1, ...LOAD, bundle: "named" });
    await until("loaded");
    expect(posted.at(-1)).toEqual({
      type: "loaded",
      model: 1,
      manifestText: "{}",
      vocabulary: Uint8Array.of(1),
      nameTable: Uint8Array.of(9),
    });
  });

  it("places published files when the core has read them", async () => {
    const { worker, posted, start, until } = open();
    worker.receive({ type: "load", model: 1, ...LOAD, bundle: "published" });
    await until("published");
    const [file, vocabulary] = [Uint8Array.of(2), Uint8Array.of(3)];
    expect(posted.at(-1)).toEqual({ type: "published", model: 1, manifestText: "{}", vocabulary, file });
    expect(start).not.toHaveBeenCalled();
    worker.receive({ type: "place", model: 1, file, layout: LAYOUT, positions: 268 });
    await until("placed");
    expect(start.mock.calls[0]?.[0]).toMatchObject({ manifest: MANIFEST, file, layout: LAYOUT, positions: 268 });
    worker.receive({ type: "run", ticket: 1, model: 1, ...input() });
    await until("output");
  });

  it("forgets published files that the core cannot read", async () => {
    const { worker, posted, start, until } = open();
    worker.receive({ type: "load", model: 1, ...LOAD, bundle: "published" });
    await until("published");
    worker.receive({ type: "unload", model: 1 });
    await until("failed");
    expect(posted.at(-1)).toMatchObject({ type: "failed", model: 1, error: { code: "cancelled" } });
    worker.receive({ type: "load", model: 2, ...LOAD });
    await until("loaded");
    expect(start).toHaveBeenCalledTimes(1);
  });

  it("fails a model that cannot be loaded, and no other", async () => {
    const { worker, posted, until } = open();
    worker.receive({ type: "load", model: 1, ...LOAD, bundle: "bad" });
    worker.receive({ type: "load", model: 2, ...LOAD });
    await until("loaded");
    await until("failed");
    expect(posted.find(({ type }) => type === "failed")).toMatchObject({ model: 1, error: { code: "bundle-corrupt" } });
    worker.receive({ type: "run", ticket: 1, model: 1, ...input() });
    await until("failed", 2);
    expect(posted.at(-1)).toMatchObject({ ticket: 1, error: { code: "engine", details: { model: 1 } } });
  });

  it("stops a run between two slices of work, and one that waits before it begins", async () => {
    const isRunning = deferred<undefined>();
    const runs = vi.fn<Engine["run"]>(async (_, pause) => {
      isRunning.resolve(undefined);
      for (;;) await pause();
    });
    const { worker, posted, until } = open({ run: runs });
    worker.receive({ type: "load", model: 1, ...LOAD });
    worker.receive({ type: "run", ticket: 1, model: 1, ...input() });
    worker.receive({ type: "run", ticket: 2, model: 1, ...input() });
    await isRunning.promise;
    worker.receive({ type: "stop", ticket: 2 });
    worker.receive({ type: "stop", ticket: 1 });
    await until("failed", 2);
    expect(posted.filter(({ type }) => type === "failed")).toMatchObject([
      { ticket: 1, error: { code: "cancelled" } },
      { ticket: 2, error: { code: "cancelled" } },
    ]);
    expect(runs).toHaveBeenCalledTimes(1);
  });

  it("gives a model's memory back after what runs, and says so at once", async () => {
    const running = deferred<EngineOutput>();
    const { worker, onstate, close, until } = open({ run: () => running.promise });
    worker.receive({ type: "load", model: 1, ...LOAD });
    await until("loaded");
    worker.receive({ type: "run", ticket: 1, model: 1, ...input() });
    worker.receive({ type: "unload", model: 1 });
    expect(onstate.mock.calls.at(-1)).toEqual(["de-en", undefined]);
    expect(close).not.toHaveBeenCalled();
    running.resolve(output(1));
    await vi.waitFor(() => { expect(close).toHaveBeenCalledTimes(1); });
  });

  it("goes on with the others where one cannot be closed", async () => {
    const { worker, until } = open({ close: () => Promise.reject(new Error("busy")) });
    worker.receive({ type: "load", model: 1, ...LOAD });
    worker.receive({ type: "load", model: 2, ...LOAD });
    await until("loaded", 2);
    worker.receive({ type: "unload", model: 1 });
    worker.receive({ type: "run", ticket: 1, model: 2, ...input() });
    await until("output");
  });

  it("says once, for all models, that the kernel cannot be loaded", async () => {
    const kernel = Promise.reject(new DragomanError("network", "no kernel"));
    const { posted, until } = open({}, { kernel });
    await until("failed");
    expect(posted).toEqual([{ type: "failed", error: { code: "network", message: "no kernel", details: {} } }]);
  });
});
