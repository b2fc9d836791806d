/**
 * The interpreter's memory as the build left it, without what of it is zero: two fifths, most of that its stack.
 *
 *     u32 bytes of the memory | u32 bytes of the head | u32 runs | of each: u32 start, u32 bytes | head | runs, one after the other
 *
 * Little-endian, as WebAssembly's memory is; all figures are multiples of four. The head is what Pyodide's own snapshot
 * has before the memory. `web/snapshot.mjs` writes it.
 *
 *     stream --figures, head--> `open`; meanwhile Pyodide makes the memory --runs, as they come--> `restore`
 *
 * Memory that nobody has written costs nothing, and what a stream brings is given back at once. Pyodide would have the
 * whole as one buffer beside the memory, and write all of it, 14 MB of zeros too.
 */

import { release } from "../../base/bytes.ts";
import { DragomanError } from "../../wire/errors.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Memory from `start` on. */
interface Run {
  readonly start: number;
  readonly bytes: number;
}

const FIGURES = 3;
const FIGURE_BYTES = 4;

export class Snapshot {
  private constructor(
    /** Bytes of the memory. */
    readonly size: number,
    readonly head: Bytes,
    private readonly runs: readonly Run[],
    private readonly source: Source,
  ) {}

  /** @throws DragomanError "network": it ends early. */
  static async open(stream: ReadableStream<Bytes>): Promise<Snapshot> {
    const source = new Source(stream.getReader());
    const [size = 0, headBytes = 0, count = 0] = await source.figures(FIGURES);
    const table = await source.figures(2 * count);
    const runs = Array.from({ length: count }, (_, run) => ({ start: table[2 * run] ?? 0, bytes: table[2 * run + 1] ?? 0 }));
    return new Snapshot(size, await source.take(headBytes), runs, source);
  }

  /**
   * Once only.
   *
   * @param memory of a new instance: zero, but for what its module puts there.
   * @throws DragomanError "network": the snapshot ends early.
   */
  async restore(memory: Uint8Array): Promise<void> {
    let end = 0;
    for (const { start, bytes } of this.runs) {
      clear(memory.subarray(end, start));
      end = start + bytes;
      await this.source.fill(memory.subarray(start, end));
    }
    clear(memory.subarray(end));
  }
}

/** A stream, read in the portions that are asked for. */
class Source {
  #rest: Bytes = new Uint8Array();

  constructor(private readonly reader: ReadableStreamDefaultReader<Bytes>) {}

  async figures(count: number): Promise<Uint32Array> {
    return new Uint32Array((await this.take(count * FIGURE_BYTES)).buffer);
  }

  async take(bytes: number): Promise<Bytes> {
    const taken = new Uint8Array(bytes);
    await this.fill(taken);
    return taken;
  }

  async fill(target: Uint8Array): Promise<void> {
    let done = 0;
    while (done < target.length) {
      if (this.#rest.length === 0) await this.#next();
      const portion = this.#rest.subarray(0, target.length - done);
      target.set(portion, done);
      done += portion.length;
      this.#rest = this.#rest.subarray(portion.length);
    }
  }

  async #next(): Promise<void> {
    if (this.#rest.buffer.byteLength > 0) release(this.#rest.buffer);
    const { value } = await this.reader.read();
    if (!value) throw new DragomanError("network", "the interpreter's memory ends early");
    this.#rest = value;
  }
}

/** Only what is not zero already: to read is not to write. */
function clear(gap: Uint8Array): void {
  const words = new Int32Array(gap.buffer, gap.byteOffset, gap.byteLength / FIGURE_BYTES);
  for (let index = 0; index < words.length; index += 1) if (words[index] !== 0) words[index] = 0;
}
