/**
 * The panel of the toolbar's button: it acts on the tab that it was opened over, and goes along when
 * that tab goes to another page.
 */

import type { Offer } from "../../../web/src/api/offers.ts";
import { closest } from "../../../web/src/base/tags.ts";
import { Directions, type Route } from "../../../web/src/ui/directions.ts";
import { api, formatSize, languageName, message, shortcut } from "../api.ts";
import { detectInTab } from "../detect-tab.ts";
import { errorText } from "../errors.ts";
import { attribution, FetchBox } from "./fetch-box.ts";
import { fillChoices } from "./language-selects.ts";
import { byId, localize } from "./localize.ts";
import { ModelsClient } from "./models-client.ts";
import { Publisher } from "./publisher.ts";
import { progressText } from "../progress.ts";
import { refusalOf } from "../reach.ts";
import { askForFrames, showNotes } from "./notes.ts";
import type { FrameState, Pair, SaidState, ToBackground } from "../messages.ts";
import { directionsOf, missingOf, wantedTarget } from "../models.ts";
import { ALL_SITES, changeSettings, Permission, switchOffers } from "../permissions.ts";
import { readSettings, withRule, type Rule, type Settings } from "../settings.ts";
import { originOf } from "../site.ts";
import { call, merged, tabState, translateTab } from "../tabs.ts";

/** Milliseconds between two looks at the tab. */
const PULSE = 250;

const source = byId<HTMLSelectElement>("source");
const target = byId<HTMLSelectElement>("target");
const translate = byId<HTMLButtonElement>("translate");
const restore = byId<HTMLButtonElement>("restore");

const RULES: readonly Rule[] = ["alwaysLanguages", "neverLanguages", "alwaysSites", "neverSites"];

/** It acts on pages by itself. */
function isAlways(rule: Rule): boolean {
  return rule === "alwaysSites" || rule === "alwaysLanguages";
}

/** The tab below the panel. */
interface Tab {
  readonly id: number;
  readonly incognito: boolean;
}

class Popup {
  readonly #tab: number;
  /** The window of the tab is: nothing that says what is read in it is kept. */
  readonly #isPrivate: boolean;
  readonly #client: ModelsClient;
  #directions = new Directions([]);
  #fetchBox: FetchBox | undefined;
  readonly #allSites: Permission;
  #thisSite: Permission;
  #settings: Settings;
  /** Address of the page that is shown; null where there is none that may be touched. */
  #page: string | null = null;
  /** Which page that is; see `InTab`. */
  #began: number | null = null;
  #host = "";
  #state = merged([]);
  /** Looks at the tab, one after another, that failed. */
  #failures = 0;

