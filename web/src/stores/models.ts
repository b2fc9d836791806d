/** `models/index.json`, which the build writes: the bundles of this site. */

import { closest } from "../base/tags.ts";
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

type Direction = Pick<ModelEntry, "source" | "target">;

/** The first model of a direction; tags may be narrower or wider than the model's ("de-AT"). */
function findModel<M extends Direction>(models: readonly M[], source: string, target: string): M | undefined {
  const from = closest(source, models.map((model) => model.source));
  const to = closest(target, models.map((model) => model.target));
  return models.find((model) => model.source === from && model.target === to);
}

/** The models of a translation: one, or two over the pivot; none where the languages are not connected. */
export function findRoute<M extends Direction>(models: readonly M[], source: string, target: string): readonly M[] {
  const direct = findModel(models, source, target);
  if (direct) return [direct];
  const [first, second] = [findModel(models, source, PIVOT), findModel(models, PIVOT, target)];
  // Two tags of one language (de, de-DE) are no direction, for the core neither.
  return first && second && first.source !== second.target ? [first, second] : [];
}
