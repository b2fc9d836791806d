/**
 * One mini-batch in one instance of the kernel, in slices: between two of them others are heard.
 *
 *     place --> embed --> encode, layer by layer --> remember --> decode, step by step --> output
 *                 `------- `pause` is awaited when a slice has taken its time ------'
 */

import { DragomanError } from "../wire/errors.ts";
import type { BeamInput, EngineInput, EngineOutput, PlacedModel } from "../wire/engine-protocol.ts";
import type { Address, Kernel } from "./kernel.ts";
import { prefixesInside } from "./prefixes.ts";
import { mostStepsOf, outputOf, type Decoded } from "./output.ts";

/** Milliseconds of work between two pauses. */
const SLICE = 15;

/** Awaited between slices; a rejection ends the batch with it. */
export type Pause = () => Promise<void>;

/** Where `Batch` of `kernel/src/batch.h` has what the host reads and writes, in words. */
const FIELD = {
  pieces: 0,
  lengths: 1,
  limits: 2,
  target: 3,
  logProbabilities: 4,
  attention: 5,
  step: 11,
  branching: 15,
  normalize: 16,
  wordPenalty: 17,
  prefixes: 18,
  scores: 19,
};
const FIELDS = 20;

/**
 * @throws DragomanError "engine": there is no memory, a row is longer than the model's positions, or has a
 *   piece that the model does not have; what `pause` rejects with.
 */
export async function runBatch(
  kernel: Kernel,
  model: PlacedModel,
  input: EngineInput,
  pause: Pause,
): Promise<EngineOutput> {
  const { functions } = kernel;
  const mostSteps = mostStepsOf(input);
  checkLengths(model.positions, Math.max(input.width, mostSteps));
  checkPieces(model.sourcePieces, input.ids);
  const batch = place(kernel, model, input, mostSteps);
  if (model.hasShortlist) kernel.need(functions.batch_shorten(model.address, kernel.area, batch));
  const rest = sliced(pause);
  functions.batch_embed(model.address, batch);
  for (let layer = 0; layer < model.encoderLayers; layer++) {
    functions.batch_encode(model.address, batch, layer);
    await rest();
  }
  functions.batch_remember(model.address, batch);
  while (functions.batch_decode(model.address, batch) > 0) await rest();
  return named(outputOf(input, decodedOf(kernel, batch, input, mostSteps)), model);
}

/** By the names that pieces have outside. */
function named(output: EngineOutput, { names }: PlacedModel): EngineOutput {
  return names ? { ...output, ids: output.ids.map((piece) => names[piece] ?? piece) } : output;
}

/** @throws DragomanError "engine": a row is longer than the model's positions. */
export function checkLengths(positions: number, longest: number): void {
  if (longest <= positions) return;
  const details = { requested: longest, allowed: positions };
  throw new DragomanError("engine", `a row of ${longest} pieces: the model takes ${positions}`, details);
}

/** The kernel looks nothing up: what it reads is known to be there. */
function checkPieces(pieces: number, ids: Int32Array): void {
  if (ids.every((piece) => piece >= 0 && piece < pieces)) return;
  throw new DragomanError("engine", `a piece that is none of the model's ${pieces}`, {});
}

/** Of slices of work: a pause when one has taken its time. */
export function sliced(pause: Pause): Pause {
  let end = performance.now() + SLICE;
  return async () => {
    if (performance.now() < end) return;
    await pause();
    end = performance.now() + SLICE;
  };
}

function place(kernel: Kernel, model: PlacedModel, input: EngineInput, mostSteps: number): Address {
  const { ids, lengths, limits, rows, width, attention, beams } = input;
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const shape = [rows, total, width, mostSteps, +attention] as const;
  const search = beams ? ([beams.beam, beams.kept, beams.prefixes.length] as const) : ([0, 0, 0] as const);
  const batch = kernel.need(kernel.functions.batch_make(model.address, kernel.area, ...shape, ...search));
  const fields = kernel.integers(batch, FIELDS);
  const pieces = kernel.integers(fields[FIELD.pieces] ?? 0, total);
  let at = 0;
  lengths.forEach((length, row) => {
    pieces.set(ids.subarray(row * width, row * width + length), at);
    at += length;
  });
  kernel.integers(fields[FIELD.lengths] ?? 0, rows).set(lengths);
  kernel.integers(fields[FIELD.limits] ?? 0, rows).set(limits);
  if (beams) placeBeams(kernel, model, batch, beams);
  return batch;
}

function placeBeams(kernel: Kernel, model: PlacedModel, batch: Address, beams: BeamInput): void {
  const fields = kernel.integers(batch, FIELDS);
  fields[FIELD.branching] = +beams.branching;
  kernel.floats(batch, FIELDS).set([beams.normalize, beams.wordPenalty], FIELD.normalize);
  if (!beams.prefixes.length) return;
  const prefixes = prefixesInside(beams.prefixes, insideOf(model));
  kernel.integers(fields[FIELD.prefixes] ?? 0, prefixes.length).set(prefixes);
}

/** The number that a piece has in the kernel, by its name; `undefined`: none. */
function insideOf({ names, sourcePieces }: PlacedModel): (name: number) => number | undefined {
  if (!names) return (name) => (name < sourcePieces ? name : undefined); // Both sides have the same pieces.
  const inside = new Map(Array.from(names, (name, piece) => [name, piece]));
  return (name) => inside.get(name);
}

function decodedOf(kernel: Kernel, batch: Address, input: EngineInput, mostSteps: number): Decoded {
  const { rows, width, beams } = input;
  const fields = kernel.integers(batch, FIELDS);
  const hypotheses = rows * (beams?.kept ?? 1);
  return {
    steps: fields[FIELD.step] ?? 0,
    mostSteps,
    target: kernel.integers(fields[FIELD.target] ?? 0, hypotheses * mostSteps),
    logProbabilities: kernel.floats(fields[FIELD.logProbabilities] ?? 0, hypotheses * mostSteps),
    attention: kernel.floats(fields[FIELD.attention] ?? 0, input.attention ? hypotheses * mostSteps * width : 0),
    ...(beams && { scores: kernel.floats(fields[FIELD.scores] ?? 0, hypotheses) }),
  };
}
