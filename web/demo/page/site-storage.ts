/** What a site may keep in a browser, or the page itself where it may keep nothing. */

export type SiteStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** With all site data blocked even asking for the storage throws: what is kept then goes with the page. */
export function siteStorage(scope: SiteScope, name: keyof SiteScope): SiteStorage {
  try {
    return scope[name];
  } catch {
    const kept = new Map<string, string>();
    return {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    };
  }
}

/** As a window has them. */
export interface SiteScope {
  readonly localStorage: SiteStorage;
  readonly sessionStorage: SiteStorage;
}
