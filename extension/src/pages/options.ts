/** The page of settings. Every change is kept at once. */

import { api, languageName, message, ownLanguage } from "../api.ts";
import { Library } from "./library.ts";
import { byId, localize } from "./localize.ts";
import { Memories } from "./memories.ts";
import { Terms } from "./terms.ts";
import { startNativeSwitch } from "./native-switch.ts";
import { ALL_SITES, changeSettings, Permission, switchOffers } from "../permissions.ts";
import { readSettings, withItem, writeSettings, type Rule } from "../settings.ts";

async function start(): Promise<void> {
  localize(document);
  const [settings, allSites] = await Promise.all([readSettings(), Permission.of(ALL_SITES)]);
  const select = byId<HTMLSelectElement>("target");
  let chosen = settings.target;
  const library = new Library((offers) => {
    const targets = [...new Set(offers.map(({ target }) => target))].map((code) => ({ code, name: languageName(code) }));
    const { compare } = new Intl.Collator(ownLanguage());
    targets.sort((one, other) => compare(one.name, other.name));
    select.replaceChildren(new Option(message("browserLanguage"), ""), ...targets.map(({ code, name }) => new Option(name, code)));
    select.value = chosen;
    memories.offer(offers);
    terms.offer(offers);
  });
  const memories = new Memories(() => { library.renew(); });
  const terms = new Terms(() => { library.renew(); });
  select.addEventListener("change", () => {
    chosen = select.value;
    void writeSettings({ target: chosen });
  });
  const hover = byId<HTMLInputElement>("hover");
  hover.checked = settings.hover;
  hover.addEventListener("change", () => void writeSettings({ hover: hover.checked }));
  const offer = byId<HTMLInputElement>("offer");
  offer.checked = settings.offer && allSites.isGiven;
  offer.addEventListener("change", () => void switchOffers(offer.checked, allSites).then((on) => { offer.checked = on; }));
  const selection = byId<HTMLInputElement>("selection");
  selection.checked = settings.selectionButton;
  selection.addEventListener("change", () => void changeSettings({ selectionButton: selection.checked }));
  showAllowed(allSites);
  await startNativeSwitch(settings.nativeEngine, () => { library.renew(); });
  showRules("alwaysLanguages", languageName);
  showRules("alwaysSites", (site) => site);
  showRules("neverLanguages", languageName);
  showRules("neverSites", (site) => site);
  byId("version").textContent = `Dragoman ${api.runtime.getManifest().version} · MPL-2.0`;
}

/** On all pages, by a permission that the browser asks for. */
function showAllowed(allSites: Permission): void {
  const button = byId<HTMLButtonElement>("allow-all");
  const look = async (): Promise<void> => {
    button.disabled = await api.permissions.contains(ALL_SITES);
    button.textContent = message(button.disabled ? "allowedAll" : "allowAll");
  };
  button.addEventListener("click", () => void allSites.ask());
  api.permissions.onAdded.addListener(() => void look());
  api.permissions.onRemoved.addListener(() => void look());
  void look();
}

function showRules(rule: Rule, name: (entry: string) => string): void {
  const show = async (): Promise<void> => {
    const settings = await readSettings();
    const items = settings[rule].map((entry) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = message("remove");
      button.setAttribute("aria-label", message("removeNamed", name(entry)));
      button.addEventListener("click", () => {
        void changeSettings((now) => ({ [rule]: withItem(now[rule], entry, false) }));
      });
      return item(name(entry), button);
    });
    const list = byId(rule);
    const inFocus = [...list.children].findIndex((row) => row.contains(document.activeElement));
    list.replaceChildren(...(items.length > 0 ? items : [item(message("nothingYet"))]));
    if (inFocus >= 0) focusRow(list, inFocus);
  };
  void show();
  api.storage.onChanged.addListener((changes) => { if (rule in changes) void show(); });
}

/** Keys go on at the place of the row that was removed. */
function focusRow(list: HTMLElement, place: number): void {
  const row = list.children[Math.min(place, list.children.length - 1)];
  const button = row?.querySelector("button");
  list.tabIndex = -1;
  (button ?? list).focus();
}

function item(text: string, ...others: HTMLElement[]): HTMLLIElement {
  const element = document.createElement("li");
  const label = document.createElement("span");
  label.textContent = text;
  element.append(label, ...others);
  return element;
}

// Until then a click would be lost.
void start().finally(() => { byId("settings").inert = false; });
