/** The kernel with a shortlist for the embedded model. What it chooses among: `tests/py/engines/test_shortlist.py`. */

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { runBatch } from "../../../web/src/kernel/batch.ts";
import { Kernel } from "../../../web/src/kernel/kernel.ts";
import { placeModel } from "../../../web/src/kernel/model.ts";
import { readModel } from "../../../web/src/kernel/onnx.ts";
import { gather, partOf } from "../../../web/src/kernel/rows.ts";
import { withShortlist } from "../../../web/src/kernel/shortlist.ts";
import type { EngineInput, PlacedModel } from "../../../web/src/wire/engine-protocol.ts";

const SOURCES = 8_000;
const file = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(new URL(`../../../${path}`, import.meta.url)));
const onnx = readModel(file("models/de-en/model.onnx"));
const never = (): Promise<void> => Promise.resolve();

let plain: WebAssembly.Module;

beforeAll(async () => {
  plain = await WebAssembly.compile(file("kernel/dist/plain-one.wasm"));
});

/** Each source piece is worth one target piece. */
function lists(target: (source: number) => number, sources = SOURCES, first = 50n): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(48 + 8 * (sources + 1) + 4 * sources));
  const head = [0xf11a48d5013417f5n, 0n, first, 50n, BigInt(sources + 1), BigInt(sources)];
  head.forEach((value, place) => { view.setBigUint64(8 * place, value, true); });
  for (let source = 0; source <= sources; source++) view.setBigUint64(48 + 8 * source, BigInt(source), true);
  for (let source = 0; source < sources; source++) view.setUint32(56 + 8 * sources + 4 * source, target(source), true);
  return new Uint8Array(view.buffer);
}

async function start(
  shortlist: Uint8Array<ArrayBuffer> | undefined,
  tensors = onnx.tensors,
): Promise<{ kernel: Kernel; model: PlacedModel }> {
  const kernel = await Kernel.start({ relaxed: undefined, plain, shared: false });
  return { kernel, model: withShortlist(kernel, placeModel(kernel, tensors), shortlist) };
}

function input(rows: readonly (readonly number[])[]): EngineInput {
  const width = Math.max(...rows.map(({ length }) => length));
  const ids = Int32Array.from(rows.flatMap((row) => [...row, ...Array.from({ length: width - row.length }, () => 0)]));
  const limits = Int32Array.from(rows, () => 12);
  return { ids, lengths: Int32Array.from(rows, ({ length }) => length), limits, rows: rows.length, width, attention: false };
}

const ROWS = [[7_100, 7_200, 0], [7_300, 0], [6_500, 7_001, 7_900, 0]];

describe("a shortlist", () => {
  it("leaves the frequent pieces, the lists and the source's own to choose among", async () => {
    const { kernel, model } = await start(lists(() => 7_777));
    const { ids } = await runBatch(kernel, model, input(ROWS), never);
    const own = new Set([...ROWS.flat(), 7_777]);
    expect(ids.length).toBeGreaterThan(0);
    expect([...ids].filter((piece) => piece >= 2_048 && !own.has(piece))).toEqual([]);
  });

  it.each([0, 4])("is taken of each row, whoever has which rows: beam %i", async (beam) => {
    const { kernel, model } = await start(lists((source) => (source * 31) % SOURCES));
    const search = { beam, kept: 1, branching: false, normalize: 1, wordPenalty: 0, prefixes: new Int32Array() };
    const whole: EngineInput = { ...input(ROWS), ...(beam && { beams: search }) };
    const parts = [];
    for (const part of [0, 1]) parts.push(await runBatch(kernel, model, partOf(whole, part, 2), never));
    const together = await runBatch(kernel, model, whole, never);
    const dealt = gather(whole, parts);
    expect([...dealt.ids]).toEqual([...together.ids]);
    expect([...dealt.logProbabilities]).toEqual([...together.logProbabilities]);
  });

  it("whose first pieces are more than the model has leaves all to choose among", async () => {
    const all = await start(undefined);
    const { kernel, model } = await start(lists(() => 1, SOURCES, 2n ** 40n));
    const found = await runBatch(kernel, model, input(ROWS), never);
    expect(found).toEqual(await runBatch(all.kernel, all.model, input(ROWS), never));
  });

  it("gives nobody more than its own pieces, whatever a model computes", async () => {
    const bias = onnx.tensors.get("output.bias");
    if (!bias) throw new Error("the embedded model has no bias");
    const bytes = new Uint8Array(new Float32Array(SOURCES).fill(-2e30).buffer);
    const { kernel, model } = await start(lists(() => 7_777), new Map(onnx.tensors).set("output.bias", { ...bias, bytes }));
    const beams = { beam: 4, kept: 4, branching: false, normalize: 1, wordPenalty: 0, prefixes: new Int32Array() };
    await expect(runBatch(kernel, model, { ...input(ROWS), beams }, never)).resolves.toMatchObject({ steps: 4 });
  });

  it("of another model, or damaged, is refused", async () => {
    await expect(start(lists(() => 1, 300))).rejects.toThrow("the shortlist is of 300 pieces, the model's source has 8000");
    await expect(start(lists(() => SOURCES))).rejects.toThrow("pieces that the model does not have");
    await expect(start(lists(() => 1).slice(0, -4))).rejects.toThrow("cut off");
    await expect(start(new Uint8Array(100))).rejects.toThrow("no binary shortlist");
    await expect(start(new Uint8Array(10))).rejects.toThrow("no shortlist: 10 bytes");
  });
});
