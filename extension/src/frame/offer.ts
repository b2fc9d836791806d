/**
 * On pages that the user has allowed us to look at: offers to translate what is in another language.
 * Nothing is loaded and nothing is translated before the user says so.
 */

import { Overlay } from "../../../web/src/ui/overlay.ts";
import { primary } from "../../../web/src/dom/nodes/rules.ts";
import { api, languageName, message, ownLanguage } from "../api.ts";
import type { Detection as Found } from "../../../web/src/detection/detector.ts";
import { languageOf, sampleOf } from "../page-language.ts";
import type { ToBackground } from "../messages.ts";
import { readSettings, withItem, writeSettings, type Settings } from "../settings.ts";

/** Below it we do not trouble the reader. */
const SURE = 0.7;

/** Packed by the build: the pairs, so that no page has to ask for them. */
declare const PAIRS: readonly (readonly [source: string, target: string])[];

async function offer(): Promise<void> {
  const settings = await readSettings();
  if (!settings.offer || settings.neverSites.includes(location.hostname) || asksToBeLeftAlone()) return;
  const { language, confidence } = await languageOf(sampleOf(document), ask);
  if (!language || confidence < SURE || settings.neverLanguages.includes(language)) return;
  if (api.i18n.getUILanguage().startsWith(language) || (await readerKnows(language))) return;
  const targets = PAIRS.filter(([source]) => source === language).map(([, target]) => target);
  const wanted = settings.target || primary(api.i18n.getUILanguage());
  const target = targets.includes(wanted) ? wanted : targets[0];
  if (target) show(language, target, settings);
}

/** The background has the table: no page has to read it. */
function ask(text: string): Promise<Found> {
  return api.runtime.sendMessage({ type: "detect", text } satisfies ToBackground);
}

function asksToBeLeftAlone(): boolean {
  const { documentElement } = document;
  const says = document.querySelector<HTMLMetaElement>('meta[name="google"][content="notranslate"]');
  return says !== null || !documentElement.translate || documentElement.classList.contains("notranslate");
}

async function readerKnows(language: string): Promise<boolean> {
  const accepted = await api.i18n.getAcceptLanguages();
  return accepted.some((other) => primary(other) === language);
}

function show(source: string, target: string, settings: Settings): void {
  const name = languageName(source);
  const overlay = new Overlay(document, { role: "dialog", label: message("offerTitle"), language: ownLanguage() });
  overlay.element("p", { text: message("offer", name, languageName(target)) });
  const row = overlay.element("div", { className: "row" });
  const button = (text: string, action: () => unknown, main = false): void => {
    overlay.button(text, () => {
      overlay.close();
      void action();
    }, { main, parent: row });
  };
  button(message("translate"), () => api.runtime.sendMessage({ type: "translate-tab", tab: null, source, target } satisfies ToBackground), true);
  button(message("notNow"), () => undefined);
  button(message("neverSite"), () => writeSettings({ neverSites: withItem(settings.neverSites, location.hostname, true) }));
  button(message("neverLanguage", name), () => writeSettings({ neverLanguages: withItem(settings.neverLanguages, source, true) }));
  overlay.moveTo({ left: innerWidth, top: 0, bottom: 0 });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") overlay.close(); }, { once: true });
}

void offer();
