import { describe, expect, it } from "vitest";
import { openShelf } from "../../../web/src/published/shelf.ts";
import { FakeCache } from "../support/fakes.ts";

type Scope = Parameters<typeof openShelf>[0];

/** A browser whose private file system is there, or refused, and whose files can be written as they say. */
function scope(methods: object, overrides: { readonly getDirectory?: () => Promise<unknown>; readonly caches?: object } = {}) {
  const opened: string[] = [];
  const written = new Map<string, unknown>();
  const writable = (name: string) => ({
    write: (content: unknown) => Promise.resolve(written.set(name, content)),
    close: () => Promise.resolve(),
  });
  const file = (name: string) => Promise.resolve({ createWritable: () => Promise.resolve(writable(name)) });
  const folder = { getDirectoryHandle: () => Promise.resolve(folder), getFileHandle: file };
  const cache = new FakeCache();
  const caches = {
    open: (name: string) => {
      opened.push(name);
      return Promise.resolve(cache);
    },
  };
  const { getDirectory = () => Promise.resolve(folder), ...others } = overrides;
  const faked = { navigator: { storage: { getDirectory } }, FileSystemFileHandle: { prototype: methods }, caches, ...others };
  return { scope: faked as unknown as Scope, cache, opened, written };
}

const WRITABLE = { createWritable: () => undefined };
const refused = () => Promise.reject(new DOMException("no", "SecurityError"));

describe("openShelf", () => {
  it("is the private file system where that can be written", async () => {
    const there = scope(WRITABLE);
    const shelf = await openShelf(there.scope);
    await shelf?.put("models", "a.json", "{}");
    expect([...there.written]).toEqual([["a.json", "{}"]]);
    expect(there.opened).toEqual([]);
  });

  it.each([
    ["cannot be written", scope({})],
    ["is refused", scope(WRITABLE, { getDirectory: refused })],
  ])("is the Cache API where the file system %s", async (_what, there) => {
    const shelf = await openShelf(there.scope);
    await shelf?.put("models", "a.json", "{}");
    expect(there.opened).toEqual(["dragoman-published"]);
    expect([...there.cache.entries.keys()]).toEqual(["https://dragoman.invalid/models/a.json"]);
    expect(await (await shelf?.get("models", "a.json"))?.text()).toBe("{}");
    expect(await shelf?.list("models")).toEqual(["a.json"]);
  });

  it("is none where nothing can be kept", async () => {
    expect(await openShelf(scope(WRITABLE, { getDirectory: refused, caches: { open: refused } }).scope)).toBeNull();
  });
});
