/**
 * The int8 student in an ONNX file (`models/export.py` names the tensors), for whoever computes it.
 *
 * The file is the one that onnxruntime runs natively: int8 weights, one scale a matrix, one scale an
 * input. Shape letters: A size of the alignment head, D dimension, F feed-forward, H heads, V pieces;
 * K inputs, N outputs of a product.
 */

import { DragomanError } from "../wire/errors.ts";
import type { OnnxModel, Tensor } from "./onnx.ts";

/**
 * y = q(x) w * inputScale * weightScale + bias, where q rounds x / inputScale to the nearest integer in
 * [-128, 127], or in [0, 255] after a relu. The bytes are views of the file.
 */
export interface Dense {
  /** int8; w[k][n] is at `k * steps.input + n * steps.output`. */
  readonly weights: Uint8Array<ArrayBuffer>;
  readonly steps: { readonly input: number; readonly output: number };
  /** K */
  readonly inputs: number;
  /** N */
  readonly outputs: number;
  /** float32 [N] */
  readonly bias: Uint8Array<ArrayBuffer>;
  readonly inputScale: number;
  readonly weightScale: number;
  /** Whether the input is a relu's output. */
  readonly afterRelu: boolean;
}

export interface Norm {
  /** float32 [D] */
  readonly scale: Uint8Array<ArrayBuffer>;
  /** float32 [D] */
  readonly bias: Uint8Array<ArrayBuffer>;
}

export interface FeedForward {
  readonly inner: Dense;
  readonly outer: Dense;
  readonly norm: Norm;
}

export interface EncoderLayer {
  /** N = 3 D */
  readonly queryKeyValue: Dense;
  readonly output: Dense;
  readonly norm: Norm;
  readonly feedForward: FeedForward;
}

export interface DecoderLayer {
  /** N = 2 D: candidate, forget gate */
  readonly recurrence: Dense;
  readonly recurrenceNorm: Norm;
  /** N = 2 D */
  readonly keyValue: Dense;
  readonly query: Dense;
  readonly output: Dense;
  readonly attentionNorm: Norm;
  readonly feedForward: FeedForward;
}

export interface Student {
  readonly vocabulary: number;
  readonly dimension: number;
  readonly inner: number;
  readonly heads: number;
  /** Most pieces of a row on either side, EOS included. */
  readonly positions: number;
  /** float32 [positions][D] */
  readonly positionTable: Uint8Array<ArrayBuffer>;
  /** A row of the embedding times this, plus its position, is a first input. */
  readonly embeddingFactor: number;
  readonly encoder: readonly EncoderLayer[];
  readonly decoder: readonly DecoderLayer[];
  /** Its weights are the embedding, transposed. */
  readonly logits: Dense;
  readonly alignment: AlignmentHead | null;
}

/** Tells a step later where a piece comes from. N = A, the head's size. */
export interface AlignmentHead {
  readonly key: Dense;
  readonly query: Dense;
}

const HEAD = "alignment";
const FLOAT32 = 1;
const INT8 = 3;
const INT64 = 7;

/** What the exporter says of a graph that computes what the engines compute (`models/export.py`). */
const KIND = "dragoman.kind";
const PLAIN = "student-int8";
const ALIGNED = "student-int8-aligned";

// The kernel has no bounds of its own: every size is checked against every other one, as
// `engines/student.py` does it.
const MOST_LAYERS = 16;
const MOST_PIECES = 2 ** 20;
const MOST_WIDTH = 2 ** 13;
const MOST_POSITIONS = 2 ** 16;

