/** onnxruntime-web as an engine, for graphs that the kernel cannot run (float32, other sizes). */

import type * as Ort from "onnxruntime-web";
import type { Place } from "../../base/addresses.ts";
import { DragomanError } from "../../wire/errors.ts";
import type { EngineInput, EngineOutput } from "../../wire/engine-protocol.ts";

const OUTPUTS = ["target_ids", "log_probabilities"] as const;

type Runtime = typeof Ort;

export class OrtEngine {
  readonly #ort: Runtime;
  readonly #session: Ort.InferenceSession;

  /** @throws DragomanError "not-supported" */
  static async start({ base }: Place, graph: Uint8Array, threads: number): Promise<OrtEngine> {
    const folder = new URL("runtime/ort/", base).href;
    const ort = (await import(`${folder}ort.wasm.min.mjs`).catch((error: unknown) => {
      const why = `the model needs onnxruntime-web, which is not among the files: ${String(error)}`;
      throw new DragomanError("not-supported", why);
    })) as Runtime;
    ort.env.wasm.wasmPaths = folder;
    ort.env.wasm.numThreads = threads;
    return new OrtEngine(ort, await ort.InferenceSession.create(graph, { executionProviders: ["wasm"] }));
  }

  private constructor(ort: Runtime, session: Ort.InferenceSession) {
    this.#ort = ort;
    this.#session = session;
  }

  /** In one piece: nothing can stop it. */
  async run({ ids, lengths, limits, rows, width, attention, beams }: EngineInput): Promise<EngineOutput> {
    if (beams) {
      throw new DragomanError("engine", "this model's graph searches greedily: it has no beams, alternatives or prefixes");
    }
    const { Tensor } = this.#ort;
    const feeds = {
      source_ids: new Tensor("int32", ids, [rows, width]),
      lengths: new Tensor("int32", lengths, [rows]),
      limits: new Tensor("int32", limits, [rows]),
    };
    const output = await this.#session.run(feeds, attention ? [...OUTPUTS, "attention"] : [...OUTPUTS]);
    const targetIds = named(output, "target_ids");
    return {
      steps: targetIds.dims[1] ?? 0,
      ids: targetIds.data as Int32Array,
      logProbabilities: named(output, "log_probabilities").data as Float32Array,
      attention: attention ? (named(output, "attention").data as Float32Array) : new Float32Array(0),
    };
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

function named(output: Ort.InferenceSession.ReturnType, name: string): Ort.Tensor {
  const tensor = output[name];
  if (!tensor) throw new Error(`the graph gave no ${name}`);
  return tensor;
}
