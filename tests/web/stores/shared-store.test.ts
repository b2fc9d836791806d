import { beforeEach, describe, expect, it } from "vitest";
import { keepShared, takeShared } from "../../../web/src/stores/shared-store.ts";

/** Of caches in memory, what is used: names, bodies, headers. */
class FakeCaches {
  readonly #caches = new Map<string, Map<string, Response>>();

  delete(name: string): Promise<boolean> {
    return Promise.resolve(this.#caches.delete(name));
  }

  open(name: string): Promise<Cache> {
    const kept = this.#caches.get(name) ?? new Map<string, Response>();
    this.#caches.set(name, kept);
    const cache = {
      match: (url: string) => Promise.resolve(kept.get(url)?.clone()),
      put: (url: string, response: Response) => {
        kept.set(url, response);
        return Promise.resolve();
      },
    };
    return Promise.resolve(cache as unknown as Cache);
  }

  get names(): string[] {
    return [...this.#caches.keys()];
  }
}

let caches: FakeCaches;
const storage = (): CacheStorage => caches as unknown as CacheStorage;

beforeEach(() => {
  caches = new FakeCaches();
});

function form(fields: Readonly<Record<string, string>>, ...files: File[]): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  for (const file of files) data.append("documents", file);
  return data;
}

describe("what is shared", () => {
  it.each([
    [{ title: "Seite", text: "Guten Morgen", url: "https://example.org/" }, "Guten Morgen"],
    [{ title: "Seite", text: " ", url: "https://example.org/" }, "Seite"],
    [{ title: "", text: "", url: "https://example.org/" }, "https://example.org/"],
    [{}, ""],
  ])("of %o has the text", async (fields, text) => {
    await keepShared(form(fields), storage());
    expect((await takeShared(storage())).text).toBe(text);
  });

  it("has the documents, in order and with their names", async () => {
    const files = [new File(["eins"], "Übung 1.txt"), new File(["zwei"], "b.md", { type: "text/markdown" })];
    await keepShared(form({}, ...files), storage());
    const { documents } = await takeShared(storage());
    expect(documents.map(({ name }) => name)).toEqual(["Übung 1.txt", "b.md"]);
    expect(await Promise.all(documents.map((file) => file.text()))).toEqual(["eins", "zwei"]);
  });

  it("is taken once, and gives way to what is shared after it", async () => {
    await keepShared(form({}, new File(["eins"], "a.txt")), storage());
    await keepShared(form({ text: "Hallo" }), storage());
    expect(await takeShared(storage())).toEqual({ text: "Hallo", documents: [] });
    expect(await takeShared(storage())).toEqual({ text: "", documents: [] });
    expect(caches.names).toEqual([]);
  });
});
