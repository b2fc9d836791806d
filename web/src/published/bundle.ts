/** A published model as the workers open it: a bundle by a name of its own, with a manifest made of its record. */

import type { OnBytes } from "../base/bytes.ts";
import { parseManifest, type PublishedBundle } from "../stores/model-store.ts";
import { BUNDLE_FORMAT, PUBLISHED } from "../wire/contract.ts";
import { DragomanError } from "../wire/errors.ts";
import { pairOf, type PublishedModel } from "./catalogue.ts";
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
export function manifestText(model: PublishedModel): string {
  const { id, source, target, architecture, version, score, licence, status, publisher, home, files } = model;
  return JSON.stringify({
    format: BUNDLE_FORMAT,
    name: `${pairOf(model)}-${architecture}`,
    version: version ?? "not numbered",
    source,
    target,
    files: Object.fromEntries(
      files.map(({ type, name, size, sha256 }) => [PUBLISHED.roles[type], { path: name, bytes: size, sha256 }]),
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
 * @throws DragomanError as `PublishedStore.read`; "bundle": a file is not there that every model has.
 */
export async function openPublished(store: PublishedStore, pair: string, onbytes: OnBytes): Promise<PublishedBundle> {
  const { model: record, contents } = await store.read(pair, onbytes, ["lex"]);
  const text = manifestText(record);
  const [model, vocabulary] = [contents.get("model"), contents.get("vocab") ?? contents.get("srcvocab")];
  if (!model || !vocabulary) throw new DragomanError("bundle", `${pair} lacks its model file or its vocabulary`, { pair });
  return {
    manifest: parseManifest(text),
    manifestText: text,
    model,
    vocabulary,
    targetVocabulary: contents.get("trgvocab"),
    shortlist: undefined,
  };
}
