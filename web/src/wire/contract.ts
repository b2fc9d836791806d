/**
 * What Python and TypeScript must know alike. Python says it (`web/contract.py`); the build writes it down,
 * and a test that it is current.
 */

import {
  attributes, bundleFormat, buttonTypes, documents, errors, leastColumns, limits, metaNames, nativeHost, opaque, pivot,
  priorities, published, rightToLeft,
} from "./contract.json";

/** The codes of `py/dragoman/errors.py` that a request or a bundle can meet. */
export type PythonErrorCode = keyof typeof errors;

/** Who goes first, from first to last. */
export type Priority = keyof typeof priorities;

/** Their names in `Limits` of `py/dragoman/config.py`, which explains them. */
export type LimitName = keyof typeof limits;

export const LIMITS: Readonly<Record<LimitName, number>> = limits;

export const PRIORITIES = Object.keys(priorities) as readonly Priority[];

/** Errors whose details have the figure that was asked for, and the one that is allowed. */
export const LIMIT_CODES: ReadonlySet<string> = new Set(
  Object.entries(errors).flatMap(([code, hasFigures]) => (hasFigures ? [code] : [])),
);

/** The largest document in bytes, and the endings of names that say what one is. */
export const DOCUMENTS: { readonly bytes: number; readonly endings: readonly string[] } = {
  bytes: documents.bytes,
  endings: Object.values(documents.mediaTypes).flat().sort(),
};

/** The language over which others are connected. */
export const PIVOT = pivot;

export const BUNDLE_FORMAT = bundleFormat;

/** Target pieces that a row with a shortlist chooses among at least (`docs/adr/0058`). */
export const LEAST_COLUMNS = leastColumns;

/** The kinds of file of a published model, by the names of the publisher's indexes. */
export type FileType = keyof typeof published.roles;

/** Of published models: version of their catalogue, what a bundle calls each kind of file, tags that one serves. */
export const PUBLISHED: {
  readonly schema: number;
  readonly roles: Readonly<Record<FileType, string>>;
  readonly together: Readonly<Record<string, readonly string[]>>;
} = published;

/** Elements that are shown as they are: one unbreakable word inside of a sentence. */
export const OPAQUE: ReadonlySet<string> = new Set(opaque);

/** Attributes that people read, and the elements on which they do; none named: any. */
export const ATTRIBUTES: readonly (readonly [name: string, elements: readonly string[]])[] = Object.entries(attributes);

/** Names of `<meta>` whose content people read. */
export const META_NAMES: ReadonlySet<string> = new Set(metaNames);

/** Languages that are written from right to left. */
export const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(rightToLeft);

/** The name by which browsers know the engine of this computer (`dragoman install-host`). */
export const NATIVE_HOST = nativeHost;

/** Kinds of `<input>` whose value is a caption that is never sent. */
export const BUTTON_TYPES: ReadonlySet<string> = new Set(buttonTypes);
