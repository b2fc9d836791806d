/**
 * Where a browser keeps files: its origin's private file system, which reads a model in a quarter of the time,
 * or the Cache API where that is refused (Firefox's private windows) or cannot be written by all (Safari before 26):
 * ADR 23.
 *
 * A file is there whole or not at all: both show its content when all of it is written. None is empty.
 */

export type Folder = "files" | "models" | "partial" | "catalogues";

/** What a store keeps its files on; tests give one in memory. */
export interface Shelf {
  get(folder: Folder, name: string): Promise<Blob | undefined>;
  /** @throws DOMException "QuotaExceededError" */
  put(folder: Folder, name: string, content: Blob | BufferSource | string): Promise<void>;
  delete(folder: Folder, name: string): Promise<void>;
  list(folder: Folder): Promise<readonly string[]>;
}

/** In the private file system, and the beginning of the cache's name. */
const ROOT = "dragoman";

type ShelfScope = Pick<typeof globalThis, "navigator" | "caches" | "FileSystemFileHandle">;

/** The shelf of this origin; null where nothing can be kept. */
export async function openShelf(scope: ShelfScope): Promise<Shelf | null> {
  try {
    const root = await scope.navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(ROOT, { create: true });
    if ("createWritable" in scope.FileSystemFileHandle.prototype) return new FileShelf(folder);
  } catch {
    // Refused: it says so in many ways (SecurityError, TypeError, UnknownError).
  }
  try {
    return new CacheShelf(await scope.caches.open(`${ROOT}-published`));
  } catch {
    return null;
  }
}

class FileShelf implements Shelf {
  readonly #root: FileSystemDirectoryHandle;

  constructor(root: FileSystemDirectoryHandle) {
    this.#root = root;
  }

  async get(folder: Folder, name: string): Promise<Blob | undefined> {
    try {
      const file = await (await (await this.#folder(folder)).getFileHandle(name)).getFile();
      // Its name comes before its content: a tab that was closed in between leaves an empty file.
      return file.size ? file : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async put(folder: Folder, name: string, content: Blob | BufferSource | string): Promise<void> {
    const handle = await (await this.#folder(folder)).getFileHandle(name, { create: true });
    const writable = await handle.createWritable();
    try {
      await writable.write(content);
      await writable.close();
    } catch (error) {
      await writable.abort().catch(() => undefined); // It may have failed as a whole.
      throw error;
    }
  }

  async delete(folder: Folder, name: string): Promise<void> {
    try {
      await (await this.#folder(folder)).removeEntry(name);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async list(folder: Folder): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const name of (await this.#folder(folder)).keys()) names.push(name);
    return names.sort();
  }

  #folder(name: Folder): Promise<FileSystemDirectoryHandle> {
    return this.#root.getDirectoryHandle(name, { create: true });
  }
}

class CacheShelf implements Shelf {
  readonly #cache: Cache;

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  async get(folder: Folder, name: string): Promise<Blob | undefined> {
    return (await this.#cache.match(keyOf(folder, name)))?.blob();
  }

  async put(folder: Folder, name: string, content: Blob | BufferSource | string): Promise<void> {
    await this.#cache.put(keyOf(folder, name), new Response(content));
  }

  async delete(folder: Folder, name: string): Promise<void> {
    await this.#cache.delete(keyOf(folder, name));
  }

  async list(folder: Folder): Promise<readonly string[]> {
    const start = keyOf(folder, "");
    const urls = (await this.#cache.keys()).map(({ url }) => url);
    return urls.filter((url) => url.startsWith(start)).map((url) => url.slice(start.length)).sort();
  }
}

/** An address that nobody is asked for: an extension's own ones are not taken. */
function keyOf(folder: Folder, name: string): string {
  return `https://dragoman.invalid/${folder}/${name}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof DOMException && error.name === "NotFoundError";
}
