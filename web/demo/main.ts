/** The demo page: puts the parts together. Nothing here knows how translation works. */

import { browserEnvironment } from "../src/api/environment.ts";
import type { LanguagePair } from "../src/api/models.ts";
import { findOffers, type Offer } from "../src/api/offers.ts";
import { Translator } from "../src/api/translator.ts";
import { elements } from "./elements.ts";
import { EXAMPLES } from "./examples.ts";
import { renderRows, rows, summary } from "./figures.ts";
import { FetchPanel } from "./fetch-panel.ts";
import { formatNumber, plural } from "./format.ts";
import { Languages } from "./languages.ts";
import { Library } from "./library.ts";
import { LanguageNotice } from "./language-notice.ts";
import { Lighting } from "./lighting.ts";
import { LiveTranslation, type LiveState } from "../src/ui/live.ts";
import { LoadingPanel } from "./loading-panel.ts";
import { errorMessage } from "./messages.ts";
import { Model } from "./model.ts";
import { goOffline, type OfflineState } from "./offline.ts";
import { Quota } from "./quota.ts";
import { siteStorage } from "./site-storage.ts";
import { SourcePane } from "./source-pane.ts";
import type { Route } from "../src/ui/directions.ts";
import { TargetPane } from "./target-pane.ts";
import { MOST_WORDS } from "./word-layer.ts";

const OFFLINE_TEXTS: Readonly<Record<OfflineState, string>> = {
  unsupported: "Needs a connection at each visit",
  saving: "Saving for offline use",
  ready: "Ready for offline use",
  failed: "Not saved for offline use",
};
/** A translation that takes less shows no progress: it would only flicker. */
const PATIENCE = 200;
const KEPT_TEXT = "dragoman-text";
const pageMemory = siteStorage(window, "sessionStorage");

const environment = browserEnvironment();
const source = new SourcePane(elements.source, elements.mirror);
const target = new TargetPane(elements.output);
const lighting = new Lighting(source, target, (text) => {
  elements.aligned.textContent = text;
});
const loadingPanel = new LoadingPanel(elements.loading);
const quota = new Quota(elements.count, elements.overLimit);
const fetchPanel = new FetchPanel(elements.fetching, environment.published, {
  onstatus: setStatus,
  ondone: () => {
    void refresh();
  },
});
const library = new Library(elements.library, environment, refresh);
let languages: Languages | undefined;
/** `keyOf` the chosen direction when it was loaded, or offered. */
let loaded: string | undefined;
let loadSeconds: number | undefined;
let patience: ReturnType<typeof setTimeout> | undefined;

const model = new Model({
  onloading(event) {
    if (target.text === "") loadingPanel.reveal();
    setStatus(loadingPanel.update(event));
  },
  onready(seconds) {
    loadSeconds = seconds;
    loadingPanel.hide();
    showFigures();
    if (live.state.name === "empty") show(live.state);
    void saveForOffline();
  },
  onfailed(error) {
    showError(error);
  },
});

const notice = new LanguageNotice(elements.languageNotice, {
  choice: () => languages && { chosen: languages.source, sources: languages.sources },
  onswitch: (language) => languages?.choose(language),
  onanyway: translateNow,
});
const live = new LiveTranslation((text, options) => model.translate(text, options), show);

function show(state: LiveState): void {
  const busy = state.name === "translating";
  elements.targetPane.toggleAttribute("data-stale", state.name === "waiting" || busy);
  elements.targetPane.setAttribute("aria-busy", String(busy));
  if (!busy) stopWorking();
  if (state.name !== "failed") elements.error.hidden = true;
  switch (state.name) {
    case "empty":
      clearTarget();
      if (!fetchPanel.isShown) setStatus(loadSeconds === undefined ? "Getting ready" : "Ready");
      break;
    case "waiting":
      break;
    case "translating":
      showWorking(state);
      break;
    case "done":
      showTranslation(state);
      break;
    case "failed":
      showError(state.error);
  }
  elements.emptyHint.hidden = state.name !== "empty" || loadSeconds === undefined;
}

