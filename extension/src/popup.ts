/** The panel of the toolbar's button: it acts on the tab that it was opened over. */

import type { ModelEntry } from "../../web/src/models.ts";
import { api, languageName, message, ownLanguage } from "./api.ts";
import { detectInTab } from "./detect-tab.ts";
import { byId, localize } from "./localize.ts";
import type { Detection, FrameState } from "./messages.ts";
import { switchOffers } from "./offers.ts";
import { bestTarget, packedModels, sourcesOf, targetsOf } from "./pairs.ts";
import { readSettings, withItem, writeSettings, type Settings } from "./settings.ts";
import { call, tabState, translateTab } from "./tabs.ts";

/** Milliseconds between two looks at the tab. */
const PULSE = 250;

const source = byId<HTMLSelectElement>("source");
const target = byId<HTMLSelectElement>("target");
const translate = byId<HTMLButtonElement>("translate");
const restore = byId<HTMLButtonElement>("restore");

class Popup {
  readonly #tab: number;
  readonly #host: string;
  readonly #models: readonly ModelEntry[];
  #settings: Settings;

  constructor(tab: number, host: string, models: readonly ModelEntry[], settings: Settings) {
    this.#tab = tab;
    this.#host = host;
    this.#models = models;
    this.#settings = settings;
  }

  show({ language }: Detection): void {
    fill(source, sourcesOf(this.#models));
    if (language && sourcesOf(this.#models).includes(language)) source.value = language;
    this.#fillTargets();
    byId("detected").textContent = language ? message("detected", languageName(language)) : message("undetected");
    this.#showNever();
    this.#listen();
  }

  /** The tab says how far it is, as long as the panel is open. */
  async follow(): Promise<void> {
    showState(await tabState(this.#tab));
    setTimeout(() => void this.follow().catch(showError), PULSE);
  }

  #fillTargets(): void {
    fill(target, targetsOf(this.#models, source.value));
    const best = bestTarget(this.#models, source.value, this.#settings.target);
    if (best) target.value = best;
    this.#showNever();
  }

  #showNever(): void {
    const { neverSites, neverLanguages, offer } = this.#settings;
    byId("never-site-text").textContent = message("neverSiteNamed", this.#host);
    byId("never-language-text").textContent = message("neverLanguage", languageName(source.value));
    byId<HTMLInputElement>("never-site").checked = neverSites.includes(this.#host);
    byId<HTMLInputElement>("never-site").disabled = this.#host === "";
    byId<HTMLInputElement>("never-language").checked = neverLanguages.includes(source.value);
    byId<HTMLInputElement>("offer").checked = offer;
  }

  #listen(): void {
    source.addEventListener("change", () => { this.#fillTargets(); });
    byId("form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#translate().catch(showError);
    });
    restore.addEventListener("click", () => void call(this.#tab, "restore", []).catch(showError));
    byId("options").addEventListener("click", () => void api.runtime.openOptionsPage());
    onCheck("never-site", (wanted) => this.#change({ neverSites: withItem(this.#settings.neverSites, this.#host, wanted) }));
    onCheck("never-language", (wanted) => this.#change({ neverLanguages: withItem(this.#settings.neverLanguages, source.value, wanted) }));
    onCheck("offer", async (wanted) => {
      byId<HTMLInputElement>("offer").checked = await switchOffers(wanted);
    });
  }

  async #translate(): Promise<void> {
    byId("error").hidden = true;
    translate.disabled = true;
    try {
      const pair = { source: source.value, target: target.value };
      await translateTab(this.#tab, pair, { hover: this.#settings.hover });
      showState(await tabState(this.#tab));
    } finally {
      translate.disabled = false;
    }
  }

  async #change(changes: Partial<Settings>): Promise<void> {
    this.#settings = { ...this.#settings, ...changes };
    await writeSettings(changes);
  }
}

function fill(select: HTMLSelectElement, languages: readonly string[]): void {
  select.replaceChildren(...languages.map((language) => new Option(languageName(language), language)));
}

function onCheck(id: string, action: (wanted: boolean) => Promise<void>): void {
  const box = byId<HTMLInputElement>(id);
  box.addEventListener("change", () => void action(box.checked).catch(showError));
}

function showState({ phase, total, done, failed, error }: FrameState): void {
  const running = phase !== "off";
  byId("form").hidden = running;
  byId("running").hidden = !running;
  if (!running) return;
  const progress = byId<HTMLProgressElement>("progress");
  const settled = done + failed;
  progress.max = Math.max(1, total);
  if (done > 0 || phase !== "translating") progress.value = settled;
  else progress.removeAttribute("value"); // The engine starts.
  byId("status").textContent = statusText(phase, done, total, failed);
  byId("error").hidden = error === null || done > 0;
  byId("error").textContent = error ?? "";
}

function statusText(phase: FrameState["phase"], done: number, total: number, failed: number): string {
  const counts = [done, total].map((count) => count.toLocaleString(ownLanguage()));
  if (phase === "translated") return failed > 0 ? message("translatedBut", String(failed)) : message("translated");
  if (done === 0) return message("starting");
  return message("progressOf", ...counts);
}

function showError(error: unknown): void {
  const box = byId("error");
  box.hidden = false;
  box.textContent = `${message("cannot")} ${error instanceof Error ? error.message : ""}`;
  translate.disabled = source.options.length === 0;
}

/** The tab below; a panel in a tab of its own is told which by its address. */
async function tabOf(): Promise<{ id: number; url: string }> {
  const named = Number(new URLSearchParams(location.search).get("tab"));
  const [tab] = named ? [await api.tabs.get(named)] : await api.tabs.query({ active: true, currentWindow: true });
  if (tab?.id === undefined) throw new Error(message("noTab"));
  return { id: tab.id, url: tab.url ?? "" };
}

async function start(): Promise<void> {
  localize(document);
  const [tab, models, settings] = await Promise.all([tabOf(), packedModels(), readSettings()]);
  const host = URL.canParse(tab.url) ? new URL(tab.url).hostname : "";
  const popup = new Popup(tab.id, host, models, settings);
  popup.show(await detectInTab(tab.id));
  await popup.follow();
}

start().catch((error: unknown) => {
  translate.disabled = true;
  showError(error);
});