/** Whether the engines can run it: an int8 student of sizes that fill whole vectors, and are such as they can count. */
export function isRunnable({ metadata, tensors }: OnnxModel): boolean {
  const kind = metadata.get(KIND);
  if (kind !== PLAIN && kind !== ALIGNED) return false;
  const embedding = tensors.get("embedding");
  const [vocabulary = 0, dimension = 0] = embedding?.shape ?? [];
  const inner = tensors.get("encoder.0.feed_forward.inner.int8")?.shape[1] ?? 0;
  const heads = headsOf(tensors);
  const head = tensors.get(`${HEAD}.query.int8`)?.shape[1] ?? 0;
  const encoder = layersOf(tensors, "encoder", "attention.query");
  const decoder = layersOf(tensors, "decoder", "recurrence.candidate");
  return (
    head > 0 === (kind === ALIGNED) &&
    head % 8 === 0 &&
    head <= dimension &&
    embedding?.type === INT8 &&
    heads > 0 &&
    vocabulary % 8 === 0 &&
    inner > 0 &&
    inner % 8 === 0 &&
    dimension % (8 * heads) === 0 &&
    decoder > 0 &&
    Math.max(encoder, decoder) <= MOST_LAYERS &&
    vocabulary <= MOST_PIECES &&
    Math.max(dimension, inner) <= MOST_WIDTH &&
    tensors.has("output.bias")
  );
}

/** @throws DragomanError "bundle-corrupt": a tensor is missing or has the wrong size. */
export function readStudent(tensors: ReadonlyMap<string, Tensor>): Student {
  return new Reader(tensors).student();
}

class Reader {
  readonly #tensors: ReadonlyMap<string, Tensor>;
  readonly #vocabulary: number;
  readonly #width: number;
  readonly #inner: number;

