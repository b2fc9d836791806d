import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import contract from "../../../web/src/wire/contract.json";
import { browserHost, modelKey, ModelStore, parseManifest, type Bundle } from "../../../web/src/stores/model-store.ts";
import { FakeCache } from "../support/fakes.ts";
import { MANIFEST } from "../support/values.ts";

const FOLDER = "http://localhost/models/de-en/";
const GRAPH_KEY = `${FOLDER}model.onnx?sha256=${MANIFEST.files.graph.sha256}`;

let site: Map<string, string>;
let cache: FakeCache;
let fetched: string[];

function store() {
  const fetch = (url: string): Promise<Response> => {
    fetched.push(url.slice(FOLDER.length));
    const content = site.get(url.slice(FOLDER.length));
    return Promise.resolve(new Response(content ?? "", { status: content === undefined ? 404 : 200 }));
  };
  return new ModelStore("http://localhost/", "de-en", { fetch, caches: cache.storage, subtle: crypto.subtle });
}

function offline() {
  const fetch = (): Promise<Response> => Promise.reject(new TypeError("Failed to fetch"));
  return new ModelStore("http://localhost/", "de-en", { fetch, caches: cache.storage, subtle: crypto.subtle });
}

const text = (content: Uint8Array): string => new TextDecoder().decode(content);

function graphOf(bundle: Bundle): Uint8Array {
  return "graph" in bundle ? bundle.graph : expect.fail("it is a published model");
}

beforeEach(() => {
  site = new Map([
    ["manifest.json", JSON.stringify(MANIFEST)],
    ["model.onnx", "abc"],
    ["vocabulary.spm", "de"],
  ]);
  cache = new FakeCache();
  fetched = [];
});

