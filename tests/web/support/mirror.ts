/** A mirror of published models that is asked by `fetch`: ranges, validators, and what can go wrong. */

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { PublishedFile, PublishedModel } from "../../../web/src/published/catalogue.ts";
import type { FileType } from "../../../web/src/wire/contract.ts";

export const ADDRESS = "http://localhost/published/";

export interface Asked {
  readonly name: string;
  readonly range: string | null;
  /** Names of those that a browser would first ask another origin's server about. */
  readonly unsafe: readonly string[];
}

type Answer = (content: Uint8Array<ArrayBuffer>, start: number) => Response | Promise<Response>;

const CHUNK = 100;

export class FakeMirror {
  /** By path below the mirror, as it lies there: packed or not. */
  readonly files = new Map<string, { content: Uint8Array<ArrayBuffer>; tag: string }>();
  readonly asked: Asked[] = [];
  /** What the next requests of a file meet, by a part of its path; then all is well. */
  readonly faults = new Map<string, Answer[]>();
  /** Called at each chunk that is sent. */
  onchunk: (sent: number) => void = () => undefined;
  hasTags = true;
  hasRanges = true;
  isReachable = true;

  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const name = url.slice(ADDRESS.length);
    const headers = new Headers(init.headers);
    this.asked.push({ name, range: headers.get("range"), unsafe: [...headers.keys()].filter((header) => header !== "range") });
    await Promise.resolve();
    if (!this.isReachable) throw new TypeError("Failed to fetch");
    const file = this.files.get(name);
    const start = this.hasRanges ? Number(/^bytes=(\d+)-$/.exec(headers.get("range") ?? "")?.[1] ?? 0) : 0;
    const content = file?.content ?? new Uint8Array();
    const [part] = [...this.faults.keys()].filter((key) => name.includes(key) && this.faults.get(key)?.length);
    const fault = part === undefined ? undefined : this.faults.get(part)?.shift();
    if (fault) return fault(content, start);
    if (!file) return new Response(null, { status: 404 });
    return this.answer(content, start, { tag: file.tag, signal: init.signal });
  };

  /** The rest of a file; `most`: bytes after which the connection breaks. */
  answer(
    content: Uint8Array<ArrayBuffer>,
    start: number,
    { tag = "", most = Infinity, signal }: { tag?: string; most?: number; signal?: AbortSignal | null | undefined } = {},
  ): Response {
    if (start >= content.length) {
      return new Response(null, { status: 416, headers: { "Content-Range": `bytes */${content.length}` } });
    }
    let at = start;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (signal?.aborted) controller.error(signal.reason);
        else if (at >= start + most) controller.error(new TypeError("network error"));
        else if (at >= content.length) controller.close();
        else {
          const chunk = content.slice(at, Math.min(at + CHUNK, content.length, start + most));
          at += chunk.length;
          controller.enqueue(chunk);
          this.onchunk(at);
        }
      },
    });
    const headers = new Headers({ "Content-Length": String(content.length - start) });
    if (this.hasTags) headers.set("ETag", `"${tag}"`);
    if (start) headers.set("Content-Range", `bytes ${start}-${content.length - 1}/${content.length}`);
    return new Response(body, { status: start ? 206 : 200, headers });
  }

  put(name: string, content: Uint8Array<ArrayBuffer>, tag = name): void {
    this.files.set(name, { content, tag });
  }

  /** A file of a model, packed, and what a catalogue says of it. */
  file(type: FileType, text: string): PublishedFile {
    const content = new TextEncoder().encode(text);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const packed = new Uint8Array(gzipSync(content, { level: 0 }));
    this.put(`files/${sha256}`, packed);
    const source = { url: `${ADDRESS}files/${sha256}`, compression: "gzip", size: packed.length } as const;
    return { type, name: `${type}.bin`, size: content.length, sha256, sources: [source] };
  }

  model(source: string, target: string, files: readonly PublishedFile[]): PublishedModel {
    return {
      id: `${source}-${target}`, source, target, architecture: "tiny", status: "Release", version: "3.0", score: 0.8,
      licence: "MPL-2.0", publisher: "Testers", home: "https://example.org", files,
    };
  }

  /** Its catalogue, as `dragoman models mirror` writes it. */
  list(models: readonly PublishedModel[]): void {
    const text = JSON.stringify({
      schema: 1, generated: "2026-01-01", publisher: "Nobody", licence: "", home: "",
      models: models.map(({ source: from, target: to, score: comet22, files, ...facts }) => ({
        ...facts, from, to, comet22,
        files: files.map((file) => ({
          ...file,
          sources: file.sources.map((one) => ({ ...one, url: one.url.slice(ADDRESS.length) })),
        })),
      })),
    });
    this.put("catalogue.json", new TextEncoder().encode(text));
  }

  /** The files that were asked for, each time. */
  get fetched(): readonly string[] {
    return this.asked.map(({ name, range }) => `${name.slice(6, 12)} ${range ?? "all"}`);
  }
}

/** So many characters, never the same at two places that are near. */
export function lively(length: number): string {
  return Array.from({ length: Math.ceil(length / 8) }, (_, at) => String(at).padStart(8, ".")).join("").slice(0, length);
}
