/** The pairs of languages that the packed models translate. */

import type { ModelEntry } from "../../web/src/stores/models.ts";
import { fetchModels } from "../../web/src/stores/models.ts";
import { primary } from "../../web/src/dom/nodes/rules.ts";
import { api, languageName, message } from "./api.ts";
import type { Pair } from "./messages.ts";

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

/**
 * The pair for a text in a language, or a sentence that says why it is not translated: the language is not
 * sure, it has no model, or it is the reader's own.
 */
export function choosePair(models: readonly ModelEntry[], language: string | null, chosen: string): Pair | string {
  if (language === null) return message("notSure");
  const target = bestTarget(models, language, chosen);
  if (language === (chosen || primary(api.i18n.getUILanguage()))) return message("ownAlready", languageName(language));
  return target ? { source: language, target } : message("noModel", languageName(language));
}
