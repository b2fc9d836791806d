/** Caches of the site, by name, and what a browser says that lets it keep nothing. */

/** The service worker's, followed by the version. */
export const SHELL_CACHE_PREFIX = "dragoman-shell-";
/** The model store's. */
export const MODEL_CACHE = "dragoman-models";
/** Which engine was faster, by model. */
export const ENGINE_CACHE = "dragoman-engines";
/** What other apps shared with this one, until the page takes it. */
export const SHARED_CACHE = "dragoman-shared";

const REFUSALS: ReadonlySet<string> = new Set(["SecurityError", "NotAllowedError", "NotSupportedError", "UnknownError"]);

/** Whether it is the browser that lets a site keep nothing (site data blocked), and no fault of what is kept. */
export function isRefusal(error: unknown): boolean {
  return error instanceof DOMException && REFUSALS.has(error.name);
}
