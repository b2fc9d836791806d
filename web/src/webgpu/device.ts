/**
 * A GPU device: buffers within its limits, pipelines, and errors that do not go unnoticed.
 *
 * A device belongs to one model. Destroying it gives back every buffer that was made with it.
 */

import { DragomanError } from "../wire/errors.ts";

/** https://www.w3.org/TR/webgpu/#buffer-usage: not every host of this code has the constants. */
const USAGE = { mapRead: 0x1, copySource: 0x4, copyTarget: 0x8, uniform: 0x40, storage: 0x80 } as const;
const MAP_READ = 0x1;

/** The byte products of `shaders.ts`. */
const LANGUAGE_FEATURE = "packed_4x8_integer_dot_product";

/** What a model may need more of than every device has. */
const LIMITS = ["maxBufferSize", "maxStorageBufferBindingSize", "maxComputeWorkgroupStorageSize"] as const;
type Limit = (typeof LIMITS)[number] | "maxComputeWorkgroupsPerDimension";

const ERRORS = ["internal", "out-of-memory", "validation"] as const;

/** An adapter that the shaders run on, or why there is none. */
export async function findAdapter(gpu: GPU | undefined): Promise<GPUAdapter | string> {
  if (!gpu) return "this browser has no WebGPU";
  if (!gpu.wgslLanguageFeatures.has(LANGUAGE_FEATURE)) return `this browser's WebGPU has no ${LANGUAGE_FEATURE}`;
  const adapter = await gpu.requestAdapter();
  return adapter ?? "there is no WebGPU adapter";
}

/** The adapter in a word, for what is measured on it. */
export function describe({ info }: GPUAdapter): string {
  return [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(" ");
}

export class Gpu {
  readonly #device: GPUDevice;
  readonly #lost: Promise<never>;

  static async open(adapter: GPUAdapter): Promise<Gpu> {
    const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
    return new Gpu(await adapter.requestDevice({ requiredLimits }));
  }

  private constructor(device: GPUDevice) {
    this.#device = device;
    this.#lost = device.lost.then(({ reason, message }) => {
      throw new DragomanError("engine", `the GPU device is lost: ${message || reason}`, { lost: reason });
    });
    this.#lost.catch(() => undefined); // Whoever runs something then hears of it.
  }

  /** Everything that was made with the device goes; what waits for it rejects. */
  destroy(): void {
    this.#device.destroy();
  }

  /** Rejects if `work` does, when the device is lost, and for any error of the GPU that `work` causes. */
  async checked<T>(work: () => Promise<T>): Promise<T> {
    for (const kind of ERRORS) this.#device.pushErrorScope(kind);
    let errors: Promise<(GPUError | null)[]>;
    let result: T;
    try {
      result = await Promise.race([work(), this.#lost]);
    } finally {
      errors = Promise.all(ERRORS.map(() => this.#device.popErrorScope()));
      errors.catch(() => undefined); // Then `work` has said more, or the device is lost.
    }
    const error = (await Promise.race([errors, this.#lost])).find((each) => each !== null);
    if (error) throw new DragomanError("engine", `the GPU refused: ${error.message}`, {});
    return result;
  }

  /** @throws DragomanError "engine": the device allows less, with the limit's name and both figures. */
  checkLimit(limit: Limit, requested: number): void {
    const allowed = this.#device.limits[limit];
    if (requested <= allowed) return;
    throw new DragomanError("engine", `the GPU's ${limit} is ${allowed}; ${requested} would be needed`, {
      limit,
      requested,
      allowed,
    });
  }

  checkBuffer(bytes: number): void {
    this.checkLimit("maxBufferSize", bytes);
    this.checkLimit("maxStorageBufferBindingSize", bytes);
  }

  /** A storage buffer, copied to and from; of at least a vector. */
  storage(bytes: number): GPUBuffer {
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    this.checkBuffer(size);
    return this.#device.createBuffer({ size, usage: USAGE.storage | USAGE.copyTarget | USAGE.copySource });
  }

  /** A storage buffer that holds `content`. */
  filled(content: Uint8Array<ArrayBuffer>): GPUBuffer {
    const buffer = this.storage(content.length);
    this.write(buffer, content);
    return buffer;
  }

  /** Numbers as a shader's structure has them: integers as u32, `float` as f32. */
  uniform(fields: readonly (number | { readonly float: number })[]): GPUBuffer {
    const content = new DataView(new ArrayBuffer(Math.ceil(fields.length / 4) * 16));
    fields.forEach((field, index) => {
      if (typeof field === "number") content.setUint32(4 * index, field, true);
      else content.setFloat32(4 * index, field.float, true);
    });
    const buffer = this.#device.createBuffer({ size: content.byteLength, usage: USAGE.uniform | USAGE.copyTarget });
    this.write(buffer, new Uint8Array(content.buffer));
    return buffer;
  }

  write(buffer: GPUBuffer, content: ArrayBufferView<ArrayBuffer>): void {
    this.#device.queue.writeBuffer(buffer, 0, content);
  }

  /** @throws DragomanError "engine": the device does not take the shader, with what it says of it. */
  async pipeline(code: string, constants?: Record<string, number>): Promise<GPUComputePipeline> {
    const module = this.#device.createShaderModule({ code });
    const compute = { module, ...(constants && { constants }) };
    try {
      return await this.#device.createComputePipelineAsync({ layout: "auto", compute });
    } catch (error) {
      const { messages } = await module.getCompilationInfo();
      const said = messages.map(({ lineNum, message }) => `line ${lineNum}: ${message}`);
      throw new DragomanError("engine", `the GPU refused a shader: ${[String(error), ...said].join("; ")}`, {});
    }
  }

  bind(pipeline: GPUComputePipeline, buffers: readonly GPUBuffer[]): GPUBindGroup {
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    return this.#device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  }

  encoder(): GPUCommandEncoder {
    return this.#device.createCommandEncoder();
  }

  submit(encoder: GPUCommandEncoder): void {
    this.#device.queue.submit([encoder.finish()]);
  }

  /** A buffer that the host reads. */
  reader(bytes: number): GPUBuffer {
    this.checkLimit("maxBufferSize", bytes);
    return this.#device.createBuffer({ size: bytes, usage: USAGE.mapRead | USAGE.copyTarget });
  }

  /** What a reader holds when all that was submitted is done; the reader must not be in use. */
  async read(reader: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
    await reader.mapAsync(MAP_READ, 0, bytes);
    const content = reader.getMappedRange(0, bytes).slice(0);
    reader.unmap();
    return content;
  }
}