function clearTarget(): void {
  target.clear();
  lighting.setAlignment(null);
  elements.copy.hidden = elements.legend.hidden = elements.doubts.hidden = elements.warnings.hidden = true;
  showFigures();
}

function showWorking({ progress }: LiveState & { name: "translating" }): void {
  patience ??= setTimeout(() => {
    elements.working.hidden = false;
    if (loadSeconds !== undefined) setStatus("Translating");
  }, PATIENCE);
  if (!progress) return;
  elements.working.max = Math.max(1, progress.total);
  elements.working.value = progress.done;
  if (!elements.working.hidden) setStatus(`${formatNumber(progress.done)} of ${plural(progress.total, "sentence")}`);
}

function stopWorking(): void {
  clearTimeout(patience);
  patience = undefined;
  elements.working.hidden = true;
  elements.working.removeAttribute("value");
}

function showTranslation({ text, response }: LiveState & { name: "done" }): void {
  loadingPanel.hide();
  const doubts = target.show(response);
  const current = source.text === text;
  source.setWords(current ? (response.alignment?.sourceWords ?? []) : []);
  lighting.setAlignment(current ? response.alignment : null);
  elements.copy.hidden = false;
  elements.legend.hidden = doubts.words === 0;
  elements.doubts.hidden = doubts.sentences === 0;
  elements.warnings.hidden = response.warnings.length === 0;
  elements.warnings.textContent = [...new Set(response.warnings.map(({ message }) => message))].join(" ");
  setStatus(`Translated, ${plural(response.sentences.length, "sentence")}`);
  elements.figures.textContent = summary(text, response.timings.total);
  showFigures();
}

function showFigures(): void {
  const { state } = live;
  const response = state.name === "done" ? state.response : undefined;
  if (!response) elements.figures.textContent = "";
  const entries = rows(response, { route: languages?.route, loadSeconds, threads: environment.threads });
  if ((response?.alignment?.targetWords.length ?? 0) > MOST_WORDS) {
    entries.push(["Words light up", `in texts of up to ${formatNumber(MOST_WORDS)} words`]);
  }
  renderRows(elements.details, entries);
}

function showError(error: unknown): void {
  const { title, advice, technical } = errorMessage(error);
  loadingPanel.hide();
  clearTarget();
  elements.emptyHint.hidden = true;
  elements.errorTitle.textContent = title;
  elements.errorAdvice.textContent = advice;
  elements.errorTechnical.textContent = technical;
  elements.error.hidden = false;
  setStatus(title);
}

function setStatus(text: string): void {
  if (elements.status.textContent !== text) elements.status.textContent = text;
}

/** Load the model of the chosen pair; the first time, what there is to choose from as well. */
function load(): void {
  loadSeconds = undefined;
  elements.error.hidden = elements.emptyHint.hidden = true;
  fetchPanel.hide();
  loaded = keyOf(languages?.route);
  if (languages?.route?.missing) {
    offerFetch(languages, languages.route);
    return;
  }
  loadingPanel.show();
  model.load(languages ? choose(languages) : fetchLanguages().then(chooseFirst));
  if (source.text.trim()) translateNow();
}

/** Nothing is fetched before a person says so. */
function offerFetch(chosen: Languages, route: Route): void {
  model.unload();
  live.clear();
  loadingPanel.hide();
  elements.offline.hidden = true;
  choose(chosen);
  fetchPanel.show(route, chosen.source, chosen.target);
}

/** What was chosen at the last visit may have been deleted since, and a site may have no models of its own. */
function chooseFirst(chosen: Languages): LanguagePair | Promise<never> {
  if (!chosen.route?.missing) return choose(chosen);
  offerFetch(chosen, chosen.route);
  return new Promise(() => undefined); // It was taken back.
}

async function fetchLanguages(): Promise<Languages> {
  const offers = await findOffers(environment);
  const { sourceLanguage, targetLanguage, swap } = elements;
  languages = new Languages({ source: sourceLanguage, target: targetLanguage, swap }, offers, siteStorage(window, "localStorage"), load);
  loaded = keyOf(languages.route);
  return languages;
}

