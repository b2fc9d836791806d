/** Watching what a runtime fetches by itself. */

import { countBody, type OnBytes } from "../base/bytes.ts";
import { isRefusal, SHELL_CACHE_PREFIX } from "../stores/caches.ts";
import { deferred } from "../base/deferred.ts";
import { DragomanError, toWire } from "../wire/errors.ts";

type Scope = Pick<WindowOrWorkerGlobalScope, "fetch" | "caches">;

/**
 * Run `load` with an eye on the global `fetch`: bytes are counted, and a file that does not come
 * rejects (Pyodide waits for good when its WebAssembly is not there).
 *
 * Bytes are not counted where the service worker has the files: they come at once, and a browser
 * keeps compiled WebAssembly only for responses that reach it untouched.
 *
 * @throws DragomanError "network"; what `load` rejects with, if that is something else: a code of its own, or no memory.
 */
export async function watchingFetches<T>(
  scope: Scope,
  total: number,
  onbytes: OnBytes,
  load: () => Promise<T>,
): Promise<T> {
  onbytes(0, total);
  const counted = !(await hasShell(scope.caches));
  const missing = deferred<never>();
  let loaded = 0;
  const onchunk = (bytes: number): void => {
    loaded += bytes;
    if (loaded < total) onbytes(loaded, total);
  };
  const fail = (error: unknown): void => {
    missing.reject(error);
  };
  const original = scope.fetch;
  scope.fetch = async (...args) => {
    try {
      const response = await original.apply(scope, args);
      if (!response.ok) throw new Error(`${response.url}: status ${response.status}`);
      return counted ? countBody(response, onchunk, fail) : response;
    } catch (error) {
      fail(error);
      throw error;
    }
  };
  try {
    const result = await Promise.race([load(), missing.promise]);
    onbytes(total, total);
    return result;
  } catch (error) {
    const { code, message } = toWire(error, "network");
    if (code !== "network" || error instanceof RangeError) throw error;
    throw new DragomanError("network", `a file could not be fetched: ${message}`);
  } finally {
    scope.fetch = original;
  }
}

/** Where site data are blocked there is no service worker either. */
async function hasShell(storage: CacheStorage): Promise<boolean> {
  try {
    return (await storage.keys()).some((name) => name.startsWith(SHELL_CACHE_PREFIX));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return false;
  }
}
