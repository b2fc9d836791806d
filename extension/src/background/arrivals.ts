/** Pages that come while a rule, an offer or a tab wants something of them. */

import type { Detection as DetectorResult } from "../../../web/src/detection/detector.ts";
import { api } from "../api.ts";
import { isAnythingWanted, stepFor } from "../arrival.ts";
import type { Sample, Welcome } from "../messages.ts";
import { directionsOf, ownOffers, wantedRoute } from "../models.ts";
import { languageOf } from "../page-language.ts";
import { ALL_SITES } from "../permissions.ts";
import { readSettings } from "../settings.ts";
import { translateTab } from "../tabs.ts";

const SCRIPT = "arrival";
/** In the storage of the session: tabs that stay translated. */
const STAYING = "staying";

let registering: Promise<void> = Promise.resolve();

/** The script runs only where the user has given the permission. One after another: the last one sees how things are. */
export function registerArrivals(): Promise<void> {
  registering = registering.catch(() => undefined).then(register);
  return registering;
}

async function register(): Promise<void> {
  const [settings, staying] = await Promise.all([readSettings(), stayingTabs()]);
  const isAllowed = await api.permissions.contains(ALL_SITES);
  const wanted = isAnythingWanted(settings) || staying.length > 0 || (settings.selectionButton && isAllowed);
  const registered = await api.scripting.getRegisteredContentScripts({ ids: [SCRIPT] });
  if (wanted && registered.length === 0) {
    await api.scripting.registerContentScripts([
      { id: SCRIPT, js: ["arrival.js"], matches: ["http://*/*", "https://*/*"], runAt: "document_idle" },
    ]);
  } else if (!wanted && registered.length > 0) {
    await api.scripting.unregisterContentScripts({ ids: [SCRIPT] });
  }
}

export async function welcome(
  tabId: number,
  url: string,
  sample: Sample,
  detect: (text: string) => Promise<DetectorResult>,
): Promise<Welcome> {
  const [settings, staying, accepted] = await Promise.all([readSettings(), stayingTabs(), api.i18n.getAcceptLanguages()]);
  const { selectionButton } = settings;
  const detection = await languageOf(sample, detect);
  const read = [api.i18n.getUILanguage(), ...accepted, settings.target];
  const stays = staying.includes(tabId);
  const step = stepFor(settings, { ...detection, host: new URL(url).hostname, stays, read, declines: sample.declines });
  if (step === "nothing" || detection.language === null) return { offer: null, selectionButton };
  const route = wantedRoute(directionsOf(await ownOffers()), detection.language, settings.target);
  if (!route) return { offer: null, selectionButton };
  if (step === "offer" || route.missing > 0) return { offer: route, selectionButton };
  await translateTab(tabId, route, { hover: settings.hover, bar: true });
  return { offer: null, selectionButton };
}

export async function stayingTabs(): Promise<readonly number[]> {
  const { [STAYING]: tabs = [] } = await api.storage.session.get(STAYING);
  return tabs as readonly number[];
}

/** @returns whether the tab stays translated from now on. */
export async function stay(tabId: number, on: boolean): Promise<boolean> {
  const others = (await stayingTabs()).filter((other) => other !== tabId);
  await api.storage.session.set({ [STAYING]: on ? [...others, tabId] : others });
  await registerArrivals();
  return on;
}
