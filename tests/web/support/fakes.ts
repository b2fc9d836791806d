/** Stand-ins for what a browser has. */

import { vi } from "vitest";
import type { WorkerPair } from "../../../web/src/api/connection.ts";
import type { Environment } from "../../../web/src/api/environment.ts";
import { ConnectionPool } from "../../../web/src/api/pool.ts";
import { abortable } from "../../../web/src/base/signals.ts";
import type { PublishedHost } from "../../../web/src/published/host.ts";
import { PublishedStore } from "../../../web/src/published/store.ts";
import type { Shelf } from "../../../web/src/published/shelf.ts";
import { FakeWorkers } from "../../../web/src/fakes/workers.ts";
import { MANIFEST, MODEL } from "./values.ts";

/** Locks as the page sees them: `release` is what the browser does when a worker goes. */
export class FakeLocks {
  readonly #waiting = new Map<string, () => unknown>();

  request(name: string, options: { signal: AbortSignal }, granted: () => unknown): Promise<unknown> {
    this.#waiting.set(name, granted);
    return new Promise((_, reject) => {
      options.signal.addEventListener("abort", () => {
        this.#waiting.delete(name);
        reject(new DOMException("aborted", "AbortError"));
      });
    });
  }

  isWatched(name: string): boolean {
    return this.#waiting.has(name);
  }

  release(name: string): void {
    this.#waiting.get(name)?.();
  }

  get manager(): LockManager {
    return this as unknown as LockManager;
  }
}

/** Workers that never say anything, and how many of the two were ended. */
export function silentPair() {
  const ended = vi.fn();
  const worker = () => Object.assign(new EventTarget(), { postMessage: () => undefined, terminate: ended });
  const pair: WorkerPair = { language: worker(), engine: worker(), names: { language: "l", engine: "e" } };
  return { pair, ended };
}

export interface FakeEnvironment extends Environment {
  readonly workers: FakeWorkers;
  readonly fakeLocks: FakeLocks;
}

export function fakeEnvironment(overrides: Partial<Environment> = {}): FakeEnvironment {
  const workers = new FakeWorkers(MANIFEST);
  const fakeLocks = new FakeLocks();
  return {
    base: "http://localhost/",
    threads: 2,
    locks: fakeLocks.manager,
    spawn: workers.spawn,
    connections: new ConnectionPool(),
    models: () => Promise.resolve([MODEL]),
    isKept: () => Promise.resolve(false),
    published: new PublishedStore(publishedHost()),
    catalogues: [],
    check: () => undefined,
    prepare: () => undefined,
    workers,
    fakeLocks,
    ...overrides,
  };
}

/** A Cache in memory. */
export class FakeCache {
  readonly entries = new Map<string, Uint8Array<ArrayBuffer>>();
  full = false;

  match(url: string): Promise<Response | undefined> {
    const content = this.entries.get(url);
    return Promise.resolve(content && new Response(content));
  }

  async put(url: string, response: Response): Promise<void> {
    if (this.full) throw new DOMException("no room", "QuotaExceededError");
    this.entries.set(url, new Uint8Array(await response.arrayBuffer()));
  }

  delete(url: string): Promise<boolean> {
    return Promise.resolve(this.entries.delete(url));
  }

  keys(): Promise<Request[]> {
    return Promise.resolve([...this.entries.keys()].map((url) => new Request(url)));
  }

  get storage(): Pick<CacheStorage, "open"> {
    return { open: () => Promise.resolve(this as unknown as Cache) };
  }
}

/** A shelf in memory. */
export class FakeShelf implements Shelf {
  readonly files = new Map<string, Blob>();
  /** Bytes that there is room for. */
  room = Infinity;

  get bytes(): number {
    return [...this.files.values()].reduce((total, { size }) => total + size, 0);
  }

  get(folder: string, name: string): Promise<Blob | undefined> {
    return Promise.resolve(this.files.get(`${folder}/${name}`));
  }

  put(folder: string, name: string, content: Blob | BufferSource | string): Promise<void> {
    const blob = new Blob([content]);
    if (this.bytes + blob.size > this.room) {
      return Promise.reject(new DOMException("no room", "QuotaExceededError"));
    }
    this.files.set(`${folder}/${name}`, blob);
    return Promise.resolve();
  }

  delete(folder: string, name: string): Promise<void> {
    this.files.delete(`${folder}/${name}`);
    return Promise.resolve();
  }

  list(folder: string): Promise<readonly string[]> {
    const names = [...this.files.keys()].filter((name) => name.startsWith(`${folder}/`));
    return Promise.resolve(names.map((name) => name.slice(folder.length + 1)).sort());
  }
}

/** Locks of one origin, as several tabs share them. */
export class SharedLocks {
  readonly #held = new Map<string, Promise<unknown>>();

  async request(name: string, options: { signal?: AbortSignal }, work: () => Promise<unknown>): Promise<unknown> {
    while (this.#held.has(name)) await abortable(this.#held.get(name) ?? Promise.resolve(), options.signal);
    const held = work();
    this.#held.set(name, held.catch(() => undefined));
    try {
      return await held;
    } finally {
      this.#held.delete(name);
    }
  }

  get manager(): LockManager {
    return this as unknown as LockManager;
  }
}

/** A store's surroundings: nothing is kept, nothing is reached. */
export function publishedHost(overrides: Partial<PublishedHost> = {}): PublishedHost {
  const shelf = new FakeShelf();
  return {
    openShelf: () => Promise.resolve(shelf),
    fetch: () => Promise.reject(new TypeError("Failed to fetch")),
    subtle: crypto.subtle,
    locks: new SharedLocks().manager,
    now: () => 0,
    sleep: () => new Promise((resolve) => void setTimeout(resolve, 0)),
    room: () => Promise.resolve(undefined),
    persist: () => Promise.resolve(true),
    ...overrides,
  };
}
