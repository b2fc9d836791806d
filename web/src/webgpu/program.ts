/**
 * What is dispatched for a mini-batch, in order: the encoder once, then the decoder's step again and
 * again. Nothing in it depends on the step or on the rows that are left: the device keeps count.
 */

import type { GpuModel, PlacedAlignmentHead, PlacedDense, PlacedFeedForward, PlacedNorm, Pipelines } from "./model.ts";
import { vectorsOf } from "./model.ts";
import { TILE } from "./shaders.ts";
import type { Rows, Workspace } from "./workspace.ts";

/** A shader with its buffers. */
interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindings: GPUBindGroup;
  /** Workgroups for so many rows. */
  readonly workgroups: (rows: number) => readonly [x: number, y: number];
}

export interface Program {
  readonly encode: readonly Dispatch[];
  readonly step: readonly Dispatch[];
}

/** Dispatch all; what is beyond the rows that are left does nothing. */
export function record(encoder: GPUCommandEncoder, dispatches: readonly Dispatch[], rows: number): void {
  const pass = encoder.beginComputePass();
  for (const { pipeline, bindings, workgroups } of dispatches) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(...workgroups(rows));
  }
  pass.end();
}

/** Without `attention` nothing is computed that only alignment needs. */
export function makeProgram(model: GpuModel, workspace: Workspace, attention: boolean): Program {
  const writer = new Writer(attention ? model : { ...model, alignment: null }, workspace);
  return { encode: writer.encode(), step: writer.step() };
}

const oneEach = (rows: number): readonly [number, number] => [rows, 1];

class Writer {
  readonly #model: GpuModel;
  readonly #workspace: Workspace;

  constructor(model: GpuModel, workspace: Workspace) {
    this.#model = model;
    this.#workspace = workspace;
  }

  encode(): Dispatch[] {
    const { encoder, decoder, sizes, alignment } = this.#model;
    const { source, wide, memories, aligned } = this.#workspace;
    const inputs = [...encoder.map(({ queryKeyValue }) => queryKeyValue), ...decoder.map(({ keyValue }) => keyValue)];
    const attention = { query: 3 * sizes.dimension, memory: 3 * sizes.dimension, keys: sizes.dimension, kept: false };
    return [
      this.#embed(source, scaleOf(inputs, 0)),
      ...encoder.flatMap(({ queryKeyValue, output, norm, feedForward }, layer) => [
        this.#dense(queryKeyValue, source, wide),
        this.#attend(source, wide, wide, attention, output.inputScale),
        this.#dense(output, source, wide),
        this.#normalize(source, norm, feedForward.inner.inputScale),
        ...this.#feedForward(source, feedForward, scaleOf(inputs, layer + 1)),
      ]),
      // The same input, each time in another scale; the first is there already.
      ...decoder.flatMap(({ keyValue }, layer) => [
        ...(layer ? [this.#quantize(source, keyValue.inputScale)] : []),
        this.#dense(keyValue, source, at(memories, layer)),
      ]),
      ...(alignment ? [this.#quantize(source, alignment.key.inputScale), this.#dense(alignment.key, source, aligned)] : []),
    ];
  }

  step(): Dispatch[] {
    const { decoder, logits, sizes, alignment } = this.#model;
    const { target, wide, memories, states } = this.#workspace;
    const inputs = [...decoder.map(({ recurrence }) => recurrence), logits];
    const attention = { query: sizes.dimension, memory: 2 * sizes.dimension, keys: 0 };
    const isLast = (number: number): boolean => number === decoder.length - 1;
    return [
      this.#embed(target, scaleOf(inputs, 0)),
      ...decoder.flatMap((layer, number) => [
        this.#dense(layer.recurrence, target, wide),
        this.#recur(layer.recurrenceNorm, at(states, number), layer.query.inputScale),
        ...(alignment && isLast(number) ? this.#align(alignment, layer.query.inputScale) : []),
        this.#dense(layer.query, target, wide),
        this.#attend(
          target,
          wide,
          at(memories, number),
          { ...attention, kept: isLast(number) && !alignment },
          layer.output.inputScale,
        ),
        this.#dense(layer.output, target, wide),
        this.#normalize(target, layer.attentionNorm, layer.feedForward.inner.inputScale),
        ...this.#feedForward(target, layer.feedForward, scaleOf(inputs, number + 1)),
      ]),
      this.#dense(logits, target, this.#workspace.logits),
      this.#choose(),
      this.#advance(),
    ];
  }

  #embed(rows: Rows, scale: number): Dispatch {
    const { positionTable, logits } = this.#model;
    const buffers = [this.#workspace.x, logits.weights, positionTable, rows.pieces, rows.places];
    return this.#overRow("embed", rows, scale, buffers);
  }

  #normalize(rows: Rows, norm: PlacedNorm, scale: number): Dispatch {
    return this.#overRow("normalize", rows, scale, [this.#workspace.x, norm, this.#workspace.wide]);
  }

  #recur(norm: PlacedNorm, states: GPUBuffer, scale: number): Dispatch {
    const { x, wide, target } = this.#workspace;
    return this.#overRow("recur", target, scale, [x, norm, wide, states, target.rowOf]);
  }

  #quantize(rows: Rows, scale: number): Dispatch {
    return this.#overRow("quantize", rows, scale, [this.#workspace.x]);
  }

  /** A shader with the bindings of `Row`. */
  #overRow(name: keyof Pipelines, rows: Rows, scale: number, buffers: readonly GPUBuffer[]): Dispatch {
    const { dimension, vocabulary, embeddingFactor } = this.#model.sizes;
    const row = [dimension / 4, 4 * vectorsOf(dimension), { float: scale }, { float: embeddingFactor }, vocabulary];
    return this.#dispatch(name, row, [rows.progress, this.#workspace.q, ...buffers], oneEach);
  }

