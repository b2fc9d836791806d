/**
 * A model in the kernel's memory, out of the tensors of its ONNX file (`models/export.py` names them).
 *
 * The file is the one that onnxruntime runs natively: int8 weights [inputs, outputs], one scale a
 * matrix, one scale an input.
 */

import { DragomanError } from "../errors.ts";
import type { PlacedModel } from "../protocol.ts";
import type { Address, Kernel } from "./kernel.ts";
import type { OnnxModel, Tensor } from "./onnx.ts";

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
} as const;
const NORM = { encoder: 0, encoderFeedForward: 1, recurrence: 2, attention: 3, feedForward: 4 } as const;

const FLOAT32 = 1;
const INT8 = 3;
const INT64 = 7;
const MOST_LAYERS = 16;

/** What the exporter says of a graph that computes what the kernel computes (`models/export.py`). */
const KIND = ["dragoman.kind", "student-int8"] as const;

/** Whether the kernel can run it: an int8 student of sizes that fill whole vectors. */
export function isRunnable({ metadata, tensors }: OnnxModel): boolean {
  if (metadata.get(KIND[0]) !== KIND[1]) return false;
  const embedding = tensors.get("embedding");
  const [vocabulary = 0, dimension = 0] = embedding?.shape ?? [];
  const inner = tensors.get("encoder.0.feed_forward.inner.int8")?.shape[1] ?? 0;
  const heads = headsOf(tensors);
  return (
    embedding?.type === INT8 &&
    heads > 0 &&
    vocabulary % 8 === 0 &&
    inner > 0 &&
    inner % 8 === 0 &&
    dimension % (8 * heads) === 0 &&
    layersOf(tensors, "decoder", "recurrence.candidate") > 0 &&
    tensors.has("output.bias")
  );
}

/**
 * @throws DragomanError "bundle-corrupt": a tensor is missing or has the wrong size; "engine": there
 *   is no memory.
 */
export function placeModel(kernel: Kernel, tensors: ReadonlyMap<string, Tensor>): PlacedModel {
  return new Placer(kernel, tensors).place();
}

class Placer {
  readonly #kernel: Kernel;
  readonly #tensors: ReadonlyMap<string, Tensor>;
  /** Where a matrix lies while it is packed. */
  readonly #stage: Address;
  #model: Address = 0;

  constructor(kernel: Kernel, tensors: ReadonlyMap<string, Tensor>) {
    this.#kernel = kernel;
    this.#tensors = tensors;
    const matrices = [...tensors.values()].filter(({ type }) => type === INT8);
    const largest = Math.max(...matrices.map(({ bytes }) => bytes.length));
    this.#stage = kernel.need(kernel.functions.area_stage(kernel.area, largest));
  }

