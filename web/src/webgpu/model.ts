/** A student on a GPU device: its weights as `shaders.ts` reads them, and the compiled shaders. */

import type { Pause } from "../kernel/batch.ts";
import type { AlignmentHead, DecoderLayer, Dense, EncoderLayer, FeedForward, Norm, Student } from "../kernel/student.ts";
import type { Gpu } from "./device.ts";
import * as shaders from "./shaders.ts";

export interface PlacedDense {
  /** [K / 16][N], sixteen bytes each. */
  readonly weights: GPUBuffer;
  /** [N]: correction, bias. */
  readonly columns: GPUBuffer;
  readonly inputs: number;
  readonly outputs: number;
  readonly inputScale: number;
  /** Of a sum. */
  readonly scale: number;
}

/** [2][D]: scale, bias. */
export type PlacedNorm = GPUBuffer;

/** A part of a student with its matrices and norms on the device. */
type Placed<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends Dense
    ? PlacedDense
    : Part[Name] extends Norm
      ? PlacedNorm
      : Placed<Part[Name]>;
};

export type PlacedEncoderLayer = Placed<EncoderLayer>;
export type PlacedDecoderLayer = Placed<DecoderLayer>;
export type PlacedFeedForward = Placed<FeedForward>;
export type PlacedAlignmentHead = Placed<AlignmentHead>;

export interface GpuModel {
  readonly gpu: Gpu;
  readonly sizes: Pick<Student, "vocabulary" | "dimension" | "inner" | "heads" | "positions" | "embeddingFactor">;
  /** [positions][D] */
  readonly positionTable: GPUBuffer;
  readonly encoder: readonly PlacedEncoderLayer[];
  readonly decoder: readonly PlacedDecoderLayer[];
  readonly logits: PlacedDense;
  readonly alignment: PlacedAlignmentHead | null;
  readonly pipelines: Pipelines;
}

const SOURCES = {
  embed: shaders.EMBED,
  dense: shaders.DENSE,
  denseRelu: shaders.DENSE_RELU,
  attend: shaders.ATTEND,
  align: shaders.ALIGN,
  normalize: shaders.NORMALIZE,
  recur: shaders.RECUR,
  quantize: shaders.QUANTIZE,
  choose: shaders.CHOOSE,
  advance: shaders.ADVANCE,
} as const;

export type Pipelines = Readonly<Record<keyof typeof SOURCES, GPUComputePipeline>>;

/** Inputs in a vector of weights. */
const VECTOR = 16;

/**
 * `pause` is awaited after each matrix: packing is this thread's work.
 *
 * @throws DragomanError "engine": the device's limits, or the device itself; what `pause` rejects with.
 */
export async function placeStudent(gpu: Gpu, student: Student, pause: Pause): Promise<GpuModel> {
  // Scores of all heads for one query (`attend`).
  const scores = student.heads * student.positions;
  gpu.checkLimit("maxComputeWorkgroupStorageSize", 4 * scores);
  return gpu.checked(async () => {
    const pipelines = await compile(gpu, { attend: scores, align: student.positions });
    const placer = new Placer(gpu, pause);
    const { vocabulary, dimension, inner, heads, positions, embeddingFactor, alignment } = student;
    return {
      gpu,
      sizes: { vocabulary, dimension, inner, heads, positions, embeddingFactor },
      positionTable: gpu.filled(student.positionTable),
      encoder: await inOrder(student.encoder, (layer) => placer.encoderLayer(layer)),
      decoder: await inOrder(student.decoder, (layer) => placer.decoderLayer(layer)),
      logits: await placer.dense(student.logits),
      alignment: alignment && {
        key: await placer.dense(alignment.key),
        query: await placer.dense(alignment.query),
      },
      pipelines,
    };
  });
}

