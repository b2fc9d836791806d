/** Engines are fakes: the ids of an output tell whose it is. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DragomanError } from "../../../../web/src/wire/errors.ts";
import type { Pause } from "../../../../web/src/kernel/batch.ts";
import type { EngineInput, EngineOutput } from "../../../../web/src/wire/engine-protocol.ts";
import type { EngineState } from "../../../../web/src/wire/protocol.ts";
import type { FromRows } from "../../../../web/src/workers/engine/calibration.ts";
import { TwoEngines, type Engine, type FoundGpu } from "../../../../web/src/workers/engine/two-engines.ts";

const WASM = 1;
const WEBGPU = 2;
const IDLE = 1000;

const BEAMS = { beam: 4, kept: 1, branching: false, normalize: 1, wordPenalty: 0, prefixes: new Int32Array(0) };

const never: Pause = () => Promise.resolve();

class FakeEngine implements Engine {
  readonly inputs: EngineInput[] = [];
  readonly close = vi.fn(() => Promise.resolve());
  /** What the next run does instead of answering. */
  next: ((pause: Pause) => Promise<EngineOutput>) | undefined;
  readonly #id: number;

  constructor(id: number) {
    this.#id = id;
  }

  async run(input: EngineInput, pause: Pause): Promise<EngineOutput> {
    this.inputs.push(input);
    const instead = this.next;
    this.next = undefined;
    if (instead) return instead(pause);
    await pause();
    return output(this.#id, input.rows);
  }
}

function output(id: number, rows: number): EngineOutput {
  return { steps: 1, ids: new Int32Array(rows).fill(id), logProbabilities: new Float32Array(rows), attention: new Float32Array(0) };
}

function input(rows = 1, pieces = 8): EngineInput {
  const ids = new Int32Array(rows * pieces).fill(9);
  const all = (value: number): Int32Array<ArrayBuffer> => new Int32Array(rows).fill(value);
  return { ids, lengths: all(pieces), limits: all(20), rows, width: pieces, attention: false };
}

let clock = 0;
let now: { mockRestore: () => void };
let wasm: FakeEngine;
let gpu: FakeEngine;
let states: EngineState[];
let kept: FromRows[];
let device: FoundGpu;
const forget = vi.fn(() => Promise.resolve());
const start = vi.fn(() => Promise.resolve(gpu));
const release = vi.fn();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  now = vi.spyOn(performance, "now").mockImplementation(() => clock);
  wasm = new FakeEngine(WASM);
  gpu = new FakeEngine(WEBGPU);
  states = [];
  kept = [];
  forget.mockClear();
  start.mockClear();
  release.mockClear();
  device = {
    adapter: "vendor chip",
    measured: undefined,
    keep: (fromRows) => {
      kept.push(fromRows);
      return Promise.resolve();
    },
    forget,
  };
});

afterEach(() => {
  vi.useRealTimers();
  now.mockRestore();
});

const onstate = (state: EngineState): void => {
  states.push(state);
};

function auto(gpuFound: Partial<FoundGpu> | string = {}, starting: () => Promise<Engine> = start): TwoEngines {
  const result = typeof gpuFound === "string" ? gpuFound : { ...device, ...gpuFound };
  return TwoEngines.auto(wasm, { find: () => Promise.resolve(result), start: starting, release }, onstate);
}

/** Idle time, and all that happens in it. */
async function rest(): Promise<void> {
  await vi.advanceTimersByTimeAsync(IDLE);
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => { setImmediate(resolve); });
}

/** A mini-batch comes before it is idle time, again and again. */
async function busyFor(engines: TwoEngines, times = 5): Promise<void> {
  for (let time = 0; time < times; time++) {
    await engines.run(input(), never);
    await vi.advanceTimersByTimeAsync(IDLE / 2);
  }
}

async function whoRuns(engines: TwoEngines, rows = 1): Promise<number> {
  const { ids } = await engines.run(input(rows), never);
  return ids[0] ?? 0;
}

const lastState = (): EngineState | undefined => states.at(-1);

/** Both answer alike while they are measured, which is when attention is asked for. */
function alike(wasmTakes: number, gpuTakes: number): void {
  for (const [engine, takes] of [[wasm, wasmTakes], [gpu, gpuTakes]] as const) {
    engine.run = async (given, pause) => {
      engine.inputs.push(given);
      await pause();
      clock += takes;
      return output(given.attention ? 7 : engine === wasm ? WASM : WEBGPU, given.rows);
    };
  }
}

