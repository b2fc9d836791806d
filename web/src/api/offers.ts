/**
 * What a translator can choose from, the first of a direction first:
 *
 *     published, kept here  >  the site's own  >  published, to be fetched
 *
 * as on the desktop: what a person fetched goes before what is built in.
 */

import { DragomanError } from "../wire/errors.ts";
import { bundleOf } from "../published/bundle.ts";
import { downloadOf, pairOf, type PublishedModel } from "../published/catalogue.ts";
import type { PublishedStore } from "../published/store.ts";
import type { ModelEntry } from "../stores/models.ts";
import { catalogueOf, type Environment } from "./environment.ts";

export interface Offer extends ModelEntry {
  /** Undefined: it is one of the site's own. */
  readonly published?: PublishedModel;
  /** Whether it works without a network. */
  readonly isKept: boolean;
  /** Bytes to fetch for it where nothing of it is there. */
  readonly download: number;
}

/** What models are looked for with. */
export interface SourceOptions {
  /**
   * Addresses of mirrors (`dragoman models mirror`) in place of the page's own (`published/` beside
   * `dragoman.js`). Where one is of another origin, that origin learns which models are fetched.
   */
  readonly source?: string | readonly string[] | undefined;
  /**
   * A folder with the files of the package (`dragoman/dist/dragoman-files`) or of a built site, where they are not
   * to come from the place that the bundler gave them. Of another origin it must allow CORS.
   */
  readonly baseUrl?: string;
}

/** The part of an environment that models are found with. */
export type OfferEnvironment = Pick<Environment, "models" | "isKept" | "catalogues"> & {
  readonly published: Pick<PublishedStore, "models" | "catalogue" | "isKept">;
};

/**
 * @throws DragomanError "network": the site's own list cannot be had; "fetch-network", "fetch-status", "store": a
 *   mirror's cannot.
 */
export async function findOffers(environment: OfferEnvironment, { source }: SourceOptions = {}): Promise<readonly Offer[]> {
  const { published } = environment;
  const [site, kept, ...mirrors] = await Promise.all([
    siteOffers(environment),
    published.models(),
    ...cataloguesOf(environment, source),
  ]);
  const here = new Set(kept.map(pairOf));
  const others = mirrors.flat().filter((model) => !here.has(pairOf(model)));
  const offers = await Promise.all([...kept, ...firstOfEach(others)].map((model) => publishedOffer(environment, model)));
  return [...offers.filter(({ isKept }) => isKept), ...site, ...offers.filter(({ isKept }) => !isKept)];
}

async function siteOffers(environment: OfferEnvironment): Promise<readonly Offer[]> {
  const models = await environment.models();
  return Promise.all(
    models.map(async (model) => ({ ...model, isKept: await environment.isKept(model.bundle), download: model.bytes })),
  );
}

function cataloguesOf(environment: OfferEnvironment, source: SourceOptions["source"]): Promise<readonly PublishedModel[]>[] {
  const { published, catalogues } = environment;
  if (source !== undefined) return [source].flat().map((mirror) => published.catalogue(catalogueOf(mirror)));
  return catalogues.map((address) => published.catalogue(address).catch(noneHere));
}

/** A site need not have a mirror, and need not be reachable. */
function noneHere(error: unknown): readonly PublishedModel[] {
  if (error instanceof DragomanError && (error.code === "fetch-network" || error.details["status"] === 404)) return [];
  throw error;
}

function firstOfEach(models: readonly PublishedModel[]): readonly PublishedModel[] {
  return [...new Map([...models].reverse().map((model) => [pairOf(model), model])).values()].reverse();
}

async function publishedOffer({ published }: OfferEnvironment, model: PublishedModel): Promise<Offer> {
  return {
    bundle: bundleOf(model),
    name: `${pairOf(model)}-${model.architecture}`,
    version: model.version ?? "",
    source: model.source,
    target: model.target,
    bytes: model.files.reduce((total, { size }) => total + size, 0),
    published: model,
    isKept: await published.isKept(model),
    download: model.files.reduce((total, file) => total + downloadOf(file), 0),
  };
}
