/** WebGPU as an engine: a model on a device of its own. */

import { DragomanError } from "../../wire/errors.ts";
import type { Pause } from "../../kernel/batch.ts";
import type { Tensor } from "../../kernel/onnx.ts";
import { readStudent } from "../../kernel/student.ts";
import type { EngineInput, EngineOutput } from "../../wire/engine-protocol.ts";
import { BatchRunner } from "../../webgpu/batch.ts";
import { describe, findAdapter, Gpu } from "../../webgpu/device.ts";
import { placeStudent } from "../../webgpu/model.ts";
import type { FromRows } from "./calibration.ts";
import { Choices, type Circumstances } from "./choices.ts";
import { Turn } from "./stops.ts";
import type { FoundGpu } from "./two-engines.ts";

/** Of a model and the engine that it has already. */
type Candidate = Pick<Circumstances, "graph" | "threads">;

/** For "auto": a processor that plays a GPU is not worth a measurement. */
export async function findHardware(candidate: Candidate): Promise<FoundGpu | string> {
  const adapter = await findAdapter(navigator.gpu);
  if (typeof adapter === "string") return adapter;
  if (adapter.info.isFallbackAdapter) return `${describe(adapter)} is software`;
  return withChoices(adapter, candidate);
}

/** Whatever adapter there is. */
export async function findAny(candidate: Candidate): Promise<FoundGpu | string> {
  const adapter = await findAdapter(navigator.gpu);
  return typeof adapter === "string" ? adapter : withChoices(adapter, candidate);
}

async function withChoices(adapter: GPUAdapter, candidate: Candidate): Promise<FoundGpu> {
  const choices = new Choices<FromRows>(caches, "gpu");
  const here = { ...candidate, adapter: describe(adapter), browser: navigator.userAgent };
  return {
    adapter: here.adapter,
    measured: await choices.find(here),
    keep: (fromRows) => choices.keep(here, fromRows),
    forget: () => choices.forget(here),
  };
}

export class WebGpuEngine {
  readonly #gpu: Gpu;
  readonly #runner: BatchRunner;

  /**
   * Others are heard while it starts.
   *
   * @throws DragomanError "bundle-corrupt"; "engine": there is no adapter (any more), or the device
   *   refuses or allows too little.
   */
  static async start(tensors: ReadonlyMap<string, Tensor>): Promise<WebGpuEngine> {
    const student = readStudent(tensors);
    // A new one: an adapter gives one device, and may have expired since it was looked at.
    const adapter = await findAdapter(navigator.gpu);
    if (typeof adapter === "string") throw new DragomanError("engine", adapter, {});
    const gpu = await Gpu.open(adapter);
    const turn = new Turn();
    try {
      return new WebGpuEngine(gpu, new BatchRunner(await placeStudent(gpu, student, () => turn.next())));
    } catch (error) {
      gpu.destroy();
      throw error;
    }
  }

  private constructor(gpu: Gpu, runner: BatchRunner) {
    this.#gpu = gpu;
    this.#runner = runner;
  }

  run(input: EngineInput, pause: Pause): Promise<EngineOutput> {
    return this.#runner.run(input, pause);
  }

  /** The device goes, and every buffer with it. */
  close(): Promise<void> {
    this.#gpu.destroy();
    return Promise.resolve();
  }
}
