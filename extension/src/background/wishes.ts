/**
 * What a click in the panel wants that needs a permission: the browser's question may close the panel, which is not
 * there any more when it is answered.
 */

import { api } from "../api.ts";
import { noteLent } from "../lent.ts";
import type { Wish } from "../messages.ts";
import { readSettings, withRule, writeSettings } from "../settings.ts";
import { translateTab } from "../tabs.ts";
import { registerArrivals, stay } from "./arrivals.ts";

/** In the storage of the session. */
const WISH = "wish";
/** Milliseconds in which a permission is the answer to a click. */
const ANSWER = 120_000;

interface Kept {
  readonly wish: Wish;
  readonly origins: readonly string[];
  readonly at: number;
}

/** Null: it was answered, and the panel is there yet. */
export async function keepWish(wish: Wish | null, origins: readonly string[]): Promise<void> {
  if (wish) await api.storage.session.set({ [WISH]: { wish, origins, at: Date.now() } satisfies Kept });
  else await api.storage.session.remove(WISH);
}

/** A permission was given. Where the panel is there yet it does the same, and nothing is done twice by that. */
export async function grantWish(): Promise<void> {
  const { [WISH]: kept } = await api.storage.session.get<{ [WISH]?: Kept }>(WISH);
  // It may have been another permission, such as a publisher's.
  if (!kept || !(await api.permissions.contains({ origins: [...kept.origins] }))) return;
  await keepWish(null, []);
  if (Date.now() - kept.at >= ANSWER) return;
  await noteLent(kept.origins, true);
  await grant(kept.wish);
}

async function grant(wish: Wish): Promise<void> {
  if (wish.name === "stay") {
    await stay(wish.tab, true);
    return;
  }
  await writeSettings(wish.name === "offer" ? { offer: true } : withRule(await readSettings(), wish.rule, wish.item, true));
  await registerArrivals();
  if (wish.name === "offer" || !wish.page) return;
  const { tab, began, source, target } = wish.page;
  const { hover } = await readSettings();
  await translateTab(tab, { source, target }, { hover, bar: false }, began).catch(() => undefined); // The tab may have gone meanwhile.
}
