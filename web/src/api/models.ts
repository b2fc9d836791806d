/** The models that there are, and getting and deleting published ones: what `Translator`'s static functions do. */

import { DragomanError } from "../wire/errors.ts";
import { pairOf, type PublishedModel } from "../published/catalogue.ts";
import type { FetchProgress } from "../published/store.ts";
import { findRoute, type ModelEntry } from "../stores/models.ts";
import type { Environment } from "./environment.ts";
import { isPackage } from "./place.ts";
import { findOffers, type Offer, type SourceOptions } from "./offers.ts";

export interface LanguagePair {
  /** BCP 47, such as "de". */
  readonly sourceLanguage: string;
  readonly targetLanguage: string;
}

export type Availability = "unavailable" | "downloadable" | "available";

/** A model of one direction. Languages without one between them go over English: two models. */
export interface ModelInfo extends LanguagePair {
  readonly name: string;
  readonly version: string;
  /** Whether the site has it packed, or it was published by others. */
  readonly kind: "built-in" | "published";
  readonly availability: Exclude<Availability, "unavailable">;
  /** Bytes to fetch for all of it, and those that have come so far. */
  readonly download: number;
  readonly fetched: number;
  /** Bytes that it takes when it is kept. */
  readonly installed: number;
  /** COMET-22 on FLORES-200+, in [0, 1], where it is known. */
  readonly score: number | null;
  /** Of published ones: who made them, under what licence. */
  readonly attribution: Attribution | null;
}

export interface Attribution {
  readonly publisher: string;
  readonly licence: string;
  readonly home: string;
}

export interface DownloadOptions extends LanguagePair, SourceOptions {
  /** Ends it; what has come is kept, and the next time goes on there. */
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: FetchProgress) => void;
}

/** @throws DragomanError "not-supported" */
export async function listModels(environment: Environment, options: SourceOptions): Promise<readonly ModelInfo[]> {
  environment.check();
  const offers = await findOffers(environment, options);
  return Promise.all(offers.map((offer) => infoOf(environment, offer)));
}

/**
 * The models of a pair; none where the languages are not connected.
 *
 * @throws DragomanError "not-supported": here is nothing to keep them in, for instance; as `findOffers`.
 */
export async function findLegs(
  environment: Environment,
  { sourceLanguage, targetLanguage, source }: LanguagePair & SourceOptions,
): Promise<{ readonly offers: readonly Offer[]; readonly legs: readonly Offer[] }> {
  environment.check();
  const offers = await findOffers(environment, { source });
  return { offers, legs: findRoute(offers, sourceLanguage, targetLanguage) };
}

/** The published ones among the legs, which a store has or fetches. */
export function publishedOf(legs: readonly Offer[]): readonly PublishedModel[] {
  return legs.flatMap(({ published }) => (published ? [published] : []));
}

/** @throws DragomanError "language-pair"; as `findLegs` and `PublishedStore.fetch`. */
export async function downloadModels(environment: Environment, options: DownloadOptions): Promise<void> {
  const { offers, legs } = await findLegs(environment, options);
  if (!legs.length) throw noModel(offers, options);
  await environment.published.fetch(publishedOf(legs), options);
}

/** @throws DragomanError "language-pair": there is no published model of just this direction; "not-supported". */
export async function deleteModel(environment: Environment, pair: LanguagePair & SourceOptions): Promise<void> {
  environment.check();
  const offers = await findOffers(environment, pair);
  const wanted = pairOf({ source: pair.sourceLanguage, target: pair.targetLanguage });
  const model = publishedOf(offers).find((one) => pairOf(one) === wanted);
  if (!model) throw noModel(offers.filter(({ published }) => published), pair);
  await environment.published.remove(model);
}

export function noModel(models: readonly ModelEntry[], pair: LanguagePair): DragomanError {
  const { sourceLanguage: source, targetLanguage: target } = pair;
  const available = models.map((model) => `${model.source}-${model.target}`).join(", ") || "none";
  const reason = `there is no model from "${source}" to "${target}"; available: ${available}`;
  const name = `dragoman-model-${source}-${target}`;
  const advice = isPackage ? `. A model is a package: npm install ${name}, then import "${name}"` : "";
  return new DragomanError("language-pair", reason + advice, { source, target });
}

async function infoOf({ published: store }: Environment, offer: Offer): Promise<ModelInfo> {
  const { name, version, source, target, published, isKept, download, bytes } = offer;
  const missing = published && !isKept ? await store.missing([published]) : undefined;
  return {
    sourceLanguage: source,
    targetLanguage: target,
    name,
    version,
    kind: published ? "published" : "built-in",
    availability: isKept ? "available" : "downloadable",
    download,
    fetched: missing ? download - missing.download + missing.begun : isKept ? download : 0,
    installed: bytes,
    score: published?.score ?? null,
    attribution: published
      ? { publisher: published.publisher, licence: published.licence, home: published.home }
      : null,
  };
}
