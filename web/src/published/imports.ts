/**
 * Models without a network: files that a person drops.
 *
 *     a .tar of `dragoman models export`   files/SHA256 and fr-en/manifest.json, read twice: what is in it, then
 *                                          its files, one after the other, never all in memory
 *     published files, packed by gzip or not   known by their SHA-256 among those that were published
 *
 * All or nothing of a drop: what it has brought before an error is deleted, unless a model uses it.
 */

import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { sha256 } from "../base/hash.ts";
import { PUBLISHED, type FileType } from "../wire/contract.ts";
import { DragomanError } from "../wire/errors.ts";
import { checked, filesOf, pairOf, type PublishedFile, type PublishedModel } from "./catalogue.ts";
import type { PublishedStore } from "./store.ts";

/** Bytes: no file of a model is as large. */
const LARGEST = 500_000_000;
const TYPES = Object.fromEntries(Object.entries(PUBLISHED.roles).map(([type, role]) => [role, type as FileType]));

/** The fields of an exported manifest that are read. */
interface ManifestData {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly target: string;
  readonly licence?: string;
  readonly files: Readonly<Record<string, { readonly path: string; readonly bytes: number; readonly sha256: string }>>;
  readonly scores?: { readonly "flores200-plus"?: { readonly comet22?: number } };
  readonly published?: { readonly id?: string; readonly publisher?: string; readonly home?: string; readonly status?: string | null };
}

/**
 * Take models into the store.
 *
 * @param known what was published; asked for where plain files come.
 * @returns the models that were taken.
 * @throws DragomanError "archive": the files are no model, or one is missing; "fetch-corrupt", "no-room", "store".
 */
export async function takeFiles(
  store: PublishedStore,
  files: readonly File[],
  known: () => Promise<readonly PublishedModel[]>,
): Promise<readonly PublishedModel[]> {
  const taken: PublishedModel[] = [];
  const plain: File[] = [];
  for (const file of files) {
    if (await isTar(file)) taken.push(...(await takeExported(store, file)));
    else plain.push(file);
  }
  if (plain.length) taken.push(...(await takePublished(store, plain, await known())));
  return taken;
}

// --- exported -----------------------------------------------------------------------------------