  place(): PlacedModel {
    const { functions } = this.#kernel;
    const [vocabulary, dimension] = this.#matrix("embedding");
    const [, inner] = this.#matrix("encoder.0.feed_forward.inner.int8");
    const positions = this.#tensor("positions", FLOAT32).shape[0] ?? 0;
    const encoderLayers = layersOf(this.#tensors, "encoder", "attention.query");
    const decoderLayers = layersOf(this.#tensors, "decoder", "recurrence.candidate");
    if (Math.max(encoderLayers, decoderLayers) > MOST_LAYERS) {
      throw corrupt(`it has more than ${MOST_LAYERS} layers`);
    }
    const heads = headsOf(this.#tensors);
    const sizes = [vocabulary, dimension, inner, heads, encoderLayers, decoderLayers, positions] as const;
    this.#model = this.#kernel.need(functions.model_make(...sizes));
    functions.model_positions(
      this.#model,
      this.#floats("positions", positions * dimension),
      this.#number("embedding.factor"),
    );
    for (let layer = 0; layer < encoderLayers; layer++) this.#encoderLayer(layer);
    for (let layer = 0; layer < decoderLayers; layer++) this.#decoderLayer(layer);
    this.#logits(vocabulary, dimension);
    return { address: this.#model, encoderLayers, positions };
  }

  #encoderLayer(layer: number): void {
    const name = `encoder.${layer}`;
    const attention = `${name}.attention`;
    this.#dense(DENSE.queryKeyValue, layer, [`${attention}.query`, `${attention}.key`, `${attention}.value`]);
    this.#dense(DENSE.encoderOutput, layer, [`${attention}.output`]);
    this.#norm(NORM.encoder, layer, `${attention}.norm`);
    this.#dense(DENSE.encoderInner, layer, [`${name}.feed_forward.inner`]);
    this.#dense(DENSE.encoderOuter, layer, [`${name}.feed_forward.outer`], true);
    this.#norm(NORM.encoderFeedForward, layer, `${name}.feed_forward.norm`);
  }

  #decoderLayer(layer: number): void {
    const name = `decoder.${layer}`;
    const attention = `${name}.attention`;
    this.#dense(DENSE.recurrence, layer, [`${name}.recurrence.candidate`, `${name}.recurrence.forget`]);
    this.#norm(NORM.recurrence, layer, `${name}.recurrence.norm`);
    this.#dense(DENSE.keyValue, layer, [`${attention}.key`, `${attention}.value`]);
    this.#dense(DENSE.query, layer, [`${attention}.query`]);
    this.#dense(DENSE.output, layer, [`${attention}.output`]);
    this.#norm(NORM.attention, layer, `${attention}.norm`);
    this.#dense(DENSE.inner, layer, [`${name}.feed_forward.inner`]);
    this.#dense(DENSE.outer, layer, [`${name}.feed_forward.outer`], true);
    this.#norm(NORM.feedForward, layer, `${name}.feed_forward.norm`);
  }

  /** The output layer's matrix is the embedding, transposed. */
  #logits(vocabulary: number, dimension: number): void {
    const scales = [this.#number("output.scale"), this.#number("output.weight_scale")] as const;
    const bias = this.#floats("output.bias", vocabulary);
    const from = this.#staged("embedding");
    const steps = [1, dimension] as const;
    this.#pack(DENSE.logits, 0, from, steps, [dimension, vocabulary], bias, scales, false);
  }

  /** Several products of one input lie side by side in one matrix. */
  #dense(part: number, layer: number, names: readonly [string, ...string[]], afterRelu = false): void {
    const all = names.join("+");
    const [inputs, outputs] = this.#matrix(`${all}.int8`);
    const scales = [this.#number(`${names[0]}.scale`), this.#number(`${all}.weight_scale`)] as const;
    const bias = this.#floats(`${all}.bias`, outputs);
    const from = this.#staged(`${all}.int8`);
    this.#pack(part, layer, from, [outputs, 1], [inputs, outputs], bias, scales, afterRelu);
  }

  #pack(
    part: number,
    layer: number,
    from: Address,
    steps: readonly [input: number, output: number],
    sizes: readonly [inputs: number, outputs: number],
    bias: Address,
    scales: readonly [input: number, weight: number],
    afterRelu: boolean,
  ): void {
    const { functions } = this.#kernel;
    this.#kernel.need(
      functions.model_dense(this.#model, part, layer, from, ...steps, ...sizes, bias, ...scales, +afterRelu),
    );
  }

  #norm(part: number, layer: number, name: string): void {
    const count = this.#tensor(`${name}.scale`, FLOAT32).shape[0] ?? 0;
    const scale = this.#floats(`${name}.scale`, count);
    this.#kernel.functions.model_norm(this.#model, part, layer, scale, this.#floats(`${name}.bias`, count));
  }

  #staged(name: string): Address {
    const { bytes } = this.#tensor(name, INT8);
    this.#kernel.bytes(this.#stage, bytes.length).set(bytes);
    return this.#stage;
  }

  #floats(name: string, count: number): Address {
    const { bytes } = this.#tensor(name, FLOAT32);
    if (bytes.length !== 4 * count) throw corrupt(`${name} has ${bytes.length} bytes, not ${4 * count}`);
    const at = this.#kernel.need(this.#kernel.functions.model_take(this.#model, bytes.length));
    this.#kernel.bytes(at, bytes.length).set(bytes);
    return at;
  }

  #number(name: string): number {
    const { bytes } = this.#tensor(name, FLOAT32);
    if (bytes.length !== 4) throw corrupt(`${name} is no single number`);
    return new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);
  }

  #matrix(name: string): [rows: number, columns: number] {
    const { shape, bytes } = this.#tensor(name, INT8);
    const [rows = 0, columns = 0] = shape;
    if (shape.length !== 2 || rows * columns !== bytes.length || !bytes.length) {
      throw corrupt(`${name} is no matrix of ${shape.join(" by ")} bytes`);
    }
    return [rows, columns];
  }

  #tensor(name: string, type: number): Tensor {
    const tensor = this.#tensors.get(name);
    if (tensor?.type !== type) throw corrupt(`${name} is missing or of another type`);
    return tensor;
  }
}

function layersOf(tensors: ReadonlyMap<string, Tensor>, stack: string, part: string): number {
  let layer = 0;
  while (tensors.has(`${stack}.${layer}.${part}.scale`)) layer++;
  return layer;
}

/** The third entry of the shape that splits vectors into heads: [0, 0, heads, size]. */
function headsOf(tensors: ReadonlyMap<string, Tensor>): number {
  const shape = tensors.get("shape.heads");
  if (shape?.type !== INT64 || shape.bytes.length !== 32) return 0;
  return Number(new DataView(shape.bytes.buffer, shape.bytes.byteOffset).getBigInt64(16, true));
}

function corrupt(why: string): DragomanError {
  return new DragomanError("bundle-corrupt", `the model graph cannot be used: ${why}`, {});
}
