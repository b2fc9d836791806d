/** Workers are fakes that nothing but our own code keeps: what nobody refers to is collected. */

import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Kernel } from "../../../../web/src/kernel/kernel.ts";
import type { EngineToThread, PlacedModel, ThreadToEngine } from "../../../../web/src/wire/engine-protocol.ts";
import { placeModel } from "../../../../web/src/kernel/model.ts";
import { readModel } from "../../../../web/src/kernel/onnx.ts";
import { KernelEngine, type KernelFiles } from "../../../../web/src/workers/engine/kernel-engine.ts";
import { ThreadChoice } from "../../../../web/src/workers/engine/thread-choice.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const MODEL = new URL("../../../../models/de-en/model.onnx", import.meta.url);
const PLAIN = readFileSync(new URL("../../../../kernel/dist/plain-one.wasm", import.meta.url));

let workers: WeakRef<FakeWorker>[];
let ended: number;

class FakeWorker {
  onmessage: ((event: { readonly data: ThreadToEngine }) => void) | undefined;
  onerror: ((event: { readonly message?: string; preventDefault(): void }) => void) | undefined;
  readonly sent: EngineToThread["type"][] = [];

  constructor() {
    workers.push(new WeakRef(this));
  }

  postMessage({ type }: EngineToThread): void {
    this.sent.push(type);
  }

  terminate(): void {
    ended++;
  }
}

beforeEach(() => {
  workers = [];
  ended = 0;
  vi.stubGlobal("Worker", FakeWorker);
  vi.stubGlobal("location", { origin: "http://localhost" });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** An engine whose threads have not joined yet. */
async function starting(
  threads: number,
  place: (kernel: Kernel) => PlacedModel = () => ({}) as PlacedModel,
): Promise<{ readonly engine: Promise<KernelEngine> }> {
  const plain = await WebAssembly.compile(PLAIN);
  const modules: KernelFiles = { relaxed: undefined, plain, shared: false, thread: "http://localhost/engine-thread.js" };
  const engine = KernelEngine.start(modules, place, ThreadChoice.fixed(threads));
  while (workers.length < threads - 1) await setImmediate();
  return { engine };
}

/** Those that are still there after garbage was collected. */
async function left(): Promise<FakeWorker[]> {
  await setImmediate(); // What was looked at in this turn is not collected in it.
  collectGarbage();
  return workers.flatMap((worker) => worker.deref() ?? []);
}

describe("the kernel's threads", () => {
  it("are kept while they start, though nobody but their handlers refers to them", async () => {
    const { engine } = await starting(3);
    const threads = await left();
    expect(threads.map(({ sent }) => sent)).toEqual([["join"], ["join"]]);
    for (const thread of threads) thread.onmessage?.({ data: { type: "joined" } });
    await (await engine).close();
    expect(ended).toBe(2);
  });

  it("are let go with the engine that has them", async () => {
    const joinAll = async (): Promise<void> => {
      const { engine } = await starting(2);
      for (const thread of await left()) thread.onmessage?.({ data: { type: "joined" } });
      await engine;
    };
    await joinAll();
    expect(await left()).toEqual([]);
  });

  it("are ended when one of them does not start", async () => {
    const { engine } = await starting(3);
    const [one, other] = await left();
    const failed = expect(engine).rejects.toThrow("no script");
    one?.onerror?.({ message: "no script", preventDefault: () => undefined });
    await failed;
    other?.onmessage?.({ data: { type: "joined" } });
    await vi.waitFor(() => { expect(ended).toBe(2); });
  });

  it("are let go when one does not start, and the engine fails with its words", async () => {
    const failOne = async (): Promise<string> => {
      const { engine } = await starting(2);
      const [thread] = await left();
      thread?.onerror?.({ message: "no script", preventDefault: () => undefined });
      // `rejects` would keep the engine.
      return engine.then(() => "it started", String);
    };
    expect(await failOne()).toBe("DragomanError: a thread of the engine failed: no script");
    expect(await left()).toEqual([]);
  });

  it("say so where their script does not load", async () => {
    const { engine } = await starting(2);
    const [thread] = await left();
    const failed = expect(engine).rejects.toThrow("a thread of the engine failed: its script did not load");
    thread?.onerror?.({ preventDefault: () => undefined });
    await failed;
  });

  it("end a run that one of them fails in, while this one is still at work", async () => {
    const unheard = vi.fn();
    process.on("unhandledRejection", unheard);
    const { tensors } = readModel(new Uint8Array(readFileSync(MODEL)));
    const { engine } = await starting(2, (kernel) => placeModel(kernel, tensors));
    const [thread] = await left();
    if (!thread) throw new Error("there is no thread");
    thread.onmessage?.({ data: { type: "joined" } });
    const started = await engine;
    thread.postMessage = () => {
      thread.onmessage?.({ data: { type: "failed", ticket: 1, error: { code: "engine", message: "no memory", details: {} } } });
    };
    const [rows, width] = [24, 24];
    const ids = new Int32Array(rows * width).fill(99);
    const all = (value: number) => new Int32Array(rows).fill(value);
    const input = { ids, lengths: all(width), limits: all(9), rows, width, attention: false };
    const pause = vi.fn(() => setImmediate());
    await expect(started.run(input, pause)).rejects.toThrow("no memory");
    process.off("unhandledRejection", unheard);
    expect(pause).toHaveBeenCalled();
    expect(unheard).not.toHaveBeenCalled();
  });
});
