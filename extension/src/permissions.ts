/** Permissions for sites, which the browser asks the user for, by a click of theirs. */

import { api } from "./api.ts";
import type { ToBackground } from "./messages.ts";
import { readSettings, writeSettings, type Settings } from "./settings.ts";

/** What acts on pages by itself needs it. */
export const ALL_SITES = { origins: ["<all_urls>"] };

/** To start the engine of this computer, and to speak to it. */
export const NATIVE_MESSAGING = { permissions: ["nativeMessaging" as const] };

type Permissions = chrome.permissions.Permissions;

export class Permission {
  readonly #wanted: Permissions;
  #isGiven = false;

  private constructor(wanted: Permissions) {
    this.#wanted = wanted;
  }

  /** Whether it is given is known before a click: a browser lets only the click itself ask. */
  static async of(wanted: Permissions): Promise<Permission> {
    const permission = new Permission(wanted);
    const look = async (): Promise<void> => {
      permission.#isGiven = await api.permissions.contains(wanted);
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
    if (!this.#isGiven) this.#isGiven = await api.permissions.request(this.#wanted);
    return this.#isGiven;
  }
}

/** Whether the offers are on afterwards. */
export async function switchOffers(on: boolean, allSites: Permission): Promise<boolean> {
  const isAllowed = on ? await allSites.ask() : false;
  await changeSettings({ offer: on && isAllowed });
  return on && isAllowed;
}

/** Whether the engine of this computer is asked afterwards. */
export async function switchNative(on: boolean, permission: Permission): Promise<boolean> {
  const isAllowed = on && (await permission.ask());
  await writeSettings({ nativeEngine: isAllowed });
  // What nothing needs any more is not held on to.
  if (!isAllowed) await api.permissions.remove(NATIVE_MESSAGING).catch(() => false);
  return isAllowed;
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
