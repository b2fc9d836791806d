/**
 * A file over HTTP: resumed, from one source after the other, verified before anybody gets it.
 *
 *     sources, in turn --Range--> 206: appended, if it is still the same file    200: from zero
 *       parts, every few megabytes or seconds --all there--> unpacked: size, SHA-256 --> content
 *
 * What fails for a moment (no connection, a broken one, 408, 425, 429, 5xx) is tried again after a pause that
 * doubles; what came in between starts counting anew. What fails for good (404, wrong bytes) sends to the next
 * source. An abort keeps what has come.
 *
 * Whether it is still the same file is seen from its validator, not asked by If-Range: another origin's server would
 * have to allow that header in an answer to OPTIONS, which static ones do not give.
 */

import { DragomanError } from "../wire/errors.ts";
import { abortable } from "../base/signals.ts";
import { Parts } from "./parts.ts";
import type { PublishedFile, Source } from "./catalogue.ts";
import type { Shelf } from "./shelf.ts";
import { unpack } from "./unpack.ts";

/** What a fetch stands on; tests give fakes. */
export interface FetchHost {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly subtle: Pick<SubtleCrypto, "digest">;
  /** Milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Tries without a byte in between. */
const TRIES = 5;
const FIRST_PAUSE = 500;
/** A part is kept when it has so many bytes, or is so many milliseconds old. */
const PART_BYTES = 4_000_000;
const PART_AGE = 2_000;
const FOR_A_MOMENT: ReadonlySet<number> = new Set([408, 425, 429]);

/** It may come at the next try. */
class Interruption extends DragomanError {}

/**
 * The content of a file, unpacked and verified. Its parts are there until somebody has kept it.
 *
 * @param oncame bytes that have come, of those of its first source.
 * @throws DragomanError "fetch-network", "fetch-status", "fetch-corrupt"; DOMException "QuotaExceededError"; the
 *   signal's reason.
 */
export async function fetchFile(
  file: PublishedFile,
  shelf: Shelf,
  host: FetchHost,
  oncame: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = new Parts(shelf, file.sha256);
  const begun = (await parts.origin())?.url;
  // The source that was begun with goes first.
  const sources = [...file.sources].sort((one, other) => Number(other.url === begun) - Number(one.url === begun));
  let fault: unknown = new DragomanError("fetch", `${file.name} has no source`, { path: file.name });
  for (const source of sources) {
    try {
      const packed = await new FileFetch(file, source, parts, host, oncame, signal).packed();
      return await unpack(packed, file, host.subtle);
    } catch (error) {
      if (!(error instanceof DragomanError)) throw error;
      if (error.code === "fetch-corrupt") await parts.drop();
      fault = error;
    }
  }
  throw fault;
}

/** One file from one source. */
class FileFetch {
  readonly #file: PublishedFile;
  readonly #source: Source;
  readonly #parts: Parts;
  readonly #host: FetchHost;
  readonly #oncame: (bytes: number) => void;
  readonly #signal: AbortSignal | undefined;
  /** What has come in this session and in those before, whether or not it could be kept. */
  #packed = new Blob([]);

  constructor(
    file: PublishedFile,
    source: Source,
    parts: Parts,
    host: FetchHost,
    oncame: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ) {
    this.#file = file;
    this.#source = source;
    this.#parts = parts;
    this.#host = host;
    this.#oncame = oncame;
    this.#signal = signal;
  }

  /** All of it, as the source has it. */
  async packed(): Promise<Blob> {
    for (let tries = 1, before = -1; ; tries++) {
      this.#signal?.throwIfAborted();
      try {
        await this.#goOn();
        return this.#packed;
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (!(error instanceof Interruption)) throw error;
        const { size } = this.#packed;
        if (size > before) tries = 1;
        before = Math.max(before, size);
        if (tries >= TRIES) throw error;
        await abortable(this.#host.sleep(FIRST_PAUSE * 2 ** (tries - 1)), this.#signal);
      }
    }
  }

  /** One request. */
  async #goOn(): Promise<void> {
    const origin = await this.#parts.origin();
    const isOurs = origin?.url === this.#source.url;
    this.#packed = isOurs ? await this.#parts.content() : new Blob([]);
    const start = this.#packed.size;
    this.#oncame(start);
    const response = await this.#ask(start);
    if (response.status === 416) {
      await response.body?.cancel();
      // All of it was there already, or it has become shorter.
      if (start === totalOf(response)) return;
      await this.#parts.drop();
      throw this.#interrupted("it has changed");
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw this.#refused(response.status);
    }
    if (response.status === 206) {
      this.#checkRange(response, start);
      if (isOurs && !isSame(response.headers, origin.validator)) {
        await response.body?.cancel();
        await this.#parts.drop();
        throw this.#interrupted("it has changed");
      }
    } else {
      await this.#beginAnew(response);
    }
    await this.#receive(response);
  }

