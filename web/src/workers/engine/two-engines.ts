/**
 * The kernel, and the GPU for the mini-batches that it is faster with.
 *
 *     "auto"   unmeasured --(a second later: is there an adapter?)--> no-gpu
 *                  |`--(a second later, after a search with beams)--> beams
 *                  |   `--(idle: measured before)---------> faster | slower
 *                  `--(idle, after a translation: measure)-> faster | slower | failed
 *     "webgpu" asked
 *     asked, faster --(the device is lost, an error of it)--> failed
 *
 * The kernel is always there. A mini-batch that the GPU fails with is computed again by the kernel;
 * after that the GPU is left alone, unless the mini-batch was only too large for it. Nobody waits for
 * what happens in idle time: a mini-batch that comes ends a measurement within a slice of work. What needs
 * none is not put off until then: a page that is translated for minutes would keep the model's file so long.
 */

import { DragomanError } from "../../wire/errors.ts";
import type { Pause } from "../../kernel/batch.ts";
import type { EngineInput, EngineOutput } from "../../wire/engine-protocol.ts";
import type { EngineState } from "../../wire/protocol.ts";
import { calibrate, sampleOf, type FromRows } from "./calibration.ts";
import { Turn } from "./stops.ts";

/** Milliseconds without a mini-batch after which there is time for other things; and until it is known which. */
const IDLE = 1000;

export interface Engine {
  run(input: EngineInput, pause: Pause): Promise<EngineOutput>;
  close(): Promise<void>;
}

/** An adapter for one model, and what is known of it. */
export interface FoundGpu {
  readonly adapter: string;
  /** What was measured before; `undefined`: nothing. */
  readonly measured: FromRows | undefined;
  keep(fromRows: FromRows): Promise<void>;
  forget(): Promise<void>;
}

/** Holds the model's file. */
export interface GpuSource {
  /** Or why there is none that is worth a measurement. */
  find(): Promise<FoundGpu | string>;
  start(): Promise<Engine>;
  /** It is decided: the file goes. */
  release(): void;
}

export type OnState = (state: EngineState) => void;

interface Gpu {
  readonly engine: Engine;
  readonly fromRows: number;
  readonly device: FoundGpu;
}

export class TwoEngines implements Engine {
  readonly #wasm: Engine;
  readonly #onstate: OnState;
  readonly #turn = new Turn();
  /** What is left to do of "auto". */
  #search: Search | undefined;
  #gpu: Gpu | undefined;
  #open = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #first: ReturnType<typeof setTimeout> | undefined;
  /** Ends with a measurement's run in the kernel, which computes one mini-batch at a time. */
  #measured: Promise<unknown> = Promise.resolve();
  #isIdle = false;
  #isClosed = false;

  /** The GPU from the first mini-batch on. */
  static asked(wasm: Engine, engine: Engine, device: FoundGpu, onstate: OnState): TwoEngines {
    const engines = new TwoEngines(wasm, onstate);
    engines.#take({ engine, fromRows: 1, device }, "asked");
    return engines;
  }

  static auto(wasm: Engine, source: GpuSource, onstate: OnState): TwoEngines {
    const engines = new TwoEngines(wasm, onstate);
    engines.#search = { source };
    onstate({ name: "wasm", why: "unmeasured" });
    engines.#rest();
    engines.#first = setTimeout(() => void engines.#decide(), IDLE);
    return engines;
  }

  private constructor(wasm: Engine, onstate: OnState) {
    this.#wasm = wasm;
    this.#onstate = onstate;
  }

