/**
 * Model bundles: fetched once, verified at each use, kept for offline use.
 *
 *     manifest.json   asked of the site first (the service worker answers it without the network,
 *                     and so that it fits the rest of the site), else the one that is kept
 *     files           kept under their SHA-256 and used without asking the network; else fetched
 *
 * Nothing leaves this module whose size and SHA-256 are not the manifest's. A kept file that is
 * corrupt is dropped and fetched again; a fetched one that is corrupt is an error, unless the browser's
 * own cache was to blame.
 */

import { readBody, type OnBytes } from "../base/bytes.ts";
import { isRefusal, MODEL_CACHE } from "./caches.ts";
import { BUNDLE_FORMAT } from "../wire/contract.ts";
import { DragomanError } from "../wire/errors.ts";
import { sha256 } from "../base/hash.ts";
import type { BundleFile, Manifest, OwnFiles, PublishedFiles } from "../wire/bundle.ts";

interface Verified {
  readonly manifest: Manifest;
  /** As it was read: the core parses it for itself. */
  readonly manifestText: string;
  readonly vocabulary: Uint8Array<ArrayBuffer>;
  /** Where it is to be used. */
  readonly shortlist: Uint8Array<ArrayBuffer> | undefined;
}

export interface OwnBundle extends Verified {
  readonly graph: Uint8Array<ArrayBuffer>;
  /** Where the bundle has one: which words are names (`py/dragoman/text/terms/names.py`). */
  readonly nameTable: Uint8Array<ArrayBuffer> | undefined;
}

export interface PublishedBundle extends Verified {
  readonly model: Uint8Array<ArrayBuffer>;
  /** Where there is a vocabulary a side; `vocabulary` is the source's then. */
  readonly targetVocabulary: Uint8Array<ArrayBuffer> | undefined;
}

export type Bundle = OwnBundle | PublishedBundle;

/** What the store needs of its surroundings; tests give fakes. */
export interface StoreHost {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly caches: Pick<CacheStorage, "open">;
  readonly subtle: Pick<SubtleCrypto, "digest">;
}

/** What is wrong where the browser's own cache has some of the files of an older version: they are asked for past it, once. */
const OF_TWO_VERSIONS: ReadonlySet<string> = new Set(["bundle-corrupt", "bundle-missing-file"]);

export class ModelStore {
  readonly #folder: string;
  readonly #host: StoreHost;

  /** `base` ends in a slash. */
  constructor(base: string, bundle: string, host: StoreHost = browserHost()) {
    this.#folder = new URL(`models/${bundle}/`, base).href;
    this.#host = host;
  }

  /**
   * The bundle, from what is kept where possible; `onbytes` counts all files together.
   *
   * @param wanted whether the shortlist is; default: as `openPublished`.
   */
  async load(onbytes: OnBytes = () => undefined, wanted?: boolean): Promise<Bundle> {
    try {
      return await this.#load("default", onbytes, wanted);
    } catch (error) {
      if (!(error instanceof DragomanError) || !OF_TWO_VERSIONS.has(error.code)) throw error;
      return this.#load("reload", onbytes, wanted);
    }
  }

  async #load(mode: RequestCache, onbytes: OnBytes, wanted: boolean | undefined): Promise<Bundle> {
    const cache = await this.#cache();
    const text = await this.#manifestText(cache, mode);
    const { manifest, manifestText } = shortened(text, wanted);
    const files = needed(manifest);
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    let loaded = 0;
    const count = (bytes: number): void => {
      loaded += bytes;
      onbytes(Math.min(loaded, total), total);
    };
    count(0);
    const reading = files.map((file) => this.#file(cache, file, mode, count));
    const contents = await Promise.all(reading).catch(async (error: unknown) => {
      await Promise.allSettled(reading); // A second try is to find what comes yet.
      throw error;
    });
    const of = (file: BundleFile | undefined) => file && contents[files.indexOf(file)];
    await this.#dropOthers(cache, needed(parseManifest(text)));
    const [first] = contents;
    const vocabulary = of(manifest.files.vocabulary);
    if (!first || !vocabulary) throw new DragomanError("bundle", "the manifest names too few files", {});
    const verified = { manifest, manifestText, vocabulary, shortlist: of(manifest.files.shortlist) };
    return isPublished(manifest.files)
      ? { ...verified, model: first, targetVocabulary: of(manifest.files.target_vocabulary) }
      : { ...verified, graph: first, nameTable: of(manifest.files.names) };
  }