  async #ask(start: number): Promise<Response> {
    const headers: Record<string, string> = start > 0 ? { Range: `bytes=${start}-` } : {};
    try {
      // The browser's own cache would keep it a second time.
      return await this.#host.fetch(this.#source.url, {
        headers,
        cache: "no-store",
        credentials: "same-origin",
        ...(this.#signal && { signal: this.#signal }),
      });
    } catch (error) {
      throw this.#interrupted(String(error));
    }
  }

  #checkRange(response: Response, start: number): void {
    const range = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "");
    // Where another origin does not show the header, the SHA-256 tells.
    if (range && Number(range[1]) !== start) {
      throw new DragomanError("fetch-corrupt", `${this.#file.name} came from another place than was asked for`, {
        path: this.#file.name,
        expected: start,
        found: Number(range[1]),
      });
    }
  }

  async #beginAnew({ headers }: Response): Promise<void> {
    this.#packed = new Blob([]);
    await this.#parts.drop();
    const validator = validatorOf(headers);
    // What the browser unpacks on the way has other bytes than a range would count.
    if (validator && !headers.has("content-encoding")) await this.#parts.begin({ url: this.#source.url, validator });
  }

  async #receive(response: Response): Promise<void> {
    if (!response.body) return;
    const canKeep = (await this.#parts.origin()) !== undefined;
    const length = response.headers.has("content-encoding") ? null : response.headers.get("content-length");
    const end = length === null ? null : this.#packed.size + Number(length);
    const reader = response.body.getReader();
    const pending = new Pending(this.#host.now);
    const keep = async (): Promise<void> => {
      const { size } = this.#packed;
      const part = pending.take();
      if (!part.size) return;
      if (canKeep) await this.#parts.add(size, part);
      this.#packed = new Blob([this.#packed, part]);
    };
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        pending.add(value);
        this.#oncame(this.#packed.size + pending.bytes);
        if (pending.isDue) await keep();
      }
    } catch (error) {
      if (error instanceof DOMException && error.name === "QuotaExceededError") {
        await reader.cancel().catch(() => undefined); // Nobody takes the rest.
        throw error;
      }
      await keep();
      throw this.#interrupted(String(error));
    }
    await keep();
    // Some browsers end a body that broke off as if it were whole.
    if (end !== null && this.#packed.size < end) throw this.#interrupted("the connection broke");
  }

  #refused(status: number): DragomanError {
    const message = `${this.#file.name} cannot be fetched: its server answers ${status}`;
    const details = { path: this.#file.name, status, url: this.#source.url };
    const isBrief = FOR_A_MOMENT.has(status) || status >= 500;
    return isBrief ? new Interruption("fetch-status", message, details) : new DragomanError("fetch-status", message, details);
  }

  #interrupted(why: string): Interruption {
    const message = `${this.#file.name} cannot be fetched: ${why}`;
    return new Interruption("fetch-network", message, { path: this.#file.name, url: this.#source.url });
  }
}

/** What came since the last part was kept. */
class Pending {
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #since: number;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isDue(): boolean {
    return this.#bytes >= PART_BYTES || this.#now() - this.#since >= PART_AGE;
  }

  add(chunk: Uint8Array<ArrayBuffer>): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  take(): Blob {
    const taken = new Blob(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#since = this.#now();
    return taken;
  }
}

/** A weak one does not do for ranges. */
function validatorOf(headers: Headers): string | null {
  const tag = headers.get("etag");
  return tag && !tag.startsWith("W/") ? tag : headers.get("last-modified");
}

/** Whether an answer is of the file that has a validator. Where another origin shows none, the SHA-256 tells. */
function isSame(headers: Headers, validator: string): boolean {
  const shown = [headers.get("etag"), headers.get("last-modified")].filter((one) => one !== null);
  return shown.length === 0 || shown.includes(validator);
}

/** The length that a 416 tells; NaN where it does not. */
function totalOf({ headers }: Response): number {
  return Number(/^bytes \*\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1]);
}
