/** What of the browser the translator stands on; tests give fakes. */

import { addressOf, startWorker, type Place, type Urls } from "../base/addresses.ts";
import { DragomanError } from "../wire/errors.ts";
import { modelPackages, packageUrls } from "../stores/model-packages.ts";
import { fetchModels, type ModelEntry } from "../stores/models.ts";
import type { Host, WorkerPair } from "./connection.ts";
import { ConnectionPool } from "./pool.ts";
import { ModelStore } from "../stores/model-store.ts";
import { builtFiles, isPackage } from "./place.ts";
import { PublishedStore } from "../published/store.ts";

export interface Environment extends Host {
  readonly threads: number;
  /** Of this page. */
  readonly connections: ConnectionPool;
  models(): Promise<readonly ModelEntry[]>;
  isKept(bundle: string): Promise<boolean>;
  /** Models of others, and where they are looked for unless a source is named: addresses of catalogues. */
  readonly published: PublishedStore;
  readonly catalogues: readonly string[];
  /** Throws "not-supported". */
  check(): void;
  /** Have workers load what every model needs, for the first translator: before it is known which one that will be. */
  prepare(): void;
}

/** More threads than this gain nothing on mini-batches of this model's size. */
const MOST_THREADS = 4;

const CONNECTIONS = new ConnectionPool();

/** The smallest module that uses SIMD: `(func (result v128) i32.const 0 i8x16.splat)`. */
const SIMD_MODULE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 8, 1, 6, 0, 65, 0, 253, 15, 11],
);

/**
 * @param baseUrl where the built files are served from, if not from where this script is.
 * @throws DragomanError "not-supported"
 */
export function browserEnvironment(baseUrl?: string): Environment {
  checkHost();
  const built = baseUrl === undefined ? builtFiles() : { base: folder(baseUrl) };
  const { base } = built;
  const packages = modelPackages();
  const place = { base, urls: absolute({ ...built.urls, ...packageUrls(packages, base) }) };
  const served = !isPackage || baseUrl !== undefined;
  const host: Host = { ...place, locks: "locks" in navigator ? navigator.locks : undefined, spawn: () => spawn(place) };
  return {
    ...host,
    threads: crossOriginIsolated ? Math.min(MOST_THREADS, navigator.hardwareConcurrency) : 1,
    connections: CONNECTIONS,
    models: async () => (packages.length > 0 || !served ? packages : fetchModels(base)),
    isKept: (bundle) => new ModelStore(base, bundle).isKept(),
    published: new PublishedStore(),
    // An extension's own files are no mirror, and a package has none beside it.
    catalogues: !isPackage && base.startsWith("http") ? [catalogueOf(`${base}published/`)] : [],
    check,
    prepare: () => {
      if (!whyNot()) CONNECTIONS.prepare(host); // Who asks for a translator is told why not.
    },
  };
}

/** With their origins, which Next.js leaves out of what `import.meta.url` gives: workers' addresses are no page's. */
function absolute(urls: Urls): Urls {
  return Object.fromEntries(Object.entries(urls).map(([plain, url]) => [plain, new URL(url, location.href).href]));
}

/** Relative to the page, with a slash at its end. */
function folder(url: string): string {
  return new URL(url.endsWith("/") ? url : `${url}/`, location.href).href;
}

/** Of a mirror, by its address, with or without a slash at its end. */
export function catalogueOf(mirror: string): string {
  return new URL("catalogue.json", mirror.endsWith("/") ? mirror : `${mirror}/`).href;
}

function spawn(place: Place): WorkerPair {
  const id = crypto.randomUUID();
  const names = { language: `dragoman-language-${id}`, engine: `dragoman-engine-${id}` };
  return {
    names,
    language: startWorker(addressOf(place, LANGUAGE_WORKER), names.language),
    engine: startWorker(addressOf(place, ENGINE_WORKER), names.engine),
  };
}

/** Node and service workers have none: nothing else of a browser can be asked for there. */
function checkHost(): void {
  if (typeof Worker === "undefined") {
    throw new DragomanError("not-supported", "there are no web workers here: Dragoman runs in pages and their workers");
  }
}

function check(): void {
  const why = whyNot();
  if (why !== undefined) throw new DragomanError("not-supported", why);
}

function whyNot(): string | undefined {
  if (!isSecureContext) return "the page must come over HTTPS or from this machine";
  return WebAssembly.validate(SIMD_MODULE) ? undefined : "this browser has no WebAssembly SIMD";
}
