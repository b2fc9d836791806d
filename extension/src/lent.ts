/**
 * Permissions for sites that something here has asked for: a switch, a rule, a tab that stays translated. They go with
 * it. What a person has allowed by itself, by "Allow on all pages" or in the browser's settings, stays.
 */

import { api } from "./api.ts";
import { readSettings, withItem, type Settings } from "./settings.ts";
import { EVERY_SITE, originOf } from "./site.ts";
import { stayingTabs } from "./tabs.ts";

/** In the storage of the extension: a permission outlives the session that it was asked for in. */
const LENT = "lent";

let noting: Promise<void> = Promise.resolve();

/** One after another. `isLent`: whether they go with what asked for them, from now on. */
export function noteLent(origins: readonly string[], isLent: boolean): Promise<void> {
  noting = noting.catch(() => undefined).then(async () => {
    const before = await lentOrigins();
    const after = origins.reduce((lent, origin) => withItem(lent, origin, isLent), before);
    if (after.join(" ") !== before.join(" ")) await api.storage.local.set({ [LENT]: after });
  });
  return noting;
}

/** Take back what nothing needs any more. */
export async function giveBackLent(): Promise<void> {
  const [lent, settings, tabs] = await Promise.all([lentOrigins(), readSettings(), stayingTabs()]);
  const idle = lent.filter((origin) => !isNeeded(origin, lent, settings, tabs.length > 0));
  for (const origin of idle) await api.permissions.remove({ origins: [origin] }).catch(() => false);
  if (idle.length > 0) await noteLent(idle, false);
}

async function lentOrigins(): Promise<readonly string[]> {
  const { [LENT]: origins = [] } = await api.storage.local.get(LENT);
  return origins as readonly string[];
}

/** A site's rule needs the permission for all sites only where it has none of its own. */
function isNeeded(origin: string, lent: readonly string[], { offer, alwaysLanguages, alwaysSites }: Settings, isStaying: boolean): boolean {
  const sites = alwaysSites.map(originOf);
  if (origin !== EVERY_SITE) return sites.includes(origin);
  return offer || isStaying || alwaysLanguages.length > 0 || sites.some((site) => !lent.includes(site));
}
