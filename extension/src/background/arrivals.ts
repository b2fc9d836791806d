/** Pages that come while a rule, an offer or a tab wants something of them. */

import type { Detection as DetectorResult } from "../../../web/src/detection/detector.ts";
import { closest } from "../../../web/src/base/tags.ts";
import { api } from "../api.ts";
import { isAnythingWanted, stepFor } from "../arrival.ts";
import type { Sample, Welcome } from "../messages.ts";
import { directionsOf, ownOffers, wantedRoute, wantedTarget } from "../models.ts";
import { languageOf } from "../page-language.ts";
import { giveBackLent } from "../lent.ts";
import { ALL_SITES } from "../permissions.ts";
import { readSettings } from "../settings.ts";
import { keepStaying, stayingTabs } from "../tabs.ts";

const SCRIPT = "arrival";

let registering: Promise<void> = Promise.resolve();
let staying: Promise<unknown> = Promise.resolve();

/** The script runs only where the user has given the permission. One after another: the last one sees how things are. */
export function registerArrivals(): Promise<void> {
  registering = registering.catch(() => undefined).then(register);
  return registering;
}

/** Something is not wanted any more, or maybe not: permissions that were for it go. */
export async function settle(): Promise<void> {
  await giveBackLent();
  await registerArrivals();
}

async function register(): Promise<void> {
  const [settings, tabs] = await Promise.all([readSettings(), stayingTabs()]);
  const isAllowed = await api.permissions.contains(ALL_SITES);
  const wanted = isAnythingWanted(settings) || tabs.length > 0 || (settings.selectionButton && isAllowed);
  const registered = await api.scripting.getRegisteredContentScripts({ ids: [SCRIPT] });
  if (wanted && registered.length === 0) {
    await api.scripting.registerContentScripts([
      { id: SCRIPT, js: ["arrival.js"], matches: ["http://*/*", "https://*/*"], runAt: "document_idle" },
    ]);
  } else if (!wanted && registered.length > 0) {
    await api.scripting.unregisterContentScripts({ ids: [SCRIPT] });
  }
}

/** A page that came. */
export interface Newcomer {
  readonly tab: number;
  readonly url: string;
  /** Its window is. */
  readonly isPrivate: boolean;
}

/** What a page is told is for that page alone: by now its tab may show another one. */
export async function welcome(
  { tab, url, isPrivate }: Newcomer,
  sample: Sample,
  detect: (text: string) => Promise<DetectorResult>,
): Promise<Welcome> {
  const [settings, tabs, accepted] = await Promise.all([readSettings(), stayingTabs(), api.i18n.getAcceptLanguages()]);
  const nothing: Welcome = { offer: null, translate: null, selectionButton: settings.selectionButton, isPrivate };
  const detection = await languageOf(sample, detect);
  const read = [api.i18n.getUILanguage(), ...accepted, settings.target];
  const stays = tabs.includes(tab);
  const isOwn = detection.language !== null && closest(wantedTarget(settings.target), [detection.language]) !== undefined;
  const step = stepFor(settings, { ...detection, isOwn, host: new URL(url).hostname, stays, read, declines: sample.declines });
  if (step === "nothing" || detection.language === null) return nothing;
  const route = wantedRoute(directionsOf(await ownOffers()), detection.language, settings.target);
  if (!route) return nothing;
  if (step === "offer" || route.missing > 0) return { ...nothing, offer: route };
  return { ...nothing, translate: { source: route.source, target: route.target } };
}

/** One after another: tabs of a window that is closed go all at once. @returns whether the tab stays translated from now on. */
export function stay(tabId: number, on: boolean): Promise<boolean> {
  const changed = staying.catch(() => undefined).then(() => change(tabId, on));
  staying = changed;
  return changed;
}

async function change(tabId: number, on: boolean): Promise<boolean> {
  const tabs = await stayingTabs();
  const others = tabs.filter((other) => other !== tabId);
  await keepStaying(on ? [...others, tabId] : others);
  await settle();
  return on;
}
