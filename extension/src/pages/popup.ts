/**
 * The panel of the toolbar's button: it acts on the tab that it was opened over, and goes along when
 * that tab goes to another page.
 */

import type { ModelEntry } from "../../../web/src/stores/models.ts";
import { api, languageName, message, ownLanguage } from "../api.ts";
import { detectInTab } from "../detect-tab.ts";
import { byId, localize } from "./localize.ts";
import type { FrameState } from "../messages.ts";
import { switchOffers } from "../offers.ts";
import { bestTarget, packedModels, sourcesOf, targetsOf } from "../pairs.ts";
import { readSettings, withItem, writeSettings, type Settings } from "../settings.ts";
import { call, merged, tabState, translateTab } from "../tabs.ts";

/** Milliseconds between two looks at the tab. */
const PULSE = 250;

const source = byId<HTMLSelectElement>("source");
const target = byId<HTMLSelectElement>("target");
const translate = byId<HTMLButtonElement>("translate");
const restore = byId<HTMLButtonElement>("restore");

class Popup {
  readonly #tab: number;
  readonly #models: readonly ModelEntry[];
  #settings: Settings;
  /** Address of the page that is shown; null where there is none that may be touched. */
  #page: string | null = null;
  #host = "";
  /** Looks at the tab, one after another, that failed. */
  #failures = 0;

  constructor(tab: number, models: readonly ModelEntry[], settings: Settings) {
    this.#tab = tab;
    this.#models = models;
    this.#settings = settings;
    this.#listen();
  }

  /** The tab says how far it is, as long as the panel is open. */
  async follow(): Promise<void> {
    try {
      await this.#look();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      // Once is no failure: between two pages a tab has none.
      if (this.#failures === 2) this.#lose(error);
    }
    setTimeout(() => void this.follow(), PULSE);
  }

  async #look(): Promise<void> {
    const { url = "" } = await api.tabs.get(this.#tab);
    const [page = ""] = url.split("#");
    const states = await call(this.#tab, "state", []);
    if (page !== this.#page || states.length === 0) await this.#arrive(page);
    showState(await tabState(this.#tab));
  }

  /** Another page is in the tab, or the same anew. */
  async #arrive(page: string): Promise<void> {
    showState(merged([]));
    translate.disabled = true;
    const { language } = await detectInTab(this.#tab);
    const known = sourcesOf(this.#models);
    const served = language !== null && known.includes(language);
    fill(source, known);
    // Nothing is translated from a guess: who wants it has to say from what.
    if (!served) source.prepend(new Option(message("choose"), "", true, true));
    else source.value = language;
    byId("detected").textContent = language ? message(served ? "detected" : "noModel", languageName(language)) : message("notSure");
    this.#host = URL.canParse(page) ? new URL(page).hostname : "";
    this.#page = page;
    this.#fillTargets();
    byId("error").hidden = true;
  }

  /**
   * The page in the tab may not be touched: it is the browser's own, or the tab has gone to another
   * site (Firefox: to another page), which ends what the click on the button allowed.
   */
  #lose(error: unknown): void {
    showState(merged([]));
    byId("detected").textContent = "";
    if (this.#page === null) showError(error);
    else say(message("moved"));
    translate.disabled = true;
    this.#page = null;
  }

  #fillTargets(): void {
    fill(target, targetsOf(this.#models, source.value));
    const best = bestTarget(this.#models, source.value, this.#settings.target);
    if (best) target.value = best;
    translate.disabled = source.value === "";
    this.#showNever();
  }

  #showNever(): void {
    const { neverSites, neverLanguages, offer } = this.#settings;
    byId("never-site-text").textContent = message("neverSiteNamed", this.#host);
    byId("never-language-text").textContent = source.value ? message("neverLanguage", languageName(source.value)) : "";
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

function say(text: string): void {
  byId("error").hidden = false;
  byId("error").textContent = text;
}

function showError(error: unknown): void {
  say(`${message("cannot")} ${error instanceof Error ? error.message : ""}`);
  translate.disabled = source.options.length === 0;
}

/** The tab below; a panel in a tab of its own is told which by its address. */
async function tabOf(): Promise<number> {
  const named = Number(new URLSearchParams(location.search).get("tab"));
  if (named) return named;
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  if (tab?.id === undefined) throw new Error(message("noTab"));
  return tab.id;
}

async function start(): Promise<void> {
  localize(document);
  const [tab, models, settings] = await Promise.all([tabOf(), packedModels(), readSettings()]);
  await new Popup(tab, models, settings).follow();
}

start().catch((error: unknown) => {
  translate.disabled = true;
  showError(error);
});
