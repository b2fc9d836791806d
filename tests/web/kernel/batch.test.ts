/** The kernel with the embedded model, in node: no relaxed SIMD there. Browsers: `tests/parity`. */

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { runBatch } from "../../../web/src/kernel/batch.ts";
import { Kernel } from "../../../web/src/kernel/kernel.ts";
import { placeModel } from "../../../web/src/kernel/model.ts";
import { readModel, type Tensor } from "../../../web/src/kernel/onnx.ts";
import { isRunnable, readStudent } from "../../../web/src/kernel/student.ts";
import type { EngineInput, EngineOutput, PlacedModel } from "../../../web/src/wire/engine-protocol.ts";

const file = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(new URL(`../../../${path}`, import.meta.url)));
const onnx = readModel(file("models/de-en/model.onnx"));
const never = (): Promise<void> => Promise.resolve();

let plain: WebAssembly.Module;
let kernel: Kernel;
let model: PlacedModel;

beforeAll(async () => {
  plain = await WebAssembly.compile(file("kernel/dist/plain-one.wasm"));
  kernel = await Kernel.start({ relaxed: undefined, plain, shared: false });
  model = placeModel(kernel, onnx.tensors);
});

/** Rows of any pieces, with EOS, of up to `width`. */
function batch(sentences: readonly (readonly number[])[], limit: number, attention = true): EngineInput {
  const width = Math.max(...sentences.map((pieces) => pieces.length)) + 1;
  const ids = new Int32Array(sentences.length * width);
  sentences.forEach((pieces, row) => {
    ids.set(pieces, row * width);
  });
  return {
    ids,
    lengths: Int32Array.from(sentences, (pieces) => pieces.length + 1),
    limits: Int32Array.from(sentences, () => limit),
    rows: sentences.length,
    width,
    attention,
  };
}

const SENTENCES = Array.from({ length: 23 }, (_, row) =>
  Array.from({ length: 3 + ((row * 7) % 19) }, (_, index) => 10 + ((row * 977 + index * 131) % 7900)),
);

function rowOf({ steps, ids, logProbabilities }: EngineOutput, row: number): { ids: number[]; scores: number[] } {
  const from = row * steps;
  const end = ids.subarray(from, from + steps).indexOf(0);
  const length = end < 0 ? steps : end + 1;
  return { ids: [...ids.subarray(from, from + length)], scores: [...logProbabilities.subarray(from, from + length)] };
}