/** `scores`: most scores in a workgroup, of the shaders that have any. */
async function compile(gpu: Gpu, scores: Readonly<Record<string, number>>): Promise<Pipelines> {
  const compiled = Object.entries(SOURCES).map(async ([name, code]) => {
    const most = scores[name];
    return [name, await gpu.pipeline(code, most ? { SCORES: most } : undefined)] as const;
  });
  return Object.fromEntries(await Promise.all(compiled)) as Pipelines;
}

class Placer {
  readonly #gpu: Gpu;
  readonly #pause: Pause;

  constructor(gpu: Gpu, pause: Pause) {
    this.#gpu = gpu;
    this.#pause = pause;
  }

  async encoderLayer(layer: EncoderLayer): Promise<PlacedEncoderLayer> {
    return {
      queryKeyValue: await this.dense(layer.queryKeyValue),
      output: await this.dense(layer.output),
      norm: this.#norm(layer.norm),
      feedForward: await this.#feedForward(layer.feedForward),
    };
  }

  async decoderLayer(layer: DecoderLayer): Promise<PlacedDecoderLayer> {
    return {
      recurrence: await this.dense(layer.recurrence),
      recurrenceNorm: this.#norm(layer.recurrenceNorm),
      keyValue: await this.dense(layer.keyValue),
      query: await this.dense(layer.query),
      output: await this.dense(layer.output),
      attentionNorm: this.#norm(layer.attentionNorm),
      feedForward: await this.#feedForward(layer.feedForward),
    };
  }

  async dense(dense: Dense): Promise<PlacedDense> {
    const { inputs, outputs, inputScale, weightScale } = dense;
    const { weights, columns } = packDense(dense);
    const placed = { weights: this.#gpu.filled(weights), columns: this.#gpu.filled(columns) };
    await this.#pause();
    return { ...placed, inputs, outputs, inputScale, scale: Math.fround(inputScale * weightScale) };
  }

  async #feedForward({ inner, outer, norm }: FeedForward): Promise<PlacedFeedForward> {
    return { inner: await this.dense(inner), outer: await this.dense(outer), norm: this.#norm(norm) };
  }

  #norm({ scale, bias }: Norm): PlacedNorm {
    const both = new Uint8Array(scale.length + bias.length);
    both.set(scale);
    both.set(bias, scale.length);
    return this.#gpu.filled(both);
  }
}

/** `weights` [K / 16][N][16], zeros beyond K; `columns` [N]: int32 correction, float32 bias. */
export function packDense(dense: Dense): { weights: Uint8Array<ArrayBuffer>; columns: Uint8Array<ArrayBuffer> } {
  const { inputs, outputs, steps, afterRelu } = dense;
  const from = new Int8Array(dense.weights.buffer, dense.weights.byteOffset, dense.weights.length);
  const weights = new Int8Array(vectorsOf(inputs) * outputs * VECTOR);
  const sums = new Int32Array(outputs);
  for (let k = 0; k < inputs; k++) {
    const vector = (k - (k % VECTOR)) * outputs + (k % VECTOR);
    for (let n = 0; n < outputs; n++) {
      const weight = from[k * steps.input + n * steps.output] ?? 0;
      weights[vector + n * VECTOR] = weight;
      sums[n] = (sums[n] ?? 0) + weight;
    }
  }
  const columns = new DataView(new ArrayBuffer(8 * outputs));
  const bias = new DataView(dense.bias.buffer, dense.bias.byteOffset);
  sums.forEach((sum, n) => {
    columns.setInt32(8 * n, afterRelu ? 128 * sum : 0, true);
    columns.setFloat32(8 * n + 4, bias.getFloat32(4 * n, true), true);
  });
  return { weights: new Uint8Array(weights.buffer), columns: new Uint8Array(columns.buffer) };
}

/** Vectors of sixteen bytes that so many inputs take. */
export function vectorsOf(inputs: number): number {
  return Math.ceil(inputs / VECTOR);
}

async function inOrder<T, U>(items: readonly T[], each: (item: T) => Promise<U>): Promise<U[]> {
  const results: U[] = [];
  for (const item of items) results.push(await each(item));
  return results;
}
