/** Caches of the site, by name. */

/** The service worker's, followed by the version. */
export const SHELL_CACHE_PREFIX = "dragoman-shell-";
/** The model store's. */
export const MODEL_CACHE = "dragoman-models";
/** Which engine was faster, by model. */
export const ENGINE_CACHE = "dragoman-engines";
/** What other apps shared with this one, until the page takes it. */
export const SHARED_CACHE = "dragoman-shared";
