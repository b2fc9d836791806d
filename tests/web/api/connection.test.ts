import { describe, expect, it, vi } from "vitest";
import { Connection } from "../../../web/src/api/connection.ts";
import { DragomanError } from "../../../web/src/wire/errors.ts";
import { FakeWorkers } from "../../../web/src/fakes/workers.ts";
import type { LoadingMessage } from "../../../web/src/wire/protocol.ts";
import { FakeLocks, silentPair } from "../support/fakes.ts";
import { MANIFEST, REQUEST } from "../support/values.ts";

const BASE = "http://localhost/";
const OPEN = { bundle: "de-en", threads: 2, measureThreads: true };

function connect(onloading?: (message: LoadingMessage) => void) {
  const workers = new FakeWorkers(MANIFEST);
  const locks = new FakeLocks();
  const connection = new Connection({ base: BASE, spawn: workers.spawn, locks: locks.manager });
  connection.open(OPEN);
  const calls = connection.join(onloading);
  const [pair] = workers.pairs;
  if (!pair) throw new Error("no pair was spawned");
  return { connection, calls, pair, locks };
}

describe("Connection", () => {
  it("opens both workers and is ready with the manifest", async () => {
    const onloading = vi.fn();
    const { connection, pair } = connect(onloading);
    expect((await connection.ready).name).toBe("de-en-fake");
    expect(pair.language.posted).toEqual([{ type: "prepare", base: BASE }, { type: "open", ...OPEN }]);
    expect(pair.engine.posted).toEqual([{ type: "connect", base: BASE }]);
    expect(onloading.mock.calls).toEqual([[{ type: "loading", stage: "model", loaded: 5, total: 5 }]]);
  });

  it("tells who joins while it opens what was loaded before", async () => {
    const workers = new FakeWorkers(MANIFEST);
    const connection = new Connection({ base: BASE, spawn: workers.spawn });
    const { language } = workers.pairs[0] ?? {};
    expect(language?.posted).toEqual([{ type: "prepare", base: BASE }]);
    language?.say({ type: "loading", stage: "runtime", loaded: 1, total: 9 });
    language?.say({ type: "loading", stage: "runtime", loaded: 9, total: 9 });
    language?.say({ type: "loading", stage: "core", loaded: 0, total: 2 });
    const onloading = vi.fn();
    connection.open(OPEN);
    connection.join(onloading);
    expect(onloading.mock.calls).toEqual([
      [{ type: "loading", stage: "runtime", loaded: 9, total: 9 }],
      [{ type: "loading", stage: "core", loaded: 0, total: 2 }],
    ]);
    await connection.ready;
    const later = vi.fn();
    connection.join(later);
    expect(later).not.toHaveBeenCalled();
  });

  it("knows what computes each model", () => {
    const { connection, pair } = connect();
    pair.engine.say({ type: "engine", bundle: "de-en", state: { name: "wasm", why: "unmeasured" } });
    pair.engine.say({ type: "engine", bundle: "en-fr", state: { name: "wasm", why: "asked" } });
    const faster = { name: "webgpu", why: "faster", adapter: "vendor chip", fromRows: 8 } as const;
    pair.engine.say({ type: "engine", bundle: "de-en", state: faster });
    pair.engine.say({ type: "engine", bundle: "en-fr" }); // unloaded
    expect(connection.engines).toEqual([{ bundle: "de-en", ...faster }]);
  });

  it.each(["language", "engine"] as const)("fails when the browser ends the %s worker", async (role) => {
    const { connection, calls, pair, locks } = connect();
    await connection.ready;
    pair.hold = true;
    const call = calls.translate(REQUEST);
    expect(locks.isWatched(`${role}-1`)).toBe(true);
    locks.release(`${role}-1`);
    await expect(call).rejects.toMatchObject({ code: "worker-gone", details: { worker: role } });
    expect(await connection.closed).toMatchObject({ code: "worker-gone" });
    expect([pair.language.terminated, pair.engine.terminated]).toEqual([true, true]);
  });

  it.each(["error", "messageerror"])("fails on %s of a worker, before it is ready", async (type) => {
    const { connection, pair } = connect();
    pair.language.dispatchEvent(new Event(type, { cancelable: true }));
    await expect(connection.ready).rejects.toMatchObject({ code: "worker-gone" });
  });

  it("fails with what the worker says", async () => {
    const { connection, pair } = connect();
    const details = { path: "model.onnx", expected: "aa", found: "bb" };
    pair.language.say({ type: "failed", error: { code: "bundle-corrupt", message: "corrupt", details } });
    await expect(connection.ready).rejects.toMatchObject({ code: "bundle-corrupt", details });
  });

  it("settles everything when it is closed, and watches no more", async () => {
    const { connection, calls, pair, locks } = connect();
    await connection.ready;
    pair.hold = true;
    const call = calls.translate(REQUEST);
    connection.close(new DOMException("enough", "AbortError"));
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(locks.isWatched("language-1")).toBe(false);
    connection.close(new DragomanError("worker-gone", "later: the first reason stands"));
    expect(await connection.closed).toMatchObject({ name: "AbortError" });
  });

  it("counts the calls of all its users together, and takes back those of one that leaves", async () => {
    const { connection, calls, pair } = connect();
    await connection.ready;
    const others = connection.join();
    pair.hold = true;
    const [first, second] = [calls.translate(REQUEST), others.translate({ ...REQUEST, text: "zwei" })];
    expect(pair.language.posted.slice(2)).toMatchObject([{ type: "translate", id: 1 }, { type: "translate", id: 2 }]);
    connection.leave(calls, new DOMException("enough", "AbortError"));
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    await expect(calls.translate(REQUEST)).rejects.toMatchObject({ name: "AbortError" });
    expect(pair.language.posted.slice(4)).toEqual([{ type: "cancel", id: 1 }]);
    pair.release();
    expect((await second).text).toBe("ZWEI");
    connection.leave(others, new DOMException("enough", "AbortError"));
    expect([pair.language.terminated, pair.engine.terminated]).toEqual([true, true]);
    await expect(connection.join().translate(REQUEST)).rejects.toMatchObject({ name: "AbortError" });
  });

  it("gives up when nothing is heard for a minute while it opens", async () => {
    vi.useFakeTimers();
    try {
      const { pair, ended } = silentPair();
      const connection = new Connection({ base: BASE, spawn: () => pair });
      await vi.advanceTimersByTimeAsync(100_000); // Nobody waits for what is only prepared.
      connection.open(OPEN);
      const loading = new MessageEvent("message", { data: { type: "loading", stage: "model", loaded: 1, total: 2 } });
      await vi.advanceTimersByTimeAsync(59_000);
      pair.language.dispatchEvent(loading);
      await vi.advanceTimersByTimeAsync(59_000);
      expect(ended).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await connection.closed).toMatchObject({
        code: "network",
        message: "loading has stood still for 60 s",
        details: { silent: 60 },
      });
    } finally {
      vi.useRealTimers();
    }
  });
});
