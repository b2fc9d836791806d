/** Permissions for sites, which the browser asks the user for, by a click of theirs. */

import { api } from "./api.ts";
import type { ToBackground } from "./messages.ts";
import { readSettings, writeSettings, type Settings } from "./settings.ts";

/** What acts on pages by itself needs it. */
export const ALL_SITES = { origins: ["<all_urls>"] };

export class Permission {
  readonly #origins: readonly string[];
  #isGiven = false;

  private constructor(origins: readonly string[]) {
    this.#origins = origins;
  }

  /** Whether it is given is known before a click: a browser lets only the click itself ask. */
  static async of(origins: readonly string[]): Promise<Permission> {
    const permission = new Permission(origins);
    const look = async (): Promise<void> => {
      permission.#isGiven = origins.length === 0 || (await api.permissions.contains({ origins: [...origins] }));
    };
    await look();
    api.permissions.onAdded.addListener(() => void look());
    api.permissions.onRemoved.addListener(() => void look());
    return permission;
  }

  get isGiven(): boolean {
    return this.#isGiven;
  }

  /** Call it from a click. */
  async ask(): Promise<boolean> {
    if (!this.#isGiven) this.#isGiven = await api.permissions.request({ origins: [...this.#origins] });
    return this.#isGiven;
  }
}

/** Whether the offers are on afterwards. */
export async function switchOffers(on: boolean, allSites: Permission): Promise<boolean> {
  const isAllowed = on ? await allSites.ask() : false;
  await changeSettings({ offer: on && isAllowed });
  return on && isAllowed;
}

/** Keep settings and tell the background. What nothing needs any more is not held on to. */
export async function changeSettings(changes: Partial<Settings>): Promise<void> {
  await writeSettings(changes);
  const { offer, alwaysSites, alwaysLanguages } = await readSettings();
  const isNeeded = offer || alwaysSites.length > 0 || alwaysLanguages.length > 0;
  // Given with the installation: it stays.
  if (!isNeeded && "offer" in changes) await api.permissions.remove(ALL_SITES).catch(() => false);
  await api.runtime.sendMessage({ type: "settings-changed" } satisfies ToBackground);
}