describe("the kernel", () => {
  it("knows the graphs that it computes", () => {
    expect(isRunnable(onnx)).toBe(true);
    expect(isRunnable({ ...onnx, metadata: new Map() })).toBe(false);
    // With an alignment head, and of a kind that has none.
    expect(isRunnable({ ...onnx, metadata: new Map([["dragoman.kind", "student-int8"]]) })).toBe(false);
  });

  it("leaves graphs of more layers, pieces or width than it counts to onnxruntime", () => {
    const withTensor = (name: string, shape: readonly number[], type = 3) =>
      isRunnable({ ...onnx, tensors: new Map(onnx.tensors).set(name, { name, type, shape, bytes: new Uint8Array() }) });
    const layers = Array.from({ length: 11 }, (_, layer) => `encoder.${6 + layer}.attention.query.scale`);
    const deep = new Map(onnx.tensors);
    for (const name of layers) deep.set(name, { name, type: 1, shape: [], bytes: new Uint8Array(4) });
    expect(isRunnable({ ...onnx, tensors: deep })).toBe(false);
    expect(withTensor("encoder.0.feed_forward.inner.int8", [256, 8_192])).toBe(true);
    expect(withTensor("encoder.0.feed_forward.inner.int8", [256, 8_200])).toBe(false);
    expect(withTensor("embedding", [1_048_584, 256])).toBe(false);
  });

  it("refuses graphs whose layers disagree", () => {
    const refused = (name: string, change: (tensor: Tensor) => Tensor | null): void => {
      const tensors = new Map(onnx.tensors);
      const tensor = tensors.get(name);
      if (!tensor) throw new Error(`there is no ${name}`);
      const changed = change(tensor);
      if (changed) tensors.set(name, changed);
      else tensors.delete(name);
      expect(() => readStudent(tensors), name).toThrow(/the model graph cannot be used/);
    };
    const halved = (tensor: Tensor): Tensor => ({
      ...tensor,
      shape: [tensor.shape[0] ?? 0, (tensor.shape[1] ?? 0) / 2],
      bytes: tensor.bytes.slice(0, tensor.bytes.length / 2),
    });
    expect(readStudent(onnx.tensors).encoder).toHaveLength(6);
    refused("encoder.5.attention.query.scale", () => null);
    refused("decoder.1.recurrence.candidate.scale", () => null);
    refused("encoder.3.feed_forward.inner.int8", halved);
    refused("decoder.0.attention.query.int8", (tensor) => ({ ...tensor, shape: [128, 512] }));
    refused("alignment.key.int8", halved);
    refused("encoder.1.attention.norm.scale", halved);
    refused("output.scale", (tensor) => ({ ...tensor, bytes: new Uint8Array([0, 0, 192, 127]) }));
  });

  it("gives a row the same translation, to the last bit, whatever its companions are", async () => {
    const together = await runBatch(kernel, model, batch(SENTENCES, 30), never);
    for (const [row, sentence] of SENTENCES.entries()) {
      const alone = await runBatch(kernel, model, batch([sentence], 30), never);
      expect(rowOf(together, row)).toEqual(rowOf(alone, 0));
    }
  });

  it("gives probabilities, and attention whose rows sum to 1", async () => {
    const input = batch(SENTENCES, 12);
    const { steps, logProbabilities, attention, ids } = await runBatch(kernel, model, input, never);
    expect(Math.max(...logProbabilities)).toBeLessThanOrEqual(0);
    for (let cell = 0; cell < input.rows * steps; cell++) {
      const row = Math.floor(cell / steps);
      if (ids.subarray(row * steps, cell).includes(0)) continue; // after the row's end
      const weights = attention.subarray(cell * input.width, (cell + 1) * input.width);
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5);
      expect(Math.max(0, ...weights.subarray(input.lengths[row]))).toBe(0);
    }
  });

  it("tells a step later where a piece comes from, and of a last one that is cut nothing new", async () => {
    const free = await runBatch(kernel, model, batch(SENTENCES, 12), never);
    const cut = await runBatch(kernel, model, batch(SENTENCES, 6), never);
    const weights = ({ attention, steps }: EngineOutput, row: number, step: number): number[] => {
      const width = batch(SENTENCES, 1).width;
      return [...attention.subarray((row * steps + step) * width, (row * steps + step + 1) * width)];
    };
    const long = [...SENTENCES.keys()].filter((row) => rowOf(free, row).ids.length > 6);
    expect(long.length).toBeGreaterThan(5);
    for (const row of long) {
      for (let step = 0; step < 5; step++) expect(weights(cut, row, step)).toEqual(weights(free, row, step));
      expect(weights(cut, row, 5)).toEqual(weights(cut, row, 4));
      expect(weights(free, row, 5)).not.toEqual(weights(free, row, 4));
    }
  });

  it("reads the guided head where a model has no other", async () => {
    const tensors = new Map([...onnx.tensors].filter(([name]) => !name.startsWith("alignment.")));
    expect(isRunnable({ tensors, metadata: new Map([["dragoman.kind", "student-int8"]]) })).toBe(true);
    const input = batch(SENTENCES, 12);
    const own = await Kernel.start({ relaxed: undefined, plain, shared: false });
    const guided = await runBatch(own, placeModel(own, tensors), input, never);
    const aligned = await runBatch(kernel, model, input, never);
    expect(guided.ids).toEqual(aligned.ids);
    expect(guided.logProbabilities).toEqual(aligned.logProbabilities);
    expect(guided.attention).not.toEqual(aligned.attention);
  });

  it("stops each row at its own limit", async () => {
    const input = { ...batch(SENTENCES, 30, false), limits: Int32Array.from(SENTENCES, (_, row) => 1 + (row % 4)) };
    const output = await runBatch(kernel, model, input, never);
    expect(output.steps).toBe(4);
    for (const row of SENTENCES.keys()) {
      expect([...output.ids.subarray(row * 4 + 1 + (row % 4), (row + 1) * 4)].every((id) => id === 0)).toBe(true);
    }
  });

  it("ends with the reason that a pause gives, and goes on with the next batch", async () => {
    const many = Array.from({ length: 40 }, () => SENTENCES[5] ?? []);
    const stopped = runBatch(kernel, model, batch(many, 200), () => Promise.reject(new Error("enough")));
    await expect(stopped).rejects.toThrow("enough");
    await expect(runBatch(kernel, model, batch([[11, 12]], 5), never)).resolves.toMatchObject({});
  });

  it("says which figure is over the model's positions", async () => {
    await expect(runBatch(kernel, model, batch([[11, 12]], 400), never)).rejects.toMatchObject({
      code: "engine",
      details: { requested: 400, allowed: 288 },
    });
  });

  it.each([8_000, -1])("takes no piece that is none of the model's: %i", async (piece) => {
    await expect(runBatch(kernel, model, batch([[11, piece]], 5), never)).rejects.toMatchObject({
      code: "engine",
      message: "a piece that is none of the model's 8000",
    });
  });

  it("takes no prefix with such a piece", async () => {
    const beams = { beam: 2, kept: 1, branching: false, normalize: 1, wordPenalty: 0 };
    const said = (piece: number) => {
      const prefixes = Int32Array.of(1, piece, 1, piece);
      return runBatch(kernel, model, { ...batch([[11]], 5), beams: { ...beams, prefixes } }, never);
    };
    expect((await said(7_999)).ids[0]).toBe(7_999);
    await expect(said(8_000)).rejects.toThrow("a prefix has piece 8000, which the model cannot say");
  });

  it("has no room for more than can be counted", () => {
    const { functions, area } = kernel;
    // The attention of 16 hypotheses of 810 rows, 288 steps each: 5 MB more than 32 bits say.
    expect(functions.batch_make(model.address, area, 810, 810, 288, 288, 1, 16, 16, 0)).toBe(0);
    expect(functions.batch_make(model.address, area, 8, 8, 288, 288, 1, 16, 16, 0)).toBeGreaterThan(0);
  });

  it("keeps its memory over many batches", async () => {
    await runBatch(kernel, model, batch(SENTENCES, 30), never);
    const before = kernel.memory.buffer.byteLength;
    for (let turn = 0; turn < 5; turn++) await runBatch(kernel, model, batch(SENTENCES.slice(turn), 30), never);
    expect(kernel.memory.buffer.byteLength).toBe(before);
  });

  it("leaves little behind as batches get larger, though others' areas lie behind its own", async () => {
    const module = await WebAssembly.compile(file("kernel/dist/plain-shared.wasm"));
    const first = await Kernel.start({ relaxed: undefined, plain: module, shared: true });
    const { address } = placeModel(first, onnx.tensors);
    const both = [first, await Kernel.join(module, first.memory)];
    const before = first.memory.buffer.byteLength;
    for (let steps = 8; steps <= 288; steps += 8) {
      for (const { functions, area } of both) expect(functions.batch_make(address, area, 8, 800, 100, steps, 1, 0, 0, 0)).toBeGreaterThan(0);
    }
    // The last one needs 8 MB; each of them used to leave all of the one before behind.
    expect((first.memory.buffer.byteLength - before) / 2 ** 20).toBeLessThan(60);
  });

  it("takes no alignment head whose keys are not as long as its queries", () => {
    const tensors = new Map(onnx.tensors);
    const key = tensors.get("alignment.key.int8");
    const bias = tensors.get("alignment.key.bias");
    if (!key || !bias) throw new Error("the embedded model has no alignment head");
    tensors.set("alignment.key.int8", { ...key, shape: [256, 32], bytes: key.bytes.subarray(0, 256 * 32) });
    tensors.set("alignment.key.bias", { ...bias, shape: [32], bytes: bias.bytes.subarray(0, 4 * 32) });
    expect(() => placeModel(kernel, tensors)).toThrow("alignment.key is 256 by 32");
  });

  it("says which tensor a damaged model lacks", () => {
    const tensors = new Map(onnx.tensors);
    tensors.delete("decoder.1.attention.query.bias");
    expect(() => placeModel(kernel, tensors)).toThrow(
      expect.objectContaining({ code: "bundle-corrupt", message: expect.stringContaining("decoder.1.attention.query.bias") as string }),
    );
  });
});
