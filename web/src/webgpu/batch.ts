/**
 * One mini-batch on the device.
 *
 *     write --> encode, steps --> read --> steps --> read ... until no row goes on --> output
 *               `-- one submission --'     `-- `pause` is awaited while the device works
 *
 * The best piece is chosen and ended rows are dropped on the device: what is read is small, and seldom.
 */

import { checkLengths, type Pause } from "../kernel/batch.ts";
import { mostStepsOf, outputOf } from "../kernel/output.ts";
import type { EngineInput, EngineOutput } from "../wire/engine-protocol.ts";
import type { GpuModel } from "./model.ts";
import { makeProgram, record, type Program } from "./program.ts";
import { NO_PIECE } from "./shaders.ts";
import { capacityFor, destroyWorkspace, fit, PROGRESS_BYTES, readerBytes, type Workspace } from "./workspace.ts";

/**
 * Steps of a submission. Those after the last row's end cost their dispatches, a look costs the way to
 * the device and back: the first look comes when most translations have ended, which are about as long
 * as their source. No submission may take a slow device seconds.
 */
const STEPS = { first: 16, next: 8 } as const;
/** Milliseconds between two pauses while the device works. */
const PATIENCE = 15;

/** How far decoding is. */
interface Progress {
  /** Rows that go on. */
  readonly rows: number;
  readonly step: number;
}

/** A model on a device with room for mini-batches; one at a time. */
export class BatchRunner {
  readonly #model: GpuModel;
  #workspace: Workspace | undefined;
  /** By whether attention is wanted. */
  readonly #programs = new Map<boolean, Program>();

  constructor(model: GpuModel) {
    this.#model = model;
  }

  /**
   * @throws DragomanError "engine": a limit of the device or of the model, with both figures; the
   *   device is lost or refuses. What `pause` rejects with.
   */
  async run(input: EngineInput, pause: Pause): Promise<EngineOutput> {
    checkLengths(this.#model.sizes.positions, Math.max(input.width, mostStepsOf(input)));
    return this.#model.gpu.checked(async () => {
      const { workspace, program } = this.#room(input);
      try {
        return await this.#decode(input, workspace, program, pause);
      } catch (error) {
        // The reader may still be waited for, and the next mini-batch must not meet it so.
        this.#workspace = undefined;
        destroyWorkspace(workspace);
        throw error;
      }
    });
  }

  #room(input: EngineInput): { workspace: Workspace; program: Program } {
    const workspace = fit(this.#model, capacityFor(input), this.#workspace);
    if (workspace !== this.#workspace) this.#programs.clear();
    this.#workspace = workspace;
    const program = this.#programs.get(input.attention) ?? makeProgram(this.#model, workspace, input.attention);
    this.#programs.set(input.attention, program);
    return { workspace, program };
  }

  async #decode(input: EngineInput, workspace: Workspace, program: Program, pause: Pause): Promise<EngineOutput> {
    const { gpu } = this.#model;
    const sizes = capacityFor(input);
    const bytes = readerBytes(sizes);
    const mostSteps = mostStepsOf(input);
    let progress: Progress = { rows: this.#write(input, workspace), step: 0 };
    let content: ArrayBuffer;
    do {
      const encoder = gpu.encoder();
      if (!progress.step) {
        for (const state of workspace.states) encoder.clearBuffer(state);
        record(encoder, program.encode, sizes.pieces);
      }
      const steps = progress.step ? STEPS.next : Math.min(STEPS.first, input.width + 1);
      for (let step = progress.step; step < Math.min(progress.step + steps, mostSteps); step++) {
        record(encoder, program.step, progress.rows);
      }
      copyResults(encoder, workspace, sizes);
      gpu.submit(encoder);
      content = await whilePausing(gpu.read(workspace.reader, bytes), pause);
      progress = progressOf(content);
    } while (progress.rows > 0);
    const cells = PROGRESS_BYTES + 4 * sizes.cells;
    return outputOf(input, {
      steps: progress.step,
      mostSteps,
      target: new Int32Array(content, PROGRESS_BYTES, sizes.cells),
      // The chosen piece's probability is 1 / sum.
      logProbabilities: new Float32Array(content, cells, sizes.cells).map((sum) => -Math.log(sum)),
      attention: new Float32Array(content, cells + 4 * sizes.cells, sizes.weights),
    });
  }

  /** Returns how many rows there are to decode. */
  #write(input: EngineInput, workspace: Workspace): number {
    const { gpu } = this.#model;
    const { ids, lengths, limits, rows, width, attention } = input;
    const numbers = Array.from({ length: rows }, (_, row) => row);
    const places = numbers.flatMap((row) => Array.from({ length: lengths[row] ?? 0 }, (_, place) => place));
    const rowOf = numbers.flatMap((row) => new Array<number>(lengths[row] ?? 0).fill(row));
    const pieces = rowOf.map((row, piece) => ids[row * width + (places[piece] ?? 0)] ?? 0);
    let start = 0;
    const sentences = numbers.flatMap((row) => {
      const length = lengths[row] ?? 0;
      start += length;
      return [start - length, length];
    });
    const decoded = numbers.filter((row) => (limits[row] ?? 0) > 0);
    const write = (buffer: GPUBuffer, content: readonly number[]): void => {
      gpu.write(buffer, Uint32Array.from(content));
    };
    const { source, target } = workspace;
    write(source.progress, [pieces.length, 0, 0, 0]);
    write(source.pieces, pieces);
    write(source.places, places);
    write(source.rowOf, rowOf);
    write(target.progress, [decoded.length, 0, attention ? width : 0, mostStepsOf(input)]);
    write(target.pieces, decoded.map(() => NO_PIECE));
    write(target.places, decoded.map(() => 0));
    write(target.rowOf, decoded);
    write(workspace.sentences, sentences);
    gpu.write(workspace.limits, limits);
    return decoded.length;
  }
}

function copyResults(encoder: GPUCommandEncoder, workspace: Workspace, sizes: { cells: number; weights: number }): void {
  const { reader, target, chosen, sums, attention } = workspace;
  const parts = [
    [target.progress, PROGRESS_BYTES],
    [chosen, 4 * sizes.cells],
    [sums, 4 * sizes.cells],
    [attention, 4 * sizes.weights],
  ] as const;
  let to = 0;
  for (const [from, bytes] of parts) {
    encoder.copyBufferToBuffer(from, 0, reader, to, bytes);
    to += bytes;
  }
}

function progressOf(content: ArrayBuffer): Progress {
  const [rows = 0, step = 0] = new Uint32Array(content, 0, 2);
  return { rows, step };
}

/** What `work` resolves to; meanwhile others are heard, and one of them may end it. */
async function whilePausing<T>(work: Promise<T>, pause: Pause): Promise<T> {
  work.catch(() => undefined); // A pause may end the run first.
  let done: { readonly value: T } | undefined;
  while (!done) {
    done = await Promise.race([work.then((value) => ({ value })), after(PATIENCE)]);
    if (!done) await pause();
  }
  return done.value;
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => { resolve(undefined); }, milliseconds);
  });
}
