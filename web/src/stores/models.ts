/** `models/index.json`, which the build writes: the bundles of this site. */

import { PIVOT } from "../wire/contract.ts";
import { DragomanError } from "../wire/errors.ts";

export interface ModelEntry {
  /** Folder in `models/`. */
  readonly bundle: string;
  readonly name: string;
  readonly version: string;
  /** BCP 47 languages, such as "de". */
  readonly source: string;
  readonly target: string;
  /** Of all its files. */
  readonly bytes: number;
}

export interface ModelIndex {
  readonly models: readonly ModelEntry[];
}

export async function fetchModels(
  base: string,
  fetcher: (url: string) => Promise<Response> = fetch.bind(globalThis),
): Promise<readonly ModelEntry[]> {
  const url = new URL("models/index.json", base).href;
  try {
    const response = await fetcher(url);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return ((await response.json()) as ModelIndex).models;
  } catch (error) {
    throw new DragomanError("network", `the list of models could not be fetched: ${String(error)}`, { url });
  }
}

export function findModel(
  models: readonly ModelEntry[],
  source: string,
  target: string,
): ModelEntry | undefined {
  return models.find((model) => model.source === source && model.target === target);
}

/** The models of a translation: one, or two over the pivot; none where the languages are not connected. */
export function findRoute(
  models: readonly ModelEntry[],
  source: string,
  target: string,
): readonly ModelEntry[] {
  const direct = findModel(models, source, target);
  if (direct) return [direct];
  const [first, second] = [findModel(models, source, PIVOT), findModel(models, PIVOT, target)];
  return first && second && source !== target ? [first, second] : [];
}
