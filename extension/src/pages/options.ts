/** The page of settings. Every change is kept at once. */

import { api, languageName, message } from "../api.ts";
import { byId, localize } from "./localize.ts";
import { switchOffers } from "../offers.ts";
import { packedModels } from "../pairs.ts";
import { readSettings, withItem, writeSettings, type Settings } from "../settings.ts";

const MEGABYTE = 1e6;

async function start(): Promise<void> {
  localize(document);
  const [models, settings] = await Promise.all([packedModels(), readSettings()]);
  const targets = [...new Set(models.map(({ target }) => target))].sort();
  const select = byId<HTMLSelectElement>("target");
  select.append(new Option(message("browserLanguage"), ""), ...targets.map((code) => new Option(languageName(code), code)));
  select.value = settings.target;
  select.addEventListener("change", () => void writeSettings({ target: select.value }));
  byId("models").append(
    ...models.map(({ source, target, name, version, bytes }) =>
      item(`${message("fromTo", languageName(source), languageName(target))} (${name} ${version}, ${(bytes / MEGABYTE).toFixed(1)} MB)`),
    ),
  );
  const hover = byId<HTMLInputElement>("hover");
  hover.checked = settings.hover;
  hover.addEventListener("change", () => void writeSettings({ hover: hover.checked }));
  const offer = byId<HTMLInputElement>("offer");
  offer.checked = settings.offer;
  offer.addEventListener("change", () => void switchOffers(offer.checked).then((on) => { offer.checked = on; }));
  showList("never-sites", "neverSites", (site) => site);
  showList("never-languages", "neverLanguages", languageName);
  byId("version").textContent = `Dragoman ${api.runtime.getManifest().version} · MPL-2.0`;
}

function showList(id: string, key: "neverSites" | "neverLanguages", name: (entry: string) => string): void {
  const show = async (): Promise<void> => {
    const settings: Settings = await readSettings();
    const items = settings[key].map((entry) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = message("remove");
      button.setAttribute("aria-label", message("removeNamed", name(entry)));
      button.addEventListener("click", () => {
        void writeSettings({ [key]: withItem(settings[key], entry, false) }).then(show);
      });
      return item(name(entry), button);
    });
    byId(id).replaceChildren(...(items.length > 0 ? items : [item(message("nothingYet"))]));
  };
  void show();
}

function item(text: string, ...others: HTMLElement[]): HTMLLIElement {
  const element = document.createElement("li");
  const label = document.createElement("span");
  label.textContent = text;
  element.append(label, ...others);
  return element;
}

void start();
