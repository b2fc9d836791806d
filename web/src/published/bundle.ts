/** A published model as the workers open it: a bundle by a name of its own, with a manifest made of its record. */

import type { OnBytes } from "../base/bytes.ts";
import { parseManifest, type PublishedBundle } from "../stores/model-store.ts";
import { BUNDLE_FORMAT, PUBLISHED, type FileType } from "../wire/contract.ts";
import { DragomanError } from "../wire/errors.ts";
import { pairOf, type PublishedFile, type PublishedModel } from "./catalogue.ts";
import type { PublishedStore } from "./store.ts";

/** No folder of a site's models is called so: those have no slash. */
const PREFIX = "published/";

export function bundleOf(model: PublishedModel): string {
  return PREFIX + pairOf(model);
}

/** The direction that a bundle's name stands for; undefined: it is a folder of the site's. */
export function publishedPair(bundle: string): string | undefined {
  return bundle.startsWith(PREFIX) ? bundle.slice(PREFIX.length) : undefined;
}

/**
 * `manifest.json` as the desktop's store writes it (`py/dragoman/store/store.py`), but for sizes and limits: the
 * core reads those out of the model file.
 */
export function manifestText(model: PublishedModel, without: readonly FileType[] = []): string {
  const { id, source, target, architecture, version, score, licence, status, publisher, home, files } = model;
  return JSON.stringify({
    format: BUNDLE_FORMAT,
    name: `${pairOf(model)}-${architecture}`,
    version: version ?? "not numbered",
    source,
    target,
    files: Object.fromEntries(
      files.filter(({ type }) => !without.includes(type)).map(({ type, name, size, sha256 }) => [PUBLISHED.roles[type], { path: name, bytes: size, sha256 }]),
    ),
    precision: "int8",
    licence,
    scores: score === null ? {} : { "flores200-plus": { comet22: score } },
    published: { id, publisher, home, status },
  });
}

/**
 * What the engine worker opens, verified; damaged files are fetched anew.
 *
 * @param shortlist whether it is wanted. Default: where both sides share their pieces; else what is to be copied
 *   may be no piece of the target's.
 * @throws DragomanError as `PublishedStore.read`; "bundle": a file is not there that every model has.
 */
export async function openPublished(
  store: PublishedStore,
  pair: string,
  onbytes: OnBytes,
  shortlist?: boolean,
): Promise<PublishedBundle> {
  const without = (files: readonly PublishedFile[]): readonly FileType[] =>
    shortlist ?? !files.some(({ type }) => type === "trgvocab") ? [] : ["lex"];
  const { model: record, contents } = await store.read(pair, onbytes, without);
  // Sentences that were kept are those of a model with its shortlist, or of one without.
  const text = manifestText(record, without(record.files));
  const [model, vocabulary] = [contents.get("model"), contents.get("vocab") ?? contents.get("srcvocab")];
  if (!model || !vocabulary) throw new DragomanError("bundle", `${pair} lacks its model file or its vocabulary`, { pair });
  return {
    manifest: parseManifest(text),
    manifestText: text,
    model,
    vocabulary,
    targetVocabulary: contents.get("trgvocab"),
    shortlist: contents.get("lex"),
  };
}
