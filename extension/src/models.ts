/**
 * The models of this extension: those that are packed, those that were fetched, and all that were published.
 *
 * The catalogue is packed too (`models/published.json`, with addresses): nothing is asked of anybody to know it.
 */

import { findOffers, type Offer } from "../../web/src/api/offers.ts";
import { isFetchable, readCatalogue, type PublishedModel } from "../../web/src/published/catalogue.ts";
import { PublishedStore } from "../../web/src/published/store.ts";
import { closest } from "../../web/src/base/tags.ts";
import { fetchModels } from "../../web/src/stores/models.ts";
import { Directions } from "../../web/src/ui/directions.ts";
import { api, formatSize, languageName, message, ownLanguage } from "./api.ts";
import type { Pair } from "./messages.ts";

const CATALOGUE = "models/published.json";

/** All of the catalogue. */
export async function publishedModels(): Promise<readonly PublishedModel[]> {
  const url = api.runtime.getURL(CATALOGUE);
  return readCatalogue(await (await fetch(url)).text(), url);
}

/** The same without addresses: who brings files by hand has asked nobody to be fetched from. */
export async function knownModels(): Promise<readonly PublishedModel[]> {
  const models = await publishedModels();
  return models.map((model) => ({ ...model, files: model.files.map((file) => ({ ...file, sources: [] })) }));
}

/** What there is to choose from, in pages and in the background. */
export async function ownOffers(store = new PublishedStore()): Promise<readonly Offer[]> {
  const kept = await store.models();
  const here = new Set(kept.map(({ id }) => id));
  return findOffers({
    models: () => fetchModels(api.runtime.getURL("/")),
    isKept: () => Promise.resolve(true),
    catalogues: [CATALOGUE],
    published: {
      models: () => Promise.resolve(kept),
      catalogue: async () => (await publishedModels()).filter(isFetchable),
      // A model that has no record was not fetched, whatever files it shares.
      isKept: async (model) => here.has(model.id) && store.isKept(model),
    },
  });
}

/** Where the files that are missing of some models come from, as permissions name them. */
export function originsOf(models: readonly PublishedModel[]): string[] {
  const urls = models.flatMap(({ files }) => files).flatMap(({ sources }) => sources.map(({ url }) => new URL(url)));
  return [...new Set(urls.map(({ protocol, hostname }) => `${protocol}//${hostname}/*`))];
}

/** Those of a route that are to be fetched. */
export function missingOf(legs: readonly Offer[]): readonly PublishedModel[] {
  return legs.flatMap(({ published, isKept }) => (published && !isKept ? [published] : []));
}

export function directionsOf(offers: readonly Offer[]): Directions {
  return new Directions(offers, ownLanguage());
}

/** What the reader wants to read: as chosen, else the browser's language. */
export function wantedTarget(chosen: string): string {
  return chosen || api.i18n.getUILanguage();
}

/** The route for a text: into what the reader wants to read, else into what is at hand. */
export function wantedRoute(directions: Directions, language: string, chosen: string): (Pair & { readonly missing: number }) | null {
  const source = closest(language, directions.sources("").map(({ tag }) => tag));
  if (source === undefined) return null;
  const targets = directions.targets(source);
  const wanted = closest(wantedTarget(chosen), targets.map(({ tag }) => tag));
  const best = targets.find(({ tag }) => tag === wanted) ?? targets[0]; // Those at hand come first.
  return best ? { source, target: best.tag, missing: best.missing } : null;
}

/**
 * The pair for a text in a language, or a sentence that says why it is not translated: the language is not
 * sure, it has no model here, or it is the reader's own.
 */
export function choosePair(offers: readonly Offer[], language: string | null, chosen: string): Pair | string {
  if (language === null) return message("notSure");
  if (closest(wantedTarget(chosen), [language]) !== undefined) return message("ownAlready", languageName(language));
  const route = wantedRoute(directionsOf(offers), language, chosen);
  if (!route) return message("noModel", languageName(language));
  if (route.missing > 0) return message("notFetched", languageName(language), formatSize(route.missing));
  return { source: route.source, target: route.target };
}
