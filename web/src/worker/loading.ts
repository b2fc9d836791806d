/** Counting what a runtime fetches by itself. */

import { countBody, type OnBytes } from "../bytes.ts";
import { SHELL_CACHE_PREFIX } from "../caches.ts";

/**
 * Run `load` while the bytes that it fetches through the global `fetch` are counted.
 *
 * Not where the service worker has the files: they come at once, and a browser keeps compiled
 * WebAssembly only for responses that reach it untouched.
 */
export async function countingFetches<T>(
  scope: WindowOrWorkerGlobalScope,
  total: number,
  onbytes: OnBytes,
  load: () => Promise<T>,
): Promise<T> {
  onbytes(0, total);
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is put back
  const original = scope.fetch;
  if (!(await hasShell(scope.caches))) {
    let loaded = 0;
    scope.fetch = async (...args) =>
      countBody(await original.apply(scope, args), (bytes) => {
        loaded += bytes;
        if (loaded < total) onbytes(loaded, total);
      });
  }
  try {
    const result = await load();
    onbytes(total, total);
    return result;
  } finally {
    scope.fetch = original;
  }
}

async function hasShell(storage: CacheStorage): Promise<boolean> {
  return (await storage.keys()).some((name) => name.startsWith(SHELL_CACHE_PREFIX));
}