  async run(input: EngineInput, pause: Pause): Promise<EngineOutput> {
    this.#open++;
    this.#isIdle = false;
    clearTimeout(this.#timer);
    if (this.#search && input.beams) this.#search.hasBeams = true;
    else if (this.#search) this.#search.sample ??= sampleOf(input);
    try {
      return (await this.#runOnGpu(input, pause)) ?? (await this.#runOnWasm(input, pause));
    } finally {
      if (--this.#open === 0) this.#rest();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isIdle = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#first);
    await Promise.all([this.#wasm.close(), this.#search?.engine?.close(), this.#gpu?.engine.close()]);
  }

  async #runOnWasm(input: EngineInput, pause: Pause): Promise<EngineOutput> {
    await this.#measured;
    return this.#wasm.run(input, pause);
  }

  /** `undefined`: it is for the kernel. */
  async #runOnGpu(input: EngineInput, pause: Pause): Promise<EngineOutput | undefined> {
    const gpu = this.#gpu;
    // The GPU's search is greedy.
    if (!gpu || input.beams || input.rows < gpu.fromRows) return undefined;
    const run = { isStopped: false };
    const heard = async (): Promise<void> => {
      try {
        await pause();
      } catch (error) {
        run.isStopped = true;
        throw error;
      }
    };
    try {
      return await gpu.engine.run(input, heard);
    } catch (error) {
      if (run.isStopped) throw error;
      if (!isTooLarge(error)) await this.#leave(gpu, error);
      return undefined;
    }
  }

  #take(gpu: Gpu, why: "asked" | "faster"): void {
    this.#gpu = gpu;
    this.#onstate({ name: "webgpu", why, adapter: gpu.device.adapter, fromRows: gpu.fromRows });
  }

  /** What was measured is forgotten: next time it is measured again. */
  async #leave({ engine, device }: Gpu, error: unknown): Promise<void> {
    this.#gpu = undefined;
    this.#onstate({ name: "wasm", why: "failed", detail: messageOf(error) });
    await Promise.all([engine.close(), device.forget()]);
  }

  #rest(): void {
    if (!this.#search || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#isIdle = true;
      void this.#decide();
    }, IDLE);
  }

  /** Goes on where it was interrupted. */
  async #decide(): Promise<void> {
    const search = this.#search;
    if (!search || search.isUnderWay) return;
    search.isUnderWay = true;
    try {
      await this.#look(search);
    } catch (error) {
      if (!(error instanceof Interruption)) await this.#settle(search, null, error);
    } finally {
      search.isUnderWay = false;
    }
  }

  async #look(search: Search): Promise<void> {
    if (search.hasBeams && !search.sample) {
      this.#end(search);
      this.#onstate({ name: "wasm", why: "beams" });
      return;
    }
    search.device ??= await search.source.find();
    if (this.#isClosed) throw new Interruption(); // Nothing more is told of a model that has gone.
    const { device, sample } = search;
    if (typeof device === "string") {
      this.#end(search);
      this.#onstate({ name: "wasm", why: "no-gpu", detail: device });
    } else if (device.measured === null) {
      this.#end(search);
      this.#onstate({ name: "wasm", why: "slower" });
    } else if (device.measured !== undefined) {
      this.#goOn();
      await this.#start(search);
      await this.#settle(search, device.measured);
    } else if (sample) {
      this.#goOn();
      const engine = await this.#start(search);
      const fromRows = await this.#measure(sample, engine);
      await device.keep(fromRows);
      await this.#settle(search, fromRows);
    }
  }

  #end({ source }: Search): void {
    this.#search = undefined;
    source.release();
  }

  async #start(search: Search): Promise<Engine> {
    search.engine ??= await search.source.start();
    if (!this.#isClosed) return search.engine;
    await search.engine.close();
    throw new Interruption();
  }

  #measure(sample: EngineInput, gpu: Engine): Promise<FromRows> {
    const wasm = (input: EngineInput, pause: Pause): Promise<EngineOutput> => {
      this.#goOn();
      const run = this.#wasm.run(input, pause);
      this.#measured = run.catch(() => undefined);
      return run;
    };
    return calibrate(sample, wasm, (input, pause) => gpu.run(input, pause), async () => {
      await this.#turn.next();
      this.#goOn();
    });
  }

  #goOn(): void {
    if (!this.#isIdle) throw new Interruption();
  }

  async #settle(search: Search, fromRows: FromRows, error?: unknown): Promise<void> {
    if (this.#isClosed) return;
    this.#end(search);
    const { device, engine } = search;
    if (fromRows !== null && engine && device && typeof device !== "string") {
      this.#take({ engine, fromRows, device }, "faster");
      return;
    }
    this.#onstate(
      error === undefined
        ? { name: "wasm", why: "slower" }
        : { name: "wasm", why: "failed", detail: messageOf(error) },
    );
    await engine?.close();
    if (error !== undefined && device && typeof device !== "string") await device.keep(null);
  }
}

interface Search {
  readonly source: GpuSource;
  device?: FoundGpu | string;
  sample?: EngineInput | undefined;
  /** Of what came: the GPU's search is greedy, and who asks for beams goes on to. */
  hasBeams?: boolean;
  engine?: Engine;
  isUnderWay?: boolean;
}

/** There is something to translate. */
class Interruption extends Error {}

/** Of one mini-batch: it does not fit into the device's limits, or the model's. */
function isTooLarge(error: unknown): boolean {
  return error instanceof DragomanError && "requested" in error.details;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
