/** Switching the offers on needs the permission for all sites, which the browser asks the user for. */

import { api } from "./api.ts";
import type { ToBackground } from "./messages.ts";
import { writeSettings } from "./settings.ts";

const ALL_SITES = { origins: ["<all_urls>"] };

/** Call it from a click; whether the offers are on afterwards. */
export async function switchOffers(on: boolean): Promise<boolean> {
  const allowed = on ? await api.permissions.request(ALL_SITES) : false;
  if (!on) await api.permissions.remove(ALL_SITES).catch(() => false); // Given with the installation: it stays.
  await writeSettings({ offer: on && allowed });
  await api.runtime.sendMessage({ type: "settings-changed" } satisfies ToBackground);
  return on && allowed;
}
