/** What of the browser the translator stands on; tests give fakes. */

import { DragomanError } from "../wire/errors.ts";
import { fetchModels, type ModelEntry } from "../stores/models.ts";
import type { WorkerPair } from "./connection.ts";
import { ModelStore } from "../stores/model-store.ts";
import { PublishedStore } from "../published/store.ts";

export interface Environment {
  /** Address of the built files, with a slash at its end. */
  readonly base: string;
  readonly threads: number;
  readonly locks: LockManager | undefined;
  spawn(): WorkerPair;
  models(): Promise<readonly ModelEntry[]>;
  isKept(bundle: string): Promise<boolean>;
  /** Models of others, and where they are looked for unless a source is named: addresses of catalogues. */
  readonly published: PublishedStore;
  readonly catalogues: readonly string[];
  /** Throws "not-supported". */
  check(): void;
}

/** More threads than this gain nothing on mini-batches of this model's size. */
const MOST_THREADS = 4;

/** The smallest module that uses SIMD: `(func (result v128) i32.const 0 i8x16.splat)`. */
const SIMD_MODULE = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 8, 1, 6, 0, 65, 0, 253, 15, 11],
);

export function browserEnvironment(base = new URL("./", import.meta.url).href): Environment {
  return {
    base,
    threads: crossOriginIsolated ? Math.min(MOST_THREADS, navigator.hardwareConcurrency) : 1,
    locks: "locks" in navigator ? navigator.locks : undefined,
    spawn,
    models: () => fetchModels(base),
    isKept: (bundle) => new ModelStore(base, bundle).isKept(),
    published: new PublishedStore(),
    // An extension's own files are no mirror.
    catalogues: base.startsWith("http") ? [catalogueOf(`${base}published/`)] : [],
    check,
  };
}

/** Of a mirror, by its address, with or without a slash at its end. */
export function catalogueOf(mirror: string): string {
  return new URL("catalogue.json", mirror.endsWith("/") ? mirror : `${mirror}/`).href;
}

function spawn(): WorkerPair {
  const id = crypto.randomUUID();
  const names = { language: `dragoman-language-${id}`, engine: `dragoman-engine-${id}` };
  const start = (script: string, name: string): Worker =>
    new Worker(new URL(script, import.meta.url), { type: "module", name });
  return {
    names,
    language: start(LANGUAGE_WORKER, names.language),
    engine: start(ENGINE_WORKER, names.engine),
  };
}

function check(): void {
  if (!isSecureContext) {
    throw new DragomanError("not-supported", "the page must come over HTTPS or from this machine");
  }
  if (!WebAssembly.validate(SIMD_MODULE)) {
    throw new DragomanError("not-supported", "this browser has no WebAssembly SIMD");
  }
}
