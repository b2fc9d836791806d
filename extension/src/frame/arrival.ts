/**
 * On pages that the user has allowed us to look at: says to the background that one came, and shows what it offers.
 * Nothing is loaded and nothing is translated before the user says so, on the page or by a rule.
 */

import { Overlay } from "../../../web/src/ui/overlay.ts";
import { api, formatSize, languageName, message, ownLanguage } from "../api.ts";
import { sampleOf } from "../page-language.ts";
import type { Pair, ToBackground, Welcome } from "../messages.ts";
import { showSelectionButton } from "./selection-button.ts";
import { readSettings, withRule, writeSettings, type Rule } from "../settings.ts";

async function arrive(): Promise<void> {
  await shown();
  const { offer, translate, selectionButton, isPrivate } = await ask<Welcome>({ type: "arrived", sample: sampleOf(document) });
  if (selectionButton) showSelectionButton(document, () => void ask({ type: "translate-selection" }));
  if (offer) show(offer, offer.missing, isPrivate);
  if (translate) await translateHere(translate);
}

/** A page that is loaded ahead comes when it is shown: until then its tab has another one. */
async function shown(): Promise<void> {
  if (!(document as Document & { readonly prerendering?: boolean }).prerendering) return;
  await new Promise((resolve) => { document.addEventListener("prerenderingchange", resolve, { once: true }); });
}

function ask<T>(request: ToBackground): Promise<T> {
  return api.runtime.sendMessage(request);
}

function show({ source, target }: Pair, missing: number, isPrivate: boolean): void {
  const name = languageName(source);
  const overlay = new Overlay(document, { role: "dialog", label: message("offerTitle"), language: ownLanguage() });
  const text = message("offer", name, languageName(target));
  // It does not take the focus: it is read aloud where the reader pauses.
  const question = overlay.element("p");
  question.setAttribute("role", "status");
  question.textContent = missing > 0 ? message("offerToFetch", name, formatSize(missing)) : text;
  const row = overlay.element("div", { className: "row" });
  const button = (label: string, action: () => unknown, main = false): void => {
    overlay.button(label, () => {
      overlay.close();
      void action();
    }, { main, parent: row });
  };
  const translate = (): Promise<unknown> => translateHere({ source, target });
  const keep = (rule: Rule, item: string): Promise<void> => keepRule(rule, item);
  if (missing === 0) {
    button(message("translate"), translate, true);
    if (!isPrivate) button(message("alwaysLanguage", name), () => keep("alwaysLanguages", source).then(translate));
  }
  button(message("notNow"), () => undefined);
  if (!isPrivate) {
    button(message("neverSite"), () => keep("neverSites", location.hostname));
    button(message("neverLanguage", name), () => keep("neverLanguages", source));
  }
  overlay.moveTo({ left: innerWidth, top: 0, bottom: 0 });
  overlay.closeByEscape();
}

/** This page: by the time that it is heard, its tab may show another one. */
function translateHere(pair: Pair): Promise<unknown> {
  return ask({ type: "translate-tab", tab: null, began: performance.timeOrigin, ...pair });
}

async function keepRule(rule: Rule, item: string): Promise<void> {
  await writeSettings(withRule(await readSettings(), rule, item, true));
  await ask({ type: "settings-changed" });
}

void arrive();
