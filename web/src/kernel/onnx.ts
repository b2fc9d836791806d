/**
 * The metadata and the stored tensors of an ONNX model, without copying them.
 *
 * A reader of as much of the protobuf wire format as that takes: ModelProto.graph (7), metadata_props
 * (14: key 1, value 2), GraphProto.initializer (5), TensorProto.dims (1), data_type (2), name (8),
 * raw_data (9); see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
 */

import { DragomanError } from "../wire/errors.ts";

export interface Tensor {
  readonly name: string;
  /** TensorProto.DataType: 1 float32, 3 int8, 7 int64. */
  readonly type: number;
  readonly shape: readonly number[];
  /** A view of the model: little-endian, row-major. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface OnnxModel {
  readonly metadata: ReadonlyMap<string, string>;
  readonly tensors: ReadonlyMap<string, Tensor>;
}

const MODEL = { graph: 7, metadata: 14 };
const ENTRY = { key: 1, value: 2 };
const GRAPH_INITIALIZER = 5;
const TENSOR = { dims: 1, type: 2, name: 8, raw: 9 };
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 };

/** @throws DragomanError "bundle-corrupt": the bytes are not an ONNX model. */
export function readModel(bytes: Uint8Array): OnnxModel {
  const metadata = new Map<string, string>();
  const tensors = new Map<string, Tensor>();
  for (const field of fields(bytes)) {
    if (!field.bytes) continue;
    if (field.number === MODEL.metadata) metadata.set(...readEntry(field.bytes));
    else if (field.number === MODEL.graph) readGraph(field.bytes, tensors);
  }
  if (!tensors.size) throw notOnnx("it holds no tensors");
  return { metadata, tensors };
}

function readGraph(message: Uint8Array, tensors: Map<string, Tensor>): void {
  for (const field of fields(message)) {
    if (field.number !== GRAPH_INITIALIZER || !field.bytes) continue;
    const tensor = readTensor(field.bytes);
    tensors.set(tensor.name, tensor);
  }
}

function readEntry(message: Uint8Array): [key: string, value: string] {
  let key = "";
  let value = "";
  for (const field of fields(message)) {
    if (field.number === ENTRY.key && field.bytes) key = text(field.bytes);
    else if (field.number === ENTRY.value && field.bytes) value = text(field.bytes);
  }
  return [key, value];
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function readTensor(message: Uint8Array): Tensor {
  let name = "";
  let type = 0;
  let bytes = new Uint8Array(0);
  const shape: number[] = [];
  for (const field of fields(message)) {
    if (field.number === TENSOR.dims) for (const size of field.bytes ? varints(field.bytes) : [field.value]) shape.push(size);
    else if (field.number === TENSOR.type) type = field.value;
    else if (field.number === TENSOR.name && field.bytes) name = text(field.bytes);
    else if (field.number === TENSOR.raw && field.bytes) bytes = field.bytes;
  }
  return { name, type, shape, bytes };
}

interface Field {
  readonly number: number;
  /** Of a varint; else 0. */
  readonly value: number;
  /** Of a length-delimited field. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

function* fields(message: Uint8Array): Generator<Field> {
  let at = 0;
  while (at < message.length) {
    const [key, start] = varint(message, at);
    const number = Math.floor(key / 8);
    switch (key % 8) {
      case WIRE.varint: {
        const [value, end] = varint(message, start);
        yield { number, value };
        at = end;
        break;
      }
      case WIRE.bytes: {
        const [length, from] = varint(message, start);
        at = from + length;
        if (at > message.length) throw notOnnx(`a field of ${length} bytes runs over its end`);
        yield { number, value: 0, bytes: message.subarray(from, at) as Uint8Array<ArrayBuffer> };
        break;
      }
      case WIRE.fixed64:
        at = start + 8;
        break;
      case WIRE.fixed32:
        at = start + 4;
        break;
      default:
        throw notOnnx(`wire type ${key % 8} is unknown`);
    }
  }
}

function varints(packed: Uint8Array): number[] {
  const values: number[] = [];
  for (let at = 0; at < packed.length; ) {
    const [value, end] = varint(packed, at);
    values.push(value);
    at = end;
  }
  return values;
}

/** The value and where it ends; exact up to 2^53. */
function varint(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from, factor = 1; at < from + 10; at++, factor *= 128) {
    const byte = bytes[at];
    if (byte === undefined) throw notOnnx("it is cut short");
    value += (byte & 127) * factor;
    if (byte < 128) return [value, at + 1];
  }
  throw notOnnx("a number has no end");
}

function notOnnx(why: string): DragomanError {
  return new DragomanError("bundle-corrupt", `the model graph is not an ONNX model: ${why}`, {});
}
