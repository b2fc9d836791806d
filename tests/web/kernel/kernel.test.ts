import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Kernel } from "../../../web/src/kernel/kernel.ts";

const SHARED = readFileSync(new URL("../../../kernel/dist/plain-shared.wasm", import.meta.url));

/** A browser that sets no more than so many pages aside. */
function limitMemory(most: number): void {
  class Limited extends WebAssembly.Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      if ((descriptor.maximum ?? Infinity) > most) throw new RangeError("Out of memory");
      super(descriptor);
    }
  }
  vi.stubGlobal("WebAssembly", Object.assign(Object.create(WebAssembly) as typeof WebAssembly, { Memory: Limited }));
}

async function start(): Promise<Kernel> {
  return Kernel.start({ relaxed: undefined, plain: await WebAssembly.compile(SHARED), shared: true });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the kernel's memory", () => {
  it("is a quarter of a gigabyte where a device sets no more aside", async () => {
    limitMemory(4_096);
    const { memory } = await start();
    expect(() => memory.grow(4_096)).toThrow(RangeError);
    expect(memory.grow(1_000)).toBeGreaterThan(0);
  });

  it("is a gigabyte elsewhere", async () => {
    expect((await start()).memory.grow(4_096)).toBeGreaterThan(0);
  });

  it("that no device gives is an error of the engine", async () => {
    limitMemory(0);
    await expect(start()).rejects.toMatchObject({
      code: "engine",
      message: "the browser gives the engine no memory: RangeError: Out of memory",
    });
  });
});
