/**
 * Which models were published, as `py/dragoman/catalogue` has it: that file, or a mirror's.
 *
 *     catalogue.json --read--> models, their sources as addresses
 *
 * A mirror's sources are relative to its catalogue. A source that is packed in a way that no browser unpacks is
 * left out.
 */

import { DragomanError } from "../wire/errors.ts";
import { PUBLISHED, type FileType } from "../wire/contract.ts";

export interface Source {
  readonly url: string;
  readonly compression: "gzip" | "none";
  /** Bytes to fetch. */
  readonly size: number;
}

/** Size and hash are of the unpacked file. */
export interface PublishedFile {
  readonly type: FileType;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  /** None: it was brought by hand. */
  readonly sources: readonly Source[];
}

export interface PublishedModel {
  readonly id: string;
  /** BCP 47. */
  readonly source: string;
  readonly target: string;
  readonly architecture: string;
  readonly status: string | null;
  readonly version: string | null;
  /** COMET-22 on FLORES-200+, where it is known. */
  readonly score: number | null;
  readonly licence: string;
  readonly publisher: string;
  readonly home: string;
  readonly files: readonly PublishedFile[];
}

/** A catalogue as JSON has it. */
interface CatalogueData {
  readonly schema: number;
  readonly publisher: string;
  readonly home: string;
  readonly models: readonly ModelData[];
}

interface ModelData extends Omit<PublishedModel, "source" | "target" | "score" | "files" | "publisher" | "home"> {
  readonly from: string;
  readonly to: string;
  readonly comet22: number | null;
  /** Where they are not the catalogue's. */
  readonly publisher?: string;
  readonly home?: string;
  readonly files: readonly FileData[];
}

interface FileData extends Omit<PublishedFile, "sources"> {
  readonly sources: readonly { readonly url: string; readonly compression: string; readonly size: number }[];
}

const SHA256 = /^[0-9a-f]{64}$/;
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const TAG = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;
const TYPES: ReadonlySet<string> = new Set(Object.keys(PUBLISHED.roles));

/** What tells a model's direction from all others: "fr-en". */
export function pairOf({ source, target }: Pick<PublishedModel, "source" | "target">): string {
  return `${source}-${target}`;
}

/** Bytes to fetch for a file; 0 where it cannot be fetched. */
export function downloadOf({ sources }: PublishedFile): number {
  return sources[0]?.size ?? 0;
}

/** What several models need, each file once. */
export function filesOf(models: readonly PublishedModel[]): readonly PublishedFile[] {
  return [...new Map(models.flatMap(({ files }) => files).map((file) => [file.sha256, file])).values()];
}

/**
 * The models of a catalogue.
 *
 * @param address of the catalogue, to which sources are relative.
 * @throws DragomanError "store": it cannot be read.
 */
export function readCatalogue(text: string, address: string): readonly PublishedModel[] {
  try {
    const data = JSON.parse(text) as CatalogueData;
    if (data.schema !== PUBLISHED.schema) throw new Error(`it has version ${String(data.schema)}`);
    return data.models.map((model) => readModel(model, data, address));
  } catch (error) {
    throw new DragomanError("store", `the catalogue of models cannot be read: ${messageOf(error)}`, { url: address });
  }
}

function readModel(model: ModelData, { publisher, home }: CatalogueData, address: string): PublishedModel {
  const { from, to, comet22, files, ...facts } = model;
  if (!TAG.test(from) || !TAG.test(to)) throw new Error(`${from}-${to} is no direction`);
  return {
    publisher,
    home,
    ...facts,
    source: from,
    target: to,
    score: comet22,
    files: files.map((file) => ({ ...checked(file), sources: file.sources.flatMap((one) => usable(one, address)) })),
  };
}

/** The same file, whose hash and name may become names in the store. @throws Error */
export function checked<F extends Omit<PublishedFile, "sources">>(file: F): F {
  if (!SHA256.test(file.sha256) || !FILE_NAME.test(file.name) || !TYPES.has(file.type) || !(file.size > 0)) {
    throw new Error(`${file.name} with ${file.sha256} is no file of a model`);
  }
  return file;
}

function usable({ url, compression, size }: FileData["sources"][number], address: string): readonly Source[] {
  if (compression !== "gzip" && compression !== "none") return [];
  return [{ url: new URL(url, address).href, compression, size }];
}

/** Whether all of it can be had here. */
export function isFetchable({ files }: PublishedModel): boolean {
  return files.every(({ sources }) => sources.length > 0);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
