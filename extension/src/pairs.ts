/** The pairs of languages that the packed models translate. */

import type { ModelEntry } from "../../web/src/stores/models.ts";
import { fetchModels } from "../../web/src/stores/models.ts";
import { primary } from "../../web/src/dom/nodes/rules.ts";
import { api } from "./api.ts";

export function packedModels(): Promise<readonly ModelEntry[]> {
  return fetchModels(api.runtime.getURL("/"));
}

export function targetsOf(models: readonly ModelEntry[], source: string): string[] {
  return [...new Set(models.filter((model) => model.source === source).map(({ target }) => target))].sort();
}

export function sourcesOf(models: readonly ModelEntry[]): string[] {
  return [...new Set(models.map(({ source }) => source))].sort();
}

/** The target for a source: what the user chose, else the browser's language, else the first. */
export function bestTarget(models: readonly ModelEntry[], source: string, chosen: string): string | undefined {
  const targets = targetsOf(models, source);
  return [chosen, primary(api.i18n.getUILanguage())].find((target) => targets.includes(target)) ?? targets[0];
}
