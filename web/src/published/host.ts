/** What the store of published models stands on. */

import type { FetchHost } from "./fetch.ts";
import { openShelf, type Shelf } from "./shelf.ts";

/** The browser's; tests give fakes. */
export interface PublishedHost extends FetchHost {
  /** Null: nothing can be kept here. */
  readonly openShelf: () => Promise<Shelf | null>;
  readonly locks: Pick<LockManager, "request"> | undefined;
  /** Bytes that may still be kept; undefined: nobody knows. */
  readonly room: () => Promise<number | undefined>;
  /** Ask the browser to throw nothing away by itself; whether it says so. */
  readonly persist: () => Promise<boolean>;
}

/** Only pages can ask. */
async function persist(): Promise<boolean> {
  const storage = navigator.storage as { readonly persist?: () => Promise<boolean> } & StorageManager;
  return "persist" in storage && storage.persist();
}

/** The browser's, in a page or a worker. */
export function browserHost(scope: typeof globalThis = globalThis): PublishedHost {
  // Node has none of old, and no locks in it.
  const { navigator } = scope as Partial<typeof globalThis>;
  return {
    openShelf: () => openShelf(scope),
    fetch: scope.fetch.bind(scope),
    subtle: scope.crypto.subtle,
    locks: navigator?.locks,
    now: () => performance.now(),
    sleep: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
    async room() {
      const { quota, usage } = (await navigator?.storage.estimate()) ?? {};
      return quota === undefined || usage === undefined ? undefined : quota - usage;
    },
    persist,
  };
}