async function takeExported(store: PublishedStore, archive: File): Promise<readonly PublishedModel[]> {
  const models: PublishedModel[] = [];
  for await (const { header, body } of entries(archive)) {
    if (header.name.endsWith("/manifest.json")) models.push(describe(await new Response(body).text(), header.name));
    else await passOver(body);
  }
  if (!models.length) throw new DragomanError("archive", `${archive.name} holds no models`, { path: archive.name });
  const wanted = new Map(filesOf(models).map((file) => [file.sha256, file]));
  return allOrNothing(store, models, async () => {
    for await (const { header, body } of entries(archive)) {
      const file = wanted.get(header.name.replace(/^files\//, ""));
      if (header.size === file?.size) await store.put(file, new Uint8Array(await new Response(body).arrayBuffer()));
      else await passOver(body);
    }
  });
}

async function* entries(archive: File): AsyncGenerator<ParsedTarEntry> {
  const reader = archive.stream().pipeThrough(createTarDecoder()).getReader();
  for (;;) {
    let next: ReadableStreamReadResult<ParsedTarEntry>;
    try {
      next = await reader.read();
    } catch (error) {
      throw new DragomanError("archive", `${archive.name} is damaged: ${String(error)}`, { path: archive.name });
    }
    if (next.done) return;
    yield next.value;
  }
}

/** To its end: the decoder never goes on after the cancelled body of a large file. */
async function passOver(body: ReadableStream<Uint8Array>): Promise<void> {
  await body.pipeTo(new WritableStream());
}

async function isTar(file: File): Promise<boolean> {
  return (await file.slice(257, 262).text()) === "ustar";
}

/** The model that an exported manifest tells of. */
function describe(text: string, path: string): PublishedModel {
  try {
    const manifest = JSON.parse(text) as ManifestData;
    const { name, version, source, target, licence = "not recorded", files, scores, published } = manifest;
    const hasTwo = "target_vocabulary" in files;
    return {
      id: published?.id ?? name,
      source,
      target,
      architecture: name.replace(`${source}-${target}-`, ""),
      status: published?.status ?? null,
      version,
      score: scores?.["flores200-plus"]?.comet22 ?? null,
      licence,
      publisher: published?.publisher ?? "not recorded",
      home: published?.home ?? "",
      files: Object.entries(files).map(([role, { path: file, bytes, sha256: hash }]) =>
        checked({ type: typeOf(role, hasTwo), name: file, size: bytes, sha256: hash, sources: [] }),
      ),
    };
  } catch (error) {
    throw new DragomanError("archive", `${path} cannot be read: ${String(error)}`, { path });
  }
}

function typeOf(role: string, hasTwo: boolean): FileType {
  if (role === "vocabulary") return hasTwo ? "srcvocab" : "vocab";
  const type = TYPES[role];
  if (!type) throw new Error(`${role} is no file of a model`);
  return type;
}

// --- published ----------------------------------------------------------------------------------

async function takePublished(
  store: PublishedStore,
  files: readonly File[],
  known: readonly PublishedModel[],
): Promise<readonly PublishedModel[]> {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const file of files) {
    const content = await plainContent(file);
    contents.set(await sha256(content), content);
  }
  const meant = known.filter((model) => model.files.some((file) => file.type !== "lex" && contents.has(file.sha256)));
  const models = meant.filter((model) => needed(model).every((file) => contents.has(file.sha256)));
  if (!models.length) throw nothingKnown(files, meant, contents);
  const taken = models.map((model) => ({ ...model, files: model.files.filter((file) => contents.has(file.sha256)) }));
  return allOrNothing(store, taken, async () => {
    for (const file of filesOf(taken)) await store.put(file, contents.get(file.sha256) ?? new Uint8Array());
  });
}

/** A model works without its shortlist. */
function needed({ files }: PublishedModel): readonly PublishedFile[] {
  return files.filter(({ type }) => type !== "lex");
}

async function plainContent(file: File): Promise<Uint8Array<ArrayBuffer>> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  if (file.size > LARGEST) throw tooLarge(file);
  if (!isGzip) return new Uint8Array(await file.arrayBuffer());
  try {
    const unpacked = file.stream().pipeThrough(new DecompressionStream("gzip")).pipeThrough(limited(file));
    return new Uint8Array(await new Response(unpacked).arrayBuffer());
  } catch (error) {
    if (error instanceof DragomanError) throw error;
    throw new DragomanError("archive", `${file.name} is damaged: ${String(error)}`, { path: file.name });
  }
}

/** What unpacks to more than a file of a model can be is no such file. */
function limited(file: File): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > LARGEST) throw tooLarge(file);
      controller.enqueue(chunk);
    },
  });
}

function tooLarge({ name }: File): DragomanError {
  return new DragomanError("archive", `${name} is too large for a file of a model`, { path: name });
}

function nothingKnown(
  files: readonly File[],
  meant: readonly PublishedModel[],
  contents: ReadonlyMap<string, unknown>,
): DragomanError {
  const [model] = meant;
  if (model) {
    const missing = needed(model).filter((file) => !contents.has(file.sha256)).map(({ name }) => name).join(", ");
    return new DragomanError("archive", `the model ${pairOf(model)} needs ${missing} too`, { pair: pairOf(model), missing });
  }
  const names = files.map(({ name }) => name).join(", ");
  return new DragomanError("archive", `no published model has these files: ${names}`, { path: names });
}

// --- both ---------------------------------------------------------------------------------------

async function allOrNothing(
  store: PublishedStore,
  models: readonly PublishedModel[],
  bring: () => Promise<void>,
): Promise<readonly PublishedModel[]> {
  try {
    await bring();
    for (const model of models) await store.install(model);
    return models;
  } catch (error) {
    await store.release(filesOf(models));
    throw error;
  }
}