  constructor(tensors: ReadonlyMap<string, Tensor>) {
    this.#tensors = tensors;
    [this.#vocabulary, this.#width] = this.#matrix("embedding");
    [, this.#inner] = this.#matrix("encoder.0.feed_forward.inner.int8");
    if (this.#vocabulary > MOST_PIECES) throw corrupt("embedding has too many pieces");
    if (Math.max(this.#width, this.#inner) > MOST_WIDTH) throw corrupt("a layer is too wide");
  }

  student(): Student {
    const [vocabulary, dimension, inner] = [this.#vocabulary, this.#width, this.#inner];
    const positions = this.#tensor("positions", FLOAT32).shape[0] ?? 0;
    if (positions < 1 || positions > MOST_POSITIONS) throw corrupt(`it has ${positions} positions`);
    this.#checkLayers();
    return {
      vocabulary,
      dimension,
      inner,
      heads: headsOf(this.#tensors),
      positions,
      positionTable: this.#floats("positions", positions * dimension),
      embeddingFactor: this.#number("embedding.factor"),
      encoder: times(layersOf(this.#tensors, "encoder", "attention.query"), (layer) => this.#encoderLayer(layer)),
      decoder: times(layersOf(this.#tensors, "decoder", "recurrence.candidate"), (layer) => this.#decoderLayer(layer)),
      logits: this.#logits(vocabulary, dimension),
      alignment: this.#tensors.has(`${HEAD}.query.int8`) ? this.#alignmentHead() : null,
    };
  }

  /** A part of a layer that is not there is no shorter network. */
  #checkLayers(): void {
    const counts = new Map([
      ["encoder", layersOf(this.#tensors, "encoder", "attention.query")],
      ["decoder", layersOf(this.#tensors, "decoder", "recurrence.candidate")],
    ]);
    if (Math.max(...counts.values()) > MOST_LAYERS) throw corrupt(`more than ${MOST_LAYERS} layers`);
    for (const name of this.#tensors.keys()) {
      const [stack = "", layer = ""] = name.split(".", 2);
      const count = counts.get(stack) ?? Infinity;
      if (Number(layer) >= count) throw corrupt(`it has ${name}, but ${count} layers`);
    }
  }

  #encoderLayer(layer: number): EncoderLayer {
    const name = `encoder.${layer}`;
    const [attention, width] = [`${name}.attention`, this.#width];
    return {
      queryKeyValue: this.#dense(width, 3 * width, [`${attention}.query`, `${attention}.key`, `${attention}.value`]),
      output: this.#dense(width, width, [`${attention}.output`]),
      norm: this.#norm(`${attention}.norm`),
      feedForward: this.#feedForward(name),
    };
  }

  #decoderLayer(layer: number): DecoderLayer {
    const name = `decoder.${layer}`;
    const [attention, width] = [`${name}.attention`, this.#width];
    return {
      recurrence: this.#dense(width, 2 * width, [`${name}.recurrence.candidate`, `${name}.recurrence.forget`]),
      recurrenceNorm: this.#norm(`${name}.recurrence.norm`),
      keyValue: this.#dense(width, 2 * width, [`${attention}.key`, `${attention}.value`]),
      query: this.#dense(width, width, [`${attention}.query`]),
      output: this.#dense(width, width, [`${attention}.output`]),
      attentionNorm: this.#norm(`${attention}.norm`),
      feedForward: this.#feedForward(name),
    };
  }

  #feedForward(layer: string): FeedForward {
    const name = `${layer}.feed_forward`;
    return {
      inner: this.#dense(this.#width, this.#inner, [`${name}.inner`]),
      outer: this.#dense(this.#inner, this.#width, [`${name}.outer`], true),
      norm: this.#norm(`${name}.norm`),
    };
  }

  #alignmentHead(): AlignmentHead {
    const size = this.#tensor(`${HEAD}.query.int8`, INT8).shape[1] ?? 0;
    return {
      key: this.#dense(this.#width, size, [`${HEAD}.key`]),
      query: this.#dense(this.#width, size, [`${HEAD}.query`]),
    };
  }

  #logits(vocabulary: number, dimension: number): Dense {
    return {
      weights: this.#tensor("embedding", INT8).bytes,
      steps: { input: 1, output: dimension },
      inputs: dimension,
      outputs: vocabulary,
      bias: this.#floats("output.bias", vocabulary),
      inputScale: this.#number("output.scale"),
      weightScale: this.#number("output.weight_scale"),
      afterRelu: false,
    };
  }

  /** Several products of one input lie side by side in one matrix. */
  #dense(inputs: number, outputs: number, names: readonly [string, ...string[]], afterRelu = false): Dense {
    const all = names.join("+");
    const [rows, columns] = this.#matrix(`${all}.int8`);
    if (rows !== inputs || columns !== outputs) throw corrupt(`${all} is ${rows} by ${columns}`);
    return {
      weights: this.#tensor(`${all}.int8`, INT8).bytes,
      steps: { input: outputs, output: 1 },
      inputs,
      outputs,
      bias: this.#floats(`${all}.bias`, outputs),
      inputScale: this.#number(`${names[0]}.scale`),
      weightScale: this.#number(`${all}.weight_scale`),
      afterRelu,
    };
  }

  #norm(name: string): Norm {
    return { scale: this.#floats(`${name}.scale`, this.#width), bias: this.#floats(`${name}.bias`, this.#width) };
  }

  #floats(name: string, count: number): Uint8Array<ArrayBuffer> {
    const { bytes } = this.#tensor(name, FLOAT32);
    if (bytes.length !== 4 * count) throw corrupt(`${name} has ${bytes.length} bytes, not ${4 * count}`);
    return bytes;
  }

  #number(name: string): number {
    const { bytes } = this.#tensor(name, FLOAT32);
    if (bytes.length !== 4) throw corrupt(`${name} is no single number`);
    const number = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);
    if (!(Number.isFinite(number) && number > 0)) throw corrupt(`${name} is ${number}`);
    return number;
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

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function layersOf(tensors: ReadonlyMap<string, Tensor>, stack: string, part: string): number {
  let layer = 0;
  while (tensors.has(`${stack}.${layer}.${part}.scale`)) layer++;
  return layer;
}

/** Of the shape that splits vectors into heads: [0, 0, heads, size]; heads of that size fill a vector. */
function headsOf(tensors: ReadonlyMap<string, Tensor>): number {
  const shape = tensors.get("shape.heads");
  if (shape?.type !== INT64 || shape.bytes.length !== 32) return 0;
  const view = new DataView(shape.bytes.buffer, shape.bytes.byteOffset);
  const [heads, size] = [Number(view.getBigInt64(16, true)), Number(view.getBigInt64(24, true))];
  return heads * size === tensors.get("embedding")?.shape[1] ? heads : 0;
}

function corrupt(why: string): DragomanError {
  return new DragomanError("bundle-corrupt", `the model graph cannot be used: ${why}`, {});
}