  constructor({ id, incognito }: Tab, settings: Settings, allSites: Permission) {
    this.#allSites = this.#thisSite = allSites;
    this.#tab = id;
    this.#isPrivate = incognito;
    byId("private").hidden = !incognito;
    // The browser keeps what it has allowed for which site.
    byId("allow-frames").hidden = incognito;
    this.#settings = settings;
    this.#client = new ModelsClient({
      ondownload: (pair, state) => { this.#showDownload(pair, state); },
      onchanged: () => void this.load().catch(showError),
      onfailed: (error) => { say(errorText(error)); },
    });
    this.#listen();
  }

  /** The models that there are; the choice stays. */
  async load(): Promise<void> {
    const offers: readonly Offer[] = await this.#client.offers();
    this.#directions = directionsOf(offers);
    this.#fillSources(source.value);
  }

  /** The tab says how far it is, as long as the panel is open. */
  async follow(): Promise<void> {
    try {
      await this.#look();
      this.#failures = 0;
    } catch {
      this.#failures += 1;
      // Once is no failure: between two pages a tab has none.
      if (this.#failures === 2) await this.#lose().catch(showError);
    }
    setTimeout(() => void this.follow(), PULSE);
  }

  async #look(): Promise<void> {
    const { url = "" } = await api.tabs.get(this.#tab);
    const [page = ""] = url.split("#");
    const states = await call(this.#tab, "state", []);
    if (page !== this.#page || states.length === 0) await this.#arrive(page);
    this.#state = await tabState(this.#tab);
    showState(this.#state);
  }

  /** Another page is in the tab, or the same anew. */
  async #arrive(page: string): Promise<void> {
    showState(merged([]));
    translate.disabled = true;
    const { language, isPdf, began } = await detectInTab(this.#tab);
    this.#began = began;
    const known = this.#directions.sources(wantedTarget(this.#settings.target)).map(({ tag }) => tag);
    const served = language === null ? undefined : closest(language, known);
    byId("detected").textContent = language ? message(served ? "detected" : "noModel", languageName(language)) : message("notSure");
    this.#host = URL.canParse(page) ? new URL(page).hostname : "";
    this.#thisSite = this.#host ? await Permission.of({ origins: [originOf(this.#host)] }) : this.#allSites;
    this.#page = page;
    target.replaceChildren(); // What was chosen was for the page before.
    this.#fillSources(served ?? "");
    byId("error").hidden = true;
    if (isPdf) this.#refuse("cannotPdf");
  }

  #refuse(reason: string): void {
    say(message(reason));
    byId("detected").textContent = "";
    translate.disabled = true;
    byId("fetching").hidden = true;
  }

  /**
   * The page in the tab may not be touched: it is the browser's own, or the tab has gone to another
   * site (Firefox: to another page), which ends what the click on the button allowed.
   */
  async #lose(): Promise<void> {
    showState(merged([]));
    if (this.#page === null) {
      const { url = "" } = await api.tabs.get(this.#tab);
      this.#refuse(refusalOf(url) ?? "cannot");
    } else this.#refuse("moved");
    this.#page = null;
  }

  #fillSources(chosen: string): void {
    const wanted = target.value || wantedTarget(this.#settings.target);
    const choices = this.#directions.sources(wanted);
    fillChoices(source, choices, chosen);
    // Nothing is translated from a guess: who wants it has to say from what.
    if (!choices.some(({ tag }) => tag === chosen)) source.prepend(new Option(message("choose"), "", true, true));
    this.#fillTargets();
  }

  #fillTargets(): void {
    const choices = this.#directions.targets(source.value);
    const wanted = target.value || wantedTarget(this.#settings.target);
    fillChoices(target, choices, Directions.best(choices, wanted));
    target.disabled = choices.length === 0;
    this.#showRoute();
    this.#showRules();
  }

  /** What is at hand can be translated; else it is said what is to be fetched. */
  #showRoute(): void {
    const route = this.#directions.route(source.value, target.value);
    const isMissing = route !== undefined && route.missing > 0;
    translate.hidden = isMissing;
    translate.disabled = route === undefined || this.#page === null;
    byId("fetching").hidden = !isMissing;
    if (!isMissing) this.#fetchBox = undefined;
    else void this.#offerFetch(route, { source: source.value, target: target.value }).catch(showError);
  }

  async #offerFetch({ legs, over, missing }: Route, pair: Pair): Promise<void> {
    if (this.#fetchBox && samePair(this.#fetchBox.pair, pair)) return;
    const models = missingOf(legs);
    const what = message("fromTo", languageName(pair.source), languageName(pair.target));
    const size = formatSize(missing);
    byId("fetch-what").textContent = over ? message("fetchOver", what, size, languageName(over)) : message("fetchWhat", what, size);
    byId("fetch-by").textContent = attribution(models);
    byId("fetch-box").replaceChildren();
    const publisher = await Publisher.of(models);
    if (!samePair({ source: source.value, target: target.value }, pair)) return;
    this.#fetchBox = new FetchBox(pair, what, this.#client, publisher);
    byId("fetch-box").replaceChildren(this.#fetchBox.element);
  }

  #showDownload(pair: Pair, state: SaidState): void {
    if (this.#fetchBox && samePair(this.#fetchBox.pair, pair)) this.#fetchBox.show(state);
  }

  #showRules(): void {
    const language = source.value;
    const name = language ? languageName(language) : "";
    const texts = {
      alwaysSites: message("alwaysSiteNamed", this.#host), neverSites: message("neverSiteNamed", this.#host),
      alwaysLanguages: message("alwaysLanguage", name), neverLanguages: message("neverLanguage", name),
    };
    for (const rule of RULES) {
      const item = rule.endsWith("Sites") ? this.#host : language;
      byId(`${rule}-text`).textContent = texts[rule];
      const box = byId<HTMLInputElement>(rule);
      // A permission may have been taken back in the browser's own settings: without it an "always" does nothing.
      const acts = !isAlways(rule) || (rule === "alwaysSites" ? this.#thisSite : this.#allSites).isGiven;
      box.checked = item !== "" && this.#settings[rule].includes(item) && acts;
      box.parentElement?.toggleAttribute("hidden", item === "" || this.#isPrivate);
    }
    byId<HTMLInputElement>("offer").checked = this.#settings.offer && this.#allSites.isGiven;
  }

  #listen(): void {
    source.addEventListener("change", () => { this.#fillSources(source.value); });
    target.addEventListener("change", () => { this.#fillSources(source.value); });
    byId("form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#translate().catch(showError);
    });
    byId("allow-frames").addEventListener("click", () => void this.#openFrames().catch(showError));
    restore.addEventListener("click", () => void call(this.#tab, "restore", []).catch(showError));
    byId("options").addEventListener("click", () => void api.runtime.openOptionsPage());
    for (const rule of RULES) onCheck(rule, (wanted) => this.#keep(rule, wanted));
    onCheck("stay", (wanted) => this.#stay(wanted));
    onCheck("offer", async (wanted) => {
      byId<HTMLInputElement>("offer").checked = await switchOffers(wanted, this.#allSites);
      this.#settings = await readSettings();
    });
  }

  async #openFrames(): Promise<void> {
    const { foreign, pair } = this.#state;
    if (pair && (await askForFrames(foreign))) await this.#start(pair);
  }

  /** "Always" acts on pages by itself: the browser asks whether it may, a site's rule for that site alone. */
  async #keep(rule: Rule, wanted: boolean): Promise<void> {
    const item = rule.endsWith("Sites") ? this.#host : source.value;
    const canTranslate = byId("running").hidden && !translate.disabled && !translate.hidden;
    const page = canTranslate ? { tab: this.#tab, began: this.#began, source: source.value, target: target.value } : null;
    const permission = rule === "alwaysSites" ? this.#thisSite : this.#allSites;
    const isAllowed = !wanted || !isAlways(rule) || (await permission.ask({ name: "rule", rule, item, page }));
    if (isAllowed) {
      await changeSettings((now) => withRule(now, rule, item, wanted));
      this.#settings = await readSettings();
    }
    this.#showRules();
    if (isAllowed && wanted && isAlways(rule) && byId("running").hidden && !translate.disabled && !translate.hidden) await this.#translate();
  }

  async #stay(wanted: boolean): Promise<void> {
    const isAllowed = !wanted || (await this.#allSites.ask({ name: "stay", tab: this.#tab }));
    const on = isAllowed && wanted;
    byId<HTMLInputElement>("stay").checked = await ask({ type: "stay", tab: this.#tab, on });
  }

  /** The page that is shown; where another one has come, it is looked at first. */
  async #start(pair: Pair): Promise<void> {
    const isThere = await translateTab(this.#tab, pair, { hover: this.#settings.hover, bar: false }, this.#began);
    if (!isThere) this.#page = null;
  }

  async #translate(): Promise<void> {
    byId("error").hidden = true;
    const pressed = document.activeElement;
    translate.disabled = true;
    try {
      const pair = { source: source.value, target: target.value };
      await this.#start(pair);
      showState(await tabState(this.#tab));
    } finally {
      translate.disabled = false;
      // While it is disabled it has no focus.
      if (pressed === translate) (byId("running").hidden ? translate : restore).focus();
    }
  }
}

function ask(request: ToBackground): Promise<boolean> {
  return api.runtime.sendMessage(request);
}

function samePair(one: Pair, other: Pair): boolean {
  return one.source === other.source && one.target === other.target;
}

function onCheck(id: string, action: (wanted: boolean) => Promise<void>): void {
  const box = byId<HTMLInputElement>(id);
  box.addEventListener("change", () => void action(box.checked).catch(showError));
}

function showState(state: FrameState): void {
  const { phase, total, done, failed, error } = state;
  const running = phase !== "off";
  showNotes(state);
  const inFocus = byId(running ? "form" : "running").contains(document.activeElement);
  byId("engine").textContent = state.engine ? message(`engine_${state.engine}`) : "";
  byId("form").hidden = running;
  byId("running").hidden = !running;
  // What goes takes the focus with it: keys go on at what comes in its place.
  if (inFocus) (running ? restore : translate.disabled || translate.hidden ? source : translate).focus();
  if (!running) return;
  const progress = byId<HTMLProgressElement>("progress");
  const settled = done + failed;
  progress.max = Math.max(1, total);
  if (done > 0 || phase !== "translating") progress.value = settled;
  else progress.removeAttribute("value"); // The engine starts.
  byId("status").textContent = progressText(state);
  byId("error").hidden = error === null || done > 0;
  byId("error").textContent = error ?? "";
}

function say(text: string): void {
  byId("error").hidden = false;
  byId("error").textContent = text;
}

function showError(error: unknown): void {
  say(errorText(error));
  translate.disabled = source.options.length === 0;
}

/** A panel in a tab of its own is told which by its address. */
async function tabOf(): Promise<Tab | undefined> {
  const named = Number(new URLSearchParams(location.search).get("tab"));
  const [tab] = named ? [await api.tabs.get(named)] : await api.tabs.query({ active: true, currentWindow: true });
  return tab?.id === undefined ? undefined : { id: tab.id, incognito: tab.incognito };
}

async function start(): Promise<void> {
  localize(document);
  const keys = await shortcut();
  byId("shortcut").textContent = keys ? message("shortcut", keys) : "";
  const [tab, settings, allSites] = await Promise.all([tabOf(), readSettings(), Permission.of(ALL_SITES)]);
  if (tab === undefined) {
    translate.disabled = true;
    say(message("noTab"));
    return;
  }
  const popup = new Popup(tab, settings, allSites);
  await popup.load();
  byId<HTMLInputElement>("stay").checked = (await ask({ type: "stay", tab: tab.id, on: null })) && allSites.isGiven;
  await popup.follow();
}

start().catch((error: unknown) => {
  translate.disabled = true;
  showError(error);
});