describe("the GPU, asked for", () => {
  it("computes from the first mini-batch on", async () => {
    const engines = TwoEngines.asked(wasm, gpu, device, onstate);
    expect(await whoRuns(engines)).toBe(WEBGPU);
    expect(states).toEqual([{ name: "webgpu", why: "asked", adapter: "vendor chip", fromRows: 1 }]);
  });

  it("that fails loses nothing: the kernel computes the same mini-batch, and all after it", async () => {
    const engines = TwoEngines.asked(wasm, gpu, device, onstate);
    gpu.next = () => Promise.reject(new DragomanError("engine", "the GPU device is lost", { lost: "unknown" }));
    const given = input(3);
    expect([...(await engines.run(given, never)).ids]).toEqual([WASM, WASM, WASM]);
    expect(wasm.inputs).toEqual([given]);
    expect(lastState()).toEqual({ name: "wasm", why: "failed", detail: "the GPU device is lost" });
    expect(gpu.close).toHaveBeenCalledOnce();
    expect(forget).toHaveBeenCalledOnce();
    expect(await whoRuns(engines)).toBe(WASM);
  });

  it("leaves beams to the kernel, for its search is greedy", async () => {
    const engines = TwoEngines.asked(wasm, gpu, device, onstate);
    expect([...(await engines.run({ ...input(2), beams: BEAMS }, never)).ids]).toEqual([WASM, WASM]);
    expect(gpu.inputs).toEqual([]);
    expect(await whoRuns(engines)).toBe(WEBGPU);
  });

  it("leaves to the kernel what is too large for it, and goes on", async () => {
    const engines = TwoEngines.asked(wasm, gpu, device, onstate);
    const details = { limit: "maxBufferSize", requested: 9, allowed: 8 };
    gpu.next = () => Promise.reject(new DragomanError("engine", "too large", details));
    expect(await whoRuns(engines)).toBe(WASM);
    expect(await whoRuns(engines)).toBe(WEBGPU);
    expect(states).toHaveLength(1);
  });

  it("is not taken for broken when a run is stopped, and the run is not run again", async () => {
    const engines = TwoEngines.asked(wasm, gpu, device, onstate);
    gpu.next = async (pause) => {
      await pause();
      return output(WEBGPU, 1);
    };
    const stopped = engines.run(input(), () => Promise.reject(new DragomanError("cancelled", "stopped", {})));
    await expect(stopped).rejects.toMatchObject({ code: "cancelled" });
    expect(wasm.inputs).toEqual([]);
    expect(await whoRuns(engines)).toBe(WEBGPU);
  });

  it("gives everything back when it is closed", async () => {
    const engines = TwoEngines.asked(wasm, gpu, device, onstate);
    await engines.close();
    expect(gpu.close).toHaveBeenCalledOnce();
    expect(wasm.close).toHaveBeenCalledOnce();
  });
});

