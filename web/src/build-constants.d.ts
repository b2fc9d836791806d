/** What `web/build.mjs` puts in. */

/** Workers' scripts, relative to the script that starts them. */
declare const LANGUAGE_WORKER: string;
declare const ENGINE_WORKER: string;
declare const ENGINE_THREAD: string;

/** Relative to the base: the interpreter with the core in it, gzipped, and SentencePiece's wheel. */
declare const SNAPSHOT: string;
/** Its files; a name that ends in `.gz` is that of a packed one. */
declare const SENTENCEPIECE: readonly string[];

/** What reads documents, a zip: fetched when the first one comes. */
declare const DOCUMENTS: string;

/** What tells this release of the core from all others: the SHA-256 of its wheel. */
declare const CORE: string;

/** Bytes of what each stage fetches, decoded. */
declare const STAGE_BYTES: { readonly runtime: number; readonly core: number; readonly engine: number };

/** The files of the shell, relative to the base, and the version that they make together. */
declare const PRECACHE: readonly { readonly path: string; readonly sha256: string }[];
declare const VERSION: string;
