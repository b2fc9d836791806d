/**
 * A published model in the kernel's memory, by the layout that the core has made of its file: no other
 * reader of these files is needed here.
 */

import type { DenseLayout, NormLayout, PlacedModel, PublishedLayout, StudentLayout } from "../wire/engine-protocol.ts";
import { AFTER_RELU, SCALED, type Address, type Kernel } from "./kernel.ts";

/**
 * @param file as it was published; it is not needed afterwards.
 * @throws DragomanError "engine": there is no memory.
 */
export function placePublished(
  kernel: Kernel,
  { layout, positions, names }: PublishedLayout,
  file: Uint8Array<ArrayBuffer>,
): PlacedModel {
  const address = new Placer(kernel, layout, file).place(positions);
  const sourcePieces = layout.source?.pieces ?? layout.vocabulary;
  return { address, encoderLayers: layout.encoder_layers, positions, sourcePieces, ...(names && { names }) };
}

class Placer {
  readonly #kernel: Kernel;
  readonly #layout: StudentLayout;
  readonly #file: Uint8Array<ArrayBuffer>;
  /** Where a matrix and its bias lie while they are packed. */
  readonly #stage: Address;
  #model: Address = 0;

  constructor(kernel: Kernel, layout: StudentLayout, file: Uint8Array<ArrayBuffer>) {
    this.#kernel = kernel;
    this.#layout = layout;
    this.#file = file;
    const largest = Math.max(...layout.denses.map(({ inputs, outputs }) => (inputs + 4) * outputs));
    this.#stage = kernel.need(kernel.functions.area_stage(kernel.area, largest));
  }

  place(positions: number): Address {
    const { vocabulary, dimension, inner, heads, encoder_layers, decoder_layers, factor, source, never } = this.#layout;
    const { functions } = this.#kernel;
    const sizes = [vocabulary, dimension, inner, heads, encoder_layers, decoder_layers, positions] as const;
    this.#model = this.#kernel.need(functions.model_make(...sizes));
    for (const dense of this.#layout.denses) this.#dense(dense);
    for (const norm of this.#layout.norms) this.#norm(norm);
    this.#kernel.need(functions.model_sinusoids(this.#model, factor));
    if (source) functions.model_source(this.#model, this.#keep(source.rows, source.pieces * dimension), source.factor);
    functions.model_never(this.#model, never);
    return this.#model;
  }

  #dense({ product, layer, weights, inputs, outputs, bias, input, scale, after_relu }: DenseLayout): void {
    const size = inputs * outputs;
    this.#kernel.bytes(this.#stage, size).set(this.#file.subarray(weights, weights + size));
    const staged = bias < 0 ? 0 : this.#stage + size;
    if (staged) this.#kernel.bytes(staged, 4 * outputs).set(this.#file.subarray(bias, bias + 4 * outputs));
    const kind = SCALED | (after_relu ? AFTER_RELU : 0);
    const shape = [1, inputs, inputs, outputs] as const;
    this.#kernel.need(
      this.#kernel.functions.model_dense(this.#model, product, layer, this.#stage, ...shape, staged, input, scale, kind),
    );
  }

  #norm({ normalization, layer, scale, bias }: NormLayout): void {
    const size = 4 * this.#layout.dimension;
    const [scales, biases] = [this.#keep(scale, size), this.#keep(bias, size)];
    this.#kernel.functions.model_norm(this.#model, normalization, layer, scales, biases);
  }

  #keep(start: number, size: number): Address {
    const at = this.#kernel.need(this.#kernel.functions.model_take(this.#model, size));
    this.#kernel.bytes(at, size).set(this.#file.subarray(start, start + size));
    return at;
  }
}
