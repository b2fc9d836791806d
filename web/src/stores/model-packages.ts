/**
 * Models that came as packages of npm: `import "dragoman-model-de-en"` puts one on a list that the whole
 * page shares, whatever copies of this library it has.
 */

import type { Urls } from "../base/addresses.ts";
import type { ModelEntry } from "./models.ts";

export interface ModelPackage extends ModelEntry {
  /** Where its files are, by their paths in the bundle. */
  readonly files: Urls;
}

const LIST = Symbol.for("dragoman.models");

export function modelPackages(): readonly ModelPackage[] {
  return (globalThis as { [LIST]?: readonly ModelPackage[] })[LIST] ?? [];
}

/** Addresses of all their files, by those that they would have below a base. */
export function packageUrls(packages: readonly ModelPackage[], base: string): Urls {
  return Object.fromEntries(
    packages.flatMap(({ bundle, files }) =>
      Object.entries(files).map(([path, url]) => [new URL(`models/${bundle}/${path}`, base).href, url]),
    ),
  );
}
