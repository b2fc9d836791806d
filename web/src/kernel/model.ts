/** A student in the kernel's memory. */

import type { PlacedModel } from "../wire/engine-protocol.ts";
import { AFTER_RELU, type Address, type Kernel } from "./kernel.ts";
import type { Tensor } from "./onnx.ts";
import { readStudent, type DecoderLayer, type Dense, type EncoderLayer, type Norm, type Student } from "./student.ts";

/** In the order of `kernel/src/model.c`. */
const DENSE = {
  queryKeyValue: 0,
  encoderOutput: 1,
  encoderInner: 2,
  encoderOuter: 3,
  recurrence: 4,
  keyValue: 5,
  query: 6,
  output: 7,
  inner: 8,
  outer: 9,
  logits: 10,
  alignedKey: 11,
  alignedQuery: 12,
} as const;
const NORM = { encoder: 0, encoderFeedForward: 1, recurrence: 2, attention: 3, feedForward: 4 } as const;

/**
 * @throws DragomanError "bundle-corrupt": a tensor is missing or has the wrong size; "engine": there
 *   is no memory.
 */
export function placeModel(kernel: Kernel, tensors: ReadonlyMap<string, Tensor>): PlacedModel {
  return new Placer(kernel, readStudent(tensors)).place();
}

class Placer {
  readonly #kernel: Kernel;
  readonly #student: Student;
  /** Where a matrix lies while it is packed. */
  readonly #stage: Address;
  #model: Address = 0;

  constructor(kernel: Kernel, student: Student) {
    this.#kernel = kernel;
    this.#student = student;
    this.#stage = kernel.need(kernel.functions.area_stage(kernel.area, largestMatrix(student)));
  }

  place(): PlacedModel {
    const { functions } = this.#kernel;
    const { vocabulary, dimension, inner, heads, encoder, decoder, positions, alignment } = this.#student;
    const sizes = [vocabulary, dimension, inner, heads, encoder.length, decoder.length, positions] as const;
    this.#model = this.#kernel.need(functions.model_make(...sizes));
    functions.model_positions(this.#model, this.#floats(this.#student.positionTable), this.#student.embeddingFactor);
    encoder.forEach((layer, number) => { this.#encoderLayer(layer, number); });
    decoder.forEach((layer, number) => { this.#decoderLayer(layer, number); });
    this.#dense(DENSE.logits, 0, this.#student.logits);
    if (alignment) {
      this.#dense(DENSE.alignedKey, 0, alignment.key);
      this.#dense(DENSE.alignedQuery, 0, alignment.query);
    }
    return { address: this.#model, encoderLayers: encoder.length, positions, sourcePieces: vocabulary };
  }

  #encoderLayer(layer: EncoderLayer, number: number): void {
    this.#dense(DENSE.queryKeyValue, number, layer.queryKeyValue);
    this.#dense(DENSE.encoderOutput, number, layer.output);
    this.#norm(NORM.encoder, number, layer.norm);
    this.#dense(DENSE.encoderInner, number, layer.feedForward.inner);
    this.#dense(DENSE.encoderOuter, number, layer.feedForward.outer);
    this.#norm(NORM.encoderFeedForward, number, layer.feedForward.norm);
  }

  #decoderLayer(layer: DecoderLayer, number: number): void {
    this.#dense(DENSE.recurrence, number, layer.recurrence);
    this.#norm(NORM.recurrence, number, layer.recurrenceNorm);
    this.#dense(DENSE.keyValue, number, layer.keyValue);
    this.#dense(DENSE.query, number, layer.query);
    this.#dense(DENSE.output, number, layer.output);
    this.#norm(NORM.attention, number, layer.attentionNorm);
    this.#dense(DENSE.inner, number, layer.feedForward.inner);
    this.#dense(DENSE.outer, number, layer.feedForward.outer);
    this.#norm(NORM.feedForward, number, layer.feedForward.norm);
  }

  #dense(part: number, layer: number, dense: Dense): void {
    const { weights, steps, inputs, outputs, inputScale, weightScale, afterRelu } = dense;
    const bias = this.#floats(dense.bias);
    this.#kernel.bytes(this.#stage, weights.length).set(weights);
    const sizes = [steps.input, steps.output, inputs, outputs] as const;
    const scales = [inputScale, inputScale * weightScale] as const;
    const kind = afterRelu ? AFTER_RELU : 0;
    this.#kernel.need(
      this.#kernel.functions.model_dense(this.#model, part, layer, this.#stage, ...sizes, bias, ...scales, kind),
    );
  }

  #norm(part: number, layer: number, { scale, bias }: Norm): void {
    this.#kernel.functions.model_norm(this.#model, part, layer, this.#floats(scale), this.#floats(bias));
  }

  #floats(bytes: Uint8Array): Address {
    const at = this.#kernel.need(this.#kernel.functions.model_take(this.#model, bytes.length));
    this.#kernel.bytes(at, bytes.length).set(bytes);
    return at;
  }
}

function largestMatrix({ encoder, decoder, logits }: Student): number {
  const matrices = [
    logits,
    ...encoder.flatMap(({ queryKeyValue, output, feedForward }) => [queryKeyValue, output, feedForward.inner, feedForward.outer]),
    ...decoder.flatMap(({ recurrence, keyValue, query, output, feedForward }) => [
      ...[recurrence, keyValue, query, output],
      ...[feedForward.inner, feedForward.outer],
    ]),
  ];
  return Math.max(...matrices.map(({ weights }) => weights.length));
}