/** What tells the models of a direction, and whether they are there, from all others. */
function keyOf(route: Route | undefined): string {
  return `${route?.legs.map(({ bundle }) => bundle).join(" ") ?? ""} ${String(Boolean(route?.missing))}`;
}

/** Something was fetched or deleted: the pickers show it, and what is chosen is loaded if it is other models now. */
async function refresh(): Promise<readonly Offer[]> {
  const offers = await findOffers(environment);
  languages?.update(offers);
  if (languages && keyOf(languages.route) !== loaded) load();
  return offers;
}

function choose({ source: sourceLanguage, target: targetLanguage }: Languages): LanguagePair {
  elements.source.lang = sourceLanguage;
  elements.output.lang = targetLanguage;
  showExamples(sourceLanguage);
  return { sourceLanguage, targetLanguage };
}

function showExamples(language: string): void {
  const label = document.createElement("span");
  label.textContent = "Try";
  const buttons = (EXAMPLES[language] ?? []).map(({ title, text }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = title;
    button.addEventListener("click", () => {
      source.replaceText(text);
      translateNow();
    });
    return button;
  });
  elements.examples.replaceChildren(...(buttons.length ? [label, ...buttons] : []));
}

function translateNow(): void {
  if (fetchPanel.isShown) return;
  if (source.text.trim() && quota.update(source.text)) whenInTheLanguage((text) => live.now(text));
}

/** What is sure to be in another language than the chosen one is not translated; see `LanguageNotice`. */
function whenInTheLanguage(translate: (text: string) => unknown): void {
  const { text } = source;
  // Without its table nothing is known of languages: what is typed is translated as it was chosen.
  void notice.allows(text).catch(() => true).then((allowed) => {
    if (source.text !== text || fetchPanel.isShown) return; // What came meanwhile is asked about by itself.
    if (allowed) translate(text);
    else live.clear();
  });
}

async function copyTranslation(): Promise<void> {
  if (!target.text) return;
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(target.text);
  } catch {
    said = "Not allowed";
  }
  elements.copy.textContent = said;
  setTimeout(() => {
    elements.copy.textContent = "Copy";
  }, 1_500);
}

function saveForOffline(): Promise<void> {
  const pair = { sourceLanguage: languages?.source ?? "", targetLanguage: languages?.target ?? "" };
  const saved = loaded;
  return goOffline({
    isModelKept: async () => (await Translator.availability(pair)) === "available",
    onstate(state) {
      if (loaded !== saved || fetchPanel.isShown) return; // It would be said of another direction.
      elements.offline.hidden = false;
      elements.offline.dataset["state"] = state;
      elements.offline.textContent = OFFLINE_TEXTS[state];
    },
    onupdate(apply) {
      elements.update.hidden = false;
      elements.applyUpdate.onclick = () => {
        pageMemory.setItem(KEPT_TEXT, source.text); // The page loads again: what was typed must not go.
        apply();
      };
    },
  });
}

function listen(): void {
  elements.source.addEventListener("input", () => {
    source.setWords([]);
    lighting.setAlignment(null);
    elements.clear.hidden = source.text === "";
    if (quota.update(source.text) && !fetchPanel.isShown) whenInTheLanguage((text) => { live.update(text); });
    else live.clear();
  });
  elements.clear.addEventListener("click", () => {
    source.replaceText("");
  });
  elements.copy.addEventListener("click", () => void copyTranslation());
  elements.retry.addEventListener("click", () => {
    if (loadSeconds === undefined) load();
    else translateNow();
  });
  elements.openLibrary.addEventListener("click", () => void library.open());
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault(); // Or the browser would open the file in place of the page.
    void library.take([...event.dataTransfer.files]);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      live.stop();
      stopWorking();
      lighting.clear();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (event.shiftKey) void copyTranslation();
      else translateNow();
    }
  });
}

const kept = pageMemory.getItem(KEPT_TEXT);
pageMemory.removeItem(KEPT_TEXT);
if (kept) elements.source.value = kept;
source.setWords([]);
quota.update(source.text);
elements.clear.hidden = source.text === "";
listen();
load();