describe("ModelStore", () => {
  it("fetches, verifies and keeps", async () => {
    const onbytes = vi.fn();
    const bundle = await store().load(onbytes);
    expect(bundle.manifestText).toBe(JSON.stringify(MANIFEST));
    expect([text(graphOf(bundle)), text(bundle.vocabulary)]).toEqual(["abc", "de"]);
    expect(onbytes.mock.calls[0]).toEqual([0, 5]);
    expect(onbytes.mock.calls.at(-1)).toEqual([5, 5]);
    expect(await store().isKept()).toBe(true);
  });

  it("asks the network for no file that is kept", async () => {
    await store().load();
    fetched = [];
    await store().load();
    expect(fetched).toEqual(["manifest.json"]);
  });

  it("works without a network once everything is kept", async () => {
    expect(await offline().isKept()).toBe(false);
    await expect(offline().load()).rejects.toMatchObject({ code: "network" });
    await store().load();
    expect(text(graphOf(await offline().load()))).toBe("abc");
  });

  it.each(["manifest.json", "model.onnx"])("is an error of the network where the connection breaks off within %s, and none of it is kept", async (path) => {
    const fetch = (url: string): Promise<Response> => {
      if (!url.endsWith(path)) return Promise.resolve(new Response(site.get(url.slice(FOLDER.length))));
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new Uint8Array([97]));
          controller.error(new TypeError("network error"));
        },
      });
      return Promise.resolve(new Response(body));
    };
    const broken = new ModelStore("http://localhost/", "de-en", { fetch, caches: cache.storage, subtle: crypto.subtle });
    await expect(broken.load()).rejects.toMatchObject({ code: "network", details: { path } });
    expect(await store().isKept()).toBe(false);
  });

  it("names file, expected and found of a corrupt file", async () => {
    site.set("model.onnx", "abd");
    await expect(store().load()).rejects.toMatchObject({
      code: "bundle-corrupt",
      details: {
        path: "model.onnx",
        expected: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        found: "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9",
      },
    });
    expect(cache.entries.has(GRAPH_KEY)).toBe(false);
  });

  it.each([
    ["an older file", "model.onnx", "abd"],
    ["an older manifest", "manifest.json", JSON.stringify(MANIFEST).replace("model.onnx", "older.onnx")],
  ])("asks past the browser's own cache, once, where that has %s", async (_what, stale, content) => {
    const asked: string[] = [];
    const fetch = (url: string, { cache: mode }: RequestInit = {}): Promise<Response> => {
      const path = url.slice(FOLDER.length);
      asked.push(`${path} ${String(mode)}`);
      const found = path === stale && mode === "default" ? content : site.get(path);
      return Promise.resolve(new Response(found ?? "", { status: found === undefined ? 404 : 200 }));
    };
    const there = new ModelStore("http://localhost/", "de-en", { fetch, caches: cache.storage, subtle: crypto.subtle });
    expect(text(graphOf(await there.load()))).toBe("abc");
    expect(asked.slice(-2)).toEqual(["manifest.json reload", "model.onnx reload"]);
    expect(asked).toHaveLength(5);
  });

  it("names the sizes of a truncated file", async () => {
    site.set("vocabulary.spm", "d");
    await expect(store().load()).rejects.toMatchObject({
      code: "bundle-corrupt",
      details: { path: "vocabulary.spm", expected: 2, found: 1 },
    });
  });

  it("fetches a kept file again that has become corrupt", async () => {
    await store().load();
    cache.entries.set(GRAPH_KEY, new TextEncoder().encode("xyz"));
    expect(text(graphOf(await store().load()))).toBe("abc");
    expect(text(cache.entries.get(GRAPH_KEY) ?? new Uint8Array())).toBe("abc");
  });

  it("takes published files as they are, with a vocabulary a side where there are two", async () => {
    const { graph: model, vocabulary } = MANIFEST.files;
    const manifest = { ...MANIFEST, files: { model: { ...model, path: "model.bin" }, vocabulary, target_vocabulary: vocabulary } };
    site.set("manifest.json", JSON.stringify(manifest));
    site.set("model.bin", "abc");
    const onbytes = vi.fn();
    const bundle = await store().load(onbytes);
    if (!("model" in bundle)) return expect.fail("it is one of ours");
    expect([bundle.model, bundle.vocabulary, bundle.targetVocabulary ?? new Uint8Array()].map(text)).toEqual(["abc", "de", "de"]);
    expect(onbytes.mock.calls.at(-1)).toEqual([7, 7]);
    expect(await store().isKept()).toBe(true);
  });

  it("reads a shortlist where it is to be used, and keeps apart what is translated without", async () => {
    const { graph: model, vocabulary } = MANIFEST.files;
    const shortlist = { ...vocabulary, path: "lex.bin" };
    site.set("model.bin", "abc");
    site.set("lex.bin", "de");
    const read = async (files: object, wanted?: boolean) => {
      site.set("manifest.json", JSON.stringify({ ...MANIFEST, files: { model: { ...model, path: "model.bin" }, vocabulary, shortlist, ...files } }));
      const bundle = await store().load(undefined, wanted);
      return { has: bundle.shortlist !== undefined, named: bundle.manifestText.includes("lex.bin") };
    };
    expect(await read({})).toEqual({ has: true, named: true });
    expect(await read({}, false)).toEqual({ has: false, named: false });
    expect(await read({ target_vocabulary: vocabulary })).toEqual({ has: false, named: false });
    expect(await read({ target_vocabulary: vocabulary }, true)).toEqual({ has: true, named: true });
    expect(await store().isKept()).toBe(true);
  });

  it("has the table of names of a bundle that names one", async () => {
    const { vocabulary } = MANIFEST.files;
    const files = { ...MANIFEST.files, names: { ...vocabulary, path: "names.table" } };
    site.set("manifest.json", JSON.stringify({ ...MANIFEST, files }));
    site.set("names.table", "de");
    const bundle = await store().load();
    expect("nameTable" in bundle && bundle.nameTable && text(bundle.nameTable)).toBe("de");
    expect(await store().isKept()).toBe(true);
    expect(() => parseManifest(JSON.stringify({ ...MANIFEST, files: { ...files, names: {} } }))).toThrow();
  });

  it("names a missing file", async () => {
    site.delete("vocabulary.spm");
    await expect(store().load()).rejects.toMatchObject({
      code: "bundle-missing-file",
      details: { path: "vocabulary.spm" },
    });
  });

  it("drops the files of an older version", async () => {
    await store().load();
    const graph = { ...MANIFEST.files.graph, sha256: "cb8379ac2098aa165029e3938a51da0bcecfc008fd6795f401178647f96c5b34" };
    site.set("manifest.json", JSON.stringify({ ...MANIFEST, files: { ...MANIFEST.files, graph } }));
    site.set("model.onnx", "def");
    expect(text(graphOf(await store().load()))).toBe("def");
    expect(cache.entries.has(GRAPH_KEY)).toBe(false);
    expect(cache.entries.size).toBe(3);
  });

  it("does without keeping where there is no room", async () => {
    cache.full = true;
    expect(text(graphOf(await store().load()))).toBe("abc");
    expect(await store().isKept()).toBe(false);
  });

  it("does without keeping where the browser refuses it, and only there", async () => {
    const refusing = (error: Error) => {
      const fetch = (url: string) => Promise.resolve(new Response(site.get(url.slice(FOLDER.length))));
      const caches = { open: () => Promise.reject(error) };
      return new ModelStore("http://localhost/", "de-en", { fetch, caches, subtle: crypto.subtle });
    };
    const blocked = refusing(new DOMException("The operation is insecure.", "SecurityError"));
    expect(text(graphOf(await blocked.load()))).toBe("abc");
    expect(await blocked.isKept()).toBe(false);
    const broken = refusing(new DOMException("no room", "QuotaExceededError"));
    await expect(broken.load()).rejects.toThrow("no room");
    await expect(broken.isKept()).rejects.toThrow("no room");
  });

  it("does not let another site's page replace a kept manifest", async () => {
    await store().load();
    site.set("manifest.json", "<!doctype html><title>Log in</title>");
    expect((await store().load()).manifest.name).toBe("de-en-fake");
  });
});

