/**
 * An instance of the kernel (`kernel/src`): its functions, and the memory that it works in.
 *
 * The memory belongs to the host. Several instances may share one, each in a worker of its own: one
 * places the model, all read it, and each has a stack and a batch area of its own.
 */

import { DragomanError } from "../wire/errors.ts";

/** An address in the memory; 0 says that there was not enough. */
export type Address = number;

interface Functions {
  readonly __stack_pointer: WebAssembly.Global<"i32">;
  kernel_bytes(): number;
  area_make(): Address;
  area_stage(area: Address, bytes: number): Address;
  model_make(
    vocabulary: number,
    dimension: number,
    inner: number,
    heads: number,
    encoderLayers: number,
    decoderLayers: number,
    positions: number,
  ): Address;
  model_take(model: Address, bytes: number): Address;
  model_positions(model: Address, table: Address, factor: number): void;
  model_sinusoids(model: Address, factor: number): number;
  model_source(model: Address, rows: Address, factor: number): void;
  model_never(model: Address, piece: number): void;
  model_norm(model: Address, part: number, layer: number, scale: Address, bias: Address): void;
  model_dense(
    model: Address,
    part: number,
    layer: number,
    from: Address,
    stepInput: number,
    stepOutput: number,
    inputs: number,
    outputs: number,
    bias: Address,
    input: number,
    scale: number,
    kind: number,
  ): number;
  batch_make(
    model: Address,
    area: Address,
    rows: number,
    pieces: number,
    width: number,
    mostSteps: number,
    attention: number,
    beam: number,
    kept: number,
    prefixed: number,
  ): Address;
  model_lists(
    model: Address,
    offsets: Address,
    targets: Address,
    count: number,
    copies: Address,
    sources: number,
    first: number,
    least: number,
  ): number;
  model_common(model: Address): number;
  batch_shorten(model: Address, area: Address, batch: Address): number;
  batch_embed(model: Address, batch: Address): void;
  batch_encode(model: Address, batch: Address, layer: number): void;
  batch_remember(model: Address, batch: Address): void;
  batch_decode(model: Address, batch: Address): number;
}

const PAGE = 65_536;
const STACK_PAGES = 1;
/**
 * What the linker was told (`kernel/build.sh`), then less: some phones set no gigabyte of shared memory aside
 * (https://github.com/emscripten-core/emscripten/issues/24078).
 */
const MOST_PAGES = [16_384, 4_096];
const FIRST_PAGES = 4;

/** As in `kernel/src/dense.h`. */
const BYTES_UNUSABLE = 0;
/** How a product reads its input, as there. */
export const AFTER_RELU = 1;
export const SCALED = 2;

/** The kernel's variants, compiled; `shared` only where the page is cross-origin isolated. */
export interface KernelModules {
  readonly relaxed: WebAssembly.Module | undefined;
  readonly plain: WebAssembly.Module;
  readonly shared: boolean;
}

export class Kernel {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  readonly functions: Functions;
  /** The batch area of this instance. */
  readonly area: Address;

  /**
   * The fastest variant that is exact here, with a memory of its own.
   *
   * @throws DragomanError "engine": there is no memory.
   */
  static async start({ relaxed, plain, shared }: KernelModules): Promise<Kernel> {
    const make = async (module: WebAssembly.Module): Promise<Kernel> => {
      const memory = makeMemory(shared);
      return new Kernel(module, memory, await instantiate(module, memory));
    };
    if (relaxed) {
      const kernel = await make(relaxed);
      if (kernel.functions.kernel_bytes() !== BYTES_UNUSABLE) return kernel;
    }
    return make(plain);
  }

  /** Another instance over the memory of one that is in another worker. */
  static async join(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Kernel> {
    const functions = await instantiate(module, memory);
    const stack = memory.grow(STACK_PAGES) * PAGE;
    functions.__stack_pointer.value = stack + STACK_PAGES * PAGE;
    return new Kernel(module, memory, functions);
  }

  private constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, functions: Functions) {
    this.module = module;
    this.memory = memory;
    this.functions = functions;
    this.area = this.need(functions.area_make());
  }

  /** @throws DragomanError "engine" for the address 0. */
  need(address: Address): Address {
    if (address) return address;
    const bytes = this.memory.buffer.byteLength;
    throw new DragomanError("engine", `there is no more memory than the ${bytes} bytes that the engine has`, {
      bytes,
    });
  }

  // Views hold until the memory grows: take them anew after every call.

  bytes(at: Address, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  integers(at: Address, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, at, length);
  }

  floats(at: Address, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, at, length);
  }
}

/** @throws DragomanError "engine": there is none. */
function makeMemory(shared: boolean): WebAssembly.Memory {
  let why: unknown;
  for (const maximum of MOST_PAGES) {
    try {
      return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum, shared });
    } catch (error) {
      why = error;
    }
  }
  throw new DragomanError("engine", `the browser gives the engine no memory: ${String(why)}`, {});
}

async function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Functions> {
  const instance = await WebAssembly.instantiate(module, { env: { memory } });
  return instance.exports as unknown as Functions;
}
