import { describe, expect, it, vi } from "vitest";
import { DragomanError } from "../../../web/src/wire/errors.ts";
import { watchingFetches } from "../../../web/src/workers/loading.ts";

const FILES: Readonly<Record<string, string>> = { "a.wasm": "abc", "b.zip": "de" };

function scope(caches: string[] = []) {
  return {
    caches: { keys: () => Promise.resolve(caches) } as unknown as CacheStorage,
    fetch: (name: string) =>
      Promise.resolve(new Response(FILES[name] ?? "", { status: name in FILES ? 200 : 404 })),
  } as unknown as Pick<WindowOrWorkerGlobalScope, "fetch" | "caches">;
}

describe("watchingFetches", () => {
  it("counts what is fetched, and puts fetch back", async () => {
    const here = scope();
    const before = here.fetch;
    const onbytes = vi.fn();
    const result = await watchingFetches(here, 5, onbytes, async () => {
      const responses = [await here.fetch("a.wasm"), await here.fetch("b.zip")];
      return Promise.all(responses.map((response) => response.text()));
    });
    expect(result).toEqual(["abc", "de"]);
    expect(onbytes.mock.calls).toEqual([
      [0, 5],
      [3, 5],
      [5, 5],
    ]);
    expect(here.fetch).toBe(before);
  });

  it("hands responses on untouched where the service worker has the files", async () => {
    const here = scope(["dragoman-shell-0123"]);
    const onbytes = vi.fn();
    await watchingFetches(here, 5, onbytes, async () => (await here.fetch("a.wasm")).text());
    expect(onbytes.mock.calls).toEqual([
      [0, 5],
      [5, 5],
    ]);
  });

  it("counts where the browser refuses to say what is kept", async () => {
    const here = scope();
    const caches = { keys: () => Promise.reject(new DOMException("The operation is insecure.", "SecurityError")) };
    const onbytes = vi.fn();
    const blocked = Object.assign(here, { caches: caches as unknown as CacheStorage });
    expect(await watchingFetches(blocked, 5, onbytes, async () => (await here.fetch("a.wasm")).text())).toBe("abc");
    expect(onbytes.mock.calls).toEqual([[0, 5], [3, 5], [5, 5]]);
  });

  it("rejects for a missing file though the runtime waits for good", async () => {
    const here = scope();
    const loading = watchingFetches(here, 5, () => undefined, async () => {
      await here.fetch("c.wasm").catch(() => undefined);
      return new Promise<never>(() => undefined);
    });
    await expect(loading).rejects.toMatchObject({ code: "network" });
  });

  it("keeps what has a code of its own, and what tells of memory", async () => {
    const failing = (error: Error) => watchingFetches(scope(), 5, () => undefined, () => Promise.reject(error));
    const noSimd = new DragomanError("not-supported", "this browser has no WebAssembly SIMD", {});
    await expect(failing(noSimd)).rejects.toBe(noSimd);
    const noMemory = new RangeError("WebAssembly.Memory(): could not allocate memory");
    await expect(failing(noMemory)).rejects.toBe(noMemory);
    await expect(failing(new DragomanError("network", "/a.wasm: status 404", {}))).rejects.toMatchObject({
      code: "network",
      message: "a file could not be fetched: /a.wasm: status 404",
    });
  });

  it("gives what the runtime throws a code", async () => {
    const loading = watchingFetches(scope(), 5, () => undefined, () => Promise.reject(new TypeError("no import")));
    await expect(loading).rejects.toMatchObject({
      code: "network",
      message: "a file could not be fetched: no import",
    });
  });
});