describe("browserHost", () => {
  afterEach(() => { vi.unstubAllGlobals(); });

  it.each([
    ["a page of the web", "https:", "https://example.org", true],
    ["a worker whose script is another origin's", "blob:", "https://example.org", true],
    ["an extension", "chrome-extension:", "chrome-extension://abc", false],
    ["Node", "file:", "null", false],
  ])("keeps files on the web alone: %s", (_what, protocol, origin, keeps) => {
    vi.stubGlobal("location", { protocol, origin });
    const { storage } = cache;
    vi.stubGlobal("caches", storage);
    expect(browserHost(vi.fn()).caches === storage).toBe(keeps);
  });
});

describe("parseManifest", () => {
  it.each([
    ["null", "the bundle has format null; this version reads 1"],
    ['{"format": 2}', "the bundle has format 2; this version reads 1"],
    ['{"format": 1, "files": {"model": {"path": "a", "bytes": 1, "sha256": "b"}}}', "manifest.json names no graph or no vocabulary"],
    ['{"format": 1}', "manifest.json names no graph or no vocabulary"],
    ["<html>", "manifest.json is not JSON"],
  ])("rejects %s", (content, message) => {
    expect(() => parseManifest(content)).toThrow(expect.objectContaining({ code: "bundle", message }));
  });
});

describe("modelKey", () => {
  it("is the one of Python's example", () => {
    const { sha256, key } = contract.modelKey;
    const file = { path: "x", bytes: 1 };
    const files = { graph: { ...file, sha256: sha256.graph }, vocabulary: { ...file, sha256: sha256.vocabulary } };
    expect(modelKey({ files })).toBe(key);
  });
});