  #feedForward(rows: Rows, { inner, outer, norm }: PlacedFeedForward, scale: number): Dispatch[] {
    const { q, wide } = this.#workspace;
    return [
      this.#product("denseRelu", inner, rows, q, this.#workspace.inner, outer.inputScale),
      this.#product("dense", outer, rows, this.#workspace.inner, wide),
      this.#normalize(rows, norm, scale),
    ];
  }

  #dense(dense: PlacedDense, rows: Rows, y: GPUBuffer): Dispatch {
    return this.#product("dense", dense, rows, this.#workspace.q, y);
  }

  #product(
    name: "dense" | "denseRelu",
    { inputs, outputs, scale, weights, columns }: PlacedDense,
    rows: Rows,
    q: GPUBuffer,
    y: GPUBuffer,
    nextScale = 1,
  ): Dispatch {
    const fields = [vectorsOf(inputs), outputs, { float: scale }, { float: nextScale }, 4 * vectorsOf(outputs)];
    return this.#dispatch(name, fields, [rows.progress, weights, columns, q, y], (count) => [
      Math.ceil(count / TILE.rows),
      Math.ceil(outputs / TILE.columns),
    ]);
  }

  /** Steps, and what lies before the keys, in dimensions. */
  #attend(
    rows: Rows,
    queries: GPUBuffer,
    memory: GPUBuffer,
    step: { readonly query: number; readonly memory: number; readonly keys: number; readonly kept: boolean },
    scale: number,
  ): Dispatch {
    const { dimension, heads } = this.#model.sizes;
    const { sentences, q, attention } = this.#workspace;
    const fields = [
      ...[dimension / 4, heads, step.query / 4, step.memory / 4, step.keys / 4],
      ...[{ float: scale }, 4 * vectorsOf(dimension), Number(step.kept)],
    ];
    const buffers = [rows.progress, queries, memory, rows.rowOf, sentences, q, attention];
    return this.#dispatch("attend", fields, buffers, oneEach);
  }

  /** Afterwards the input is quantized again, in the scale that comes next. */
  #align({ query }: PlacedAlignmentHead, scale: number): Dispatch[] {
    const { target, wide, aligned, sentences, attention } = this.#workspace;
    const buffers = [target.progress, wide, aligned, target.rowOf, sentences, attention];
    return [
      this.#quantize(target, query.inputScale),
      this.#dense(query, target, wide),
      this.#dispatch("align", [query.outputs / 4], buffers, oneEach),
      this.#quantize(target, scale),
    ];
  }

  #choose(): Dispatch {
    const { target, logits, chosen, sums } = this.#workspace;
    const buffers = [target.progress, logits, target.rowOf, target.pieces, chosen, sums];
    return this.#dispatch("choose", [this.#model.sizes.vocabulary], buffers, oneEach);
  }

  #advance(): Dispatch {
    const { target, limits } = this.#workspace;
    const buffers = [target.progress, target.rowOf, target.pieces, target.places, limits];
    return this.#dispatch("advance", [], buffers, () => [1, 1]);
  }

  /** `fields` are the shader's uniform, its first binding, if it has one. */
  #dispatch(
    name: keyof Pipelines,
    fields: readonly (number | { readonly float: number })[],
    buffers: readonly GPUBuffer[],
    workgroups: Dispatch["workgroups"],
  ): Dispatch {
    const { gpu, pipelines } = this.#model;
    const pipeline = pipelines[name];
    const uniform = fields.length ? [gpu.uniform(fields)] : [];
    return { pipeline, bindings: gpu.bind(pipeline, [...uniform, ...buffers]), workgroups };
  }
}

/** In which scale the input of the product `index` is wanted. */
function scaleOf(products: readonly PlacedDense[], index: number): number {
  return products[index]?.inputScale ?? 1;
}

function at(buffers: readonly GPUBuffer[], index: number): GPUBuffer {
  const buffer = buffers[index];
  if (!buffer) throw new RangeError(`there is no buffer ${index}`);
  return buffer;
}