describe("auto", () => {
  it("stays with the kernel where there is no GPU, and says why", async () => {
    const engines = auto("this browser has no WebGPU");
    expect(lastState()).toEqual({ name: "wasm", why: "unmeasured" });
    await rest();
    expect(lastState()).toEqual({ name: "wasm", why: "no-gpu", detail: "this browser has no WebGPU" });
    expect(release).toHaveBeenCalledOnce();
    expect(await whoRuns(engines)).toBe(WASM);
  });

  it("does not keep the model's file until nothing more comes, where it is decided without", async () => {
    for (const [gpuFound, why] of [["this browser has no WebGPU", "no-gpu"], [{ measured: null }, "slower"]] as const) {
      release.mockClear();
      await busyFor(auto(gpuFound));
      expect(lastState()).toMatchObject({ name: "wasm", why });
      expect(release).toHaveBeenCalledOnce();
    }
  });

  it("starts no GPU while something is translated", async () => {
    for (const measured of [8, undefined]) {
      const engines = auto({ measured });
      await busyFor(engines);
      expect(lastState()).toEqual({ name: "wasm", why: "unmeasured" });
      await engines.close();
    }
    expect(start).not.toHaveBeenCalled();
  });

  it("starts nothing before there was something to translate", async () => {
    auto();
    await rest();
    await rest();
    expect(start).not.toHaveBeenCalled();
    expect(release).not.toHaveBeenCalled();
  });

  it("looks for no GPU where requests have beams, which it has not", async () => {
    const engines = auto();
    await engines.run({ ...input(), beams: BEAMS }, never);
    await rest();
    expect(lastState()).toEqual({ name: "wasm", why: "beams" });
    expect(start).not.toHaveBeenCalled();
    expect(release).toHaveBeenCalledOnce();
    expect(await whoRuns(engines)).toBe(WASM);
  });

  it("measures with what came without beams, where there was some", async () => {
    alike(10, 1);
    const engines = auto();
    await engines.run({ ...input(), beams: BEAMS }, never);
    expect(await whoRuns(engines)).toBe(WASM);
    await rest();
    expect(lastState()).toEqual({ name: "webgpu", why: "faster", adapter: "vendor chip", fromRows: 1 });
  });

  it("takes the GPU once it is measured to be faster, and keeps that", async () => {
    alike(10, 1);
    const engines = auto();
    expect(await whoRuns(engines)).toBe(WASM);
    await rest();
    expect(lastState()).toEqual({ name: "webgpu", why: "faster", adapter: "vendor chip", fromRows: 1 });
    expect(release).toHaveBeenCalledOnce();
    expect(kept).toEqual([1]);
    expect(await whoRuns(engines)).toBe(WEBGPU);
  });

  it("gives a slower GPU back, and keeps that", async () => {
    alike(10, 10);
    const engines = auto();
    await whoRuns(engines);
    await rest();
    expect(lastState()).toEqual({ name: "wasm", why: "slower" });
    expect(kept).toEqual([null]);
    expect(gpu.close).toHaveBeenCalledOnce();
    expect(release).toHaveBeenCalledOnce();
    expect(await whoRuns(engines)).toBe(WASM);
  });

  it("does not measure again what was measured", async () => {
    const engines = auto({ measured: 8 });
    await rest();
    expect(lastState()).toMatchObject({ name: "webgpu", fromRows: 8 });
    expect([await whoRuns(engines, 7), await whoRuns(engines, 8)]).toEqual([WASM, WEBGPU]);
    expect(kept).toEqual([]);
  });

  it("does not start a GPU that was slower", async () => {
    auto({ measured: null });
    await rest();
    expect(lastState()).toEqual({ name: "wasm", why: "slower" });
    expect(start).not.toHaveBeenCalled();
    expect(release).toHaveBeenCalledOnce();
  });

  it("stays with the kernel when the GPU does not start, and does not try it again", async () => {
    const engines = auto({}, () => Promise.reject(new Error("the GPU refused a shader")));
    await whoRuns(engines);
    await rest();
    expect(lastState()).toEqual({ name: "wasm", why: "failed", detail: "the GPU refused a shader" });
    expect(kept).toEqual([null]);
    expect(release).toHaveBeenCalledOnce();
  });

  it("lets a mini-batch through in the middle of a measurement, and measures later", async () => {
    alike(10, 1);
    const engines = auto();
    await whoRuns(engines);
    let going: ((value: undefined) => void) | undefined;
    const measured = wasm.run.bind(wasm);
    wasm.run = async (given, pause) => {
      await new Promise((resolve) => { going = resolve; });
      wasm.run = measured;
      return measured(given, pause);
    };
    await rest();
    const waiting = whoRuns(engines); // The kernel is in the measurement's hands.
    going?.(undefined);
    expect(await waiting).toBe(WASM);
    expect(kept).toEqual([]);
    await rest();
    expect(kept).toEqual([1]);
    expect(start).toHaveBeenCalledOnce();
  });

  it("gives a GPU back that comes after it was closed", async () => {
    let come: ((engine: Engine) => void) | undefined;
    const engines = auto({ measured: 1 }, () => new Promise((resolve) => { come = resolve; }));
    await rest();
    await engines.close();
    come?.(gpu);
    await rest();
    expect(gpu.close).toHaveBeenCalled();
    expect(states.map(({ name }) => name)).toEqual(["wasm"]);
  });

  it("says nothing more of a GPU that is looked for when it is closed", async () => {
    let found: ((why: string) => void) | undefined;
    const find = () => new Promise<string>((resolve) => { found = resolve; });
    const engines = TwoEngines.auto(wasm, { find, start, release }, onstate);
    await rest();
    await engines.close();
    found?.("there is none");
    await rest();
    expect(states.map(({ why }) => why)).toEqual(["unmeasured"]);
  });
});
