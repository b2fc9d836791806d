/** Permissions for sites, which the browser asks the user for, by a click of theirs. */

import { api } from "./api.ts";
import type { ToBackground, Wish } from "./messages.ts";
import { noteLent } from "./lent.ts";
import { readSettings, writeSettings, type Settings } from "./settings.ts";
import { EVERY_SITE } from "./site.ts";

/** What acts on pages by itself needs it. */
export const ALL_SITES = { origins: [EVERY_SITE] };

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

  /**
   * Call it from a click.
   *
   * @param wish what the background does in place of a panel that the question closes; the permission goes with it.
   */
  async ask(wish?: Wish): Promise<boolean> {
    if (this.#isGiven) return true;
    const asked = api.permissions.request(this.#wanted);
    asked.catch(() => undefined); // It may be refused before it is waited for.
    if (wish) await this.#keep(wish);
    try {
      this.#isGiven = await asked;
    } finally {
      if (wish) await this.#keep(null);
    }
    if (this.#isGiven && this.#wanted.origins) await noteLent(this.#wanted.origins, wish !== undefined);
    return this.#isGiven;
  }

  async #keep(wish: Wish | null): Promise<void> {
    const kept: ToBackground = { type: "wish", wish, origins: this.#wanted.origins ?? [] };
    await api.runtime.sendMessage(kept).catch(() => undefined); // The panel may be there to the end.
  }
}

/** Whether the offers are on afterwards. */
export async function switchOffers(on: boolean, allSites: Permission): Promise<boolean> {
  const isAllowed = on ? await allSites.ask({ name: "offer" }) : false;
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

let changing: Promise<void> = Promise.resolve();

/**
 * Keep settings and tell the background, which takes back what nothing needs any more.
 *
 * @param change what is other then, written at once: the tab may be closed by the next click. Or that of the settings as they
 * are; one after another, so that no click undoes the one before.
 */
export function changeSettings(change: Partial<Settings> | ((now: Settings) => Partial<Settings>)): Promise<void> {
  const before = changing.catch(() => undefined);
  const isKept = typeof change === "function"
    ? before.then(async () => writeSettings(change(await readSettings())))
    : Promise.all([writeSettings(change), before]);
  changing = isKept.then(() => api.runtime.sendMessage({ type: "settings-changed" } satisfies ToBackground));
  return changing;
}