  /** Whether all files are kept, so that `load` needs no network. Never downloads. */
  async isKept(): Promise<boolean> {
    const cache = await this.#cache();
    const kept = await cache.match(this.#manifestUrl);
    if (!kept) return false;
    const files = needed(shortened(await kept.text()).manifest);
    const responses = await Promise.all(files.map((file) => cache.match(this.#keyOf(file))));
    return responses.every((response) => response !== undefined);
  }

  /** What is kept; where the browser lets the site keep nothing, each visit fetches anew. */
  async #cache(): Promise<Cache> {
    try {
      return await this.#host.caches.open(MODEL_CACHE);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return NOTHING_KEPT.open(MODEL_CACHE);
    }
  }

  get #manifestUrl(): string {
    return `${this.#folder}manifest.json`;
  }

  /** The hash is in the key, so a new version never meets an old file. */
  #keyOf(file: BundleFile): string {
    return `${this.#folder}${file.path}?sha256=${file.sha256}`;
  }

  async #manifestText(cache: Cache, mode: RequestCache): Promise<string> {
    try {
      const text = await this.#fetched("manifest.json", mode, (response) => response.text());
      parseManifest(text); // A page of some captive portal must not replace the one that is kept.
      await keep(cache, this.#manifestUrl, text);
      return text;
    } catch (error) {
      const kept = await cache.match(this.#manifestUrl);
      if (kept) return kept.text();
      throw error;
    }
  }

  async #file(
    cache: Cache,
    file: BundleFile,
    mode: RequestCache,
    count: (bytes: number) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const key = this.#keyOf(file);
    const kept = await cache.match(key);
    if (kept) {
      const content = new Uint8Array(await kept.arrayBuffer());
      if (!(await this.#fault(file, content))) {
        count(file.bytes);
        return content;
      }
      await cache.delete(key);
    }
    const content = await this.#fetched(file.path, mode, (response) => readBody(response, file.bytes, count));
    const fault = await this.#fault(file, content);
    if (fault) throw fault;
    await keep(cache, key, content);
    return content;
  }

  /** What is wrong with a file, if anything. */
  async #fault(file: BundleFile, content: Uint8Array<ArrayBuffer>): Promise<DragomanError | null> {
    if (content.length !== file.bytes) {
      return corrupt(file, "bytes", file.bytes, content.length);
    }
    const computed = await sha256(content, this.#host.subtle);
    return computed === file.sha256 ? null : corrupt(file, "SHA-256", file.sha256, computed);
  }

  /** What is read of an answer; it may break off meanwhile. */
  async #fetched<T>(path: string, mode: RequestCache, read: (response: Response) => Promise<T>): Promise<T> {
    const url = `${this.#folder}${path}`;
    let status: number;
    try {
      const response = await this.#host.fetch(url, { cache: mode });
      if (response.ok) return await read(response);
      ({ status } = response);
    } catch (error) {
      throw new DragomanError("network", `${path} could not be fetched: ${String(error)}`, { path, url });
    }
    if (status === 404) {
      throw new DragomanError("bundle-missing-file", `${path} is not there`, { path, url });
    }
    throw new DragomanError("network", `${path} could not be fetched: status ${status}`, { path, url, status });
  }

  async #dropOthers(cache: Cache, files: readonly BundleFile[]): Promise<void> {
    const wanted = new Set([this.#manifestUrl, ...files.map((file) => this.#keyOf(file))]);
    for (const { url } of await cache.keys()) {
      if (url.startsWith(this.#folder) && !wanted.has(url)) await cache.delete(url);
    }
  }
}

/** The fields of a manifest that this side reads; the core checks all of them. */
export function parseManifest(text: string): Manifest {
  let manifest: Partial<Manifest> | null;
  try {
    manifest = JSON.parse(text) as Partial<Manifest> | null;
  } catch {
    throw new DragomanError("bundle", "manifest.json is not JSON", { path: "manifest.json" });
  }
  if (manifest?.format !== BUNDLE_FORMAT) {
    const format = manifest?.format ?? null;
    throw new DragomanError("bundle", `the bundle has format ${String(format)}; this version reads ${BUNDLE_FORMAT}`, {
      expected: BUNDLE_FORMAT,
      found: format,
    });
  }
  const files: Partial<OwnFiles & PublishedFiles> = manifest.files ?? {};
  const { model, graph, vocabulary, target_vocabulary: target, names } = files;
  const perhaps = [target, names].filter((file) => file !== undefined);
  if (![model ?? graph, vocabulary, ...perhaps].every(isFile)) {
    throw new DragomanError("bundle", "manifest.json names no graph or no vocabulary", {
      path: "manifest.json",
    });
  }
  return manifest as Manifest;
}

export function isPublished(files: OwnFiles | PublishedFiles): files is PublishedFiles {
  return "model" in files;
}

/** The graph or the model first. */
function needed({ files }: Manifest): readonly BundleFile[] {
  const [first, other] = isPublished(files) ? [files.model, files.target_vocabulary] : [files.graph, files.names];
  return [first, files.vocabulary, other, files.shortlist].filter((file) => file !== undefined);
}

/** Names no shortlist unless it is to be used: what is translated without it is kept apart. */
function shortened(manifestText: string, wanted?: boolean): Pick<Verified, "manifest" | "manifestText"> {
  const manifest = parseManifest(manifestText);
  const { shortlist, ...files } = manifest.files;
  if (!shortlist || (wanted ?? !("target_vocabulary" in files))) return { manifest, manifestText };
  const without = { ...manifest, files };
  return { manifest: without, manifestText: JSON.stringify(without) };
}

/** What sentences are kept under: as `Manifest.model` of `py/dragoman/engines/bundle.py`. */
export function modelKey({ files }: Pick<Manifest, "files">): string {
  return Object.values<BundleFile>({ ...files })
    .map(({ sha256 }) => sha256)
    .sort()
    .join(" ");
}

function isFile(file: Partial<BundleFile> | undefined): file is BundleFile {
  return (
    typeof file?.path === "string" && typeof file.bytes === "number" && typeof file.sha256 === "string"
  );
}

/** A full disk costs the offline use, not the translation: `isKept` then says so. */
async function keep(cache: Cache, key: string, content: string | Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    await cache.put(key, new Response(content));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

function corrupt(
  file: BundleFile,
  what: string,
  expected: string | number,
  found: string | number,
): DragomanError {
  return new DragomanError(
    "bundle-corrupt",
    `${file.path} is corrupt: ${what} ${expected} expected, ${found} found`,
    { path: file.path, expected, found },
  );
}

/** `fetch` is given by whom the global one is watched at times. */
export function browserHost(fetch: StoreHost["fetch"] = globalThis.fetch.bind(globalThis)): StoreHost {
  return { fetch, caches: isWeb() ? caches : NOTHING_KEPT, subtle: crypto.subtle };
}

/**
 * An extension has its files with it: the Cache API takes no others than those of the web. A worker whose script is of
 * another origin has the address of a blob, and the page's origin (`startWorker`).
 */
function isWeb(): boolean {
  return /^https?:/.test(location.origin);
}

const NOTHING_KEPT: StoreHost["caches"] = {
  open: () =>
    Promise.resolve({
      match: () => Promise.resolve(undefined),
      matchAll: () => Promise.resolve([]),
      add: () => Promise.resolve(),
      addAll: () => Promise.resolve(),
      put: () => Promise.resolve(),
      delete: () => Promise.resolve(false),
      keys: () => Promise.resolve([]),
    }),
};
