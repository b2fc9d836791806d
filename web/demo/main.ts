/** The demo page: puts the parts together. Nothing here knows how translation works. */

import { browserEnvironment } from "../src/api/environment.ts";
import type { LanguagePair } from "../src/api/models.ts";
import { findOffers, type Offer } from "../src/api/offers.ts";
import { Alternatives } from "../src/ui/choices/alternatives.ts";
import { ChosenSentences } from "../src/ui/choices/chosen.ts";
import { choicesTexts } from "./texts/choices.ts";
import { acceptDrops } from "./documents/drop.ts";
import { DocumentsPanel } from "./documents/panel.ts";
import type { Place } from "./documents/queue.ts";
import { elements } from "./elements.ts";
import { isOfServer, serverCreator, serverOffers } from "./engine/server.ts";
import { exampleButtons } from "./examples.ts";
import { renderRows, rows, summary } from "./figures.ts";
import { FetchPanel } from "./fetch-panel.ts";
import { Languages } from "./languages.ts";
import { Library } from "./library.ts";
import { LanguageNotice } from "./language-notice.ts";
import { LiveTranslation, type LiveState } from "../src/ui/live.ts";
import { LoadingPanel } from "./loading-panel.ts";
import { creator, Model } from "./model.ts";
import { markTexts, OwnFiles } from "./own-files.ts";
import { OfflineChip } from "./offline-chip.ts";
import { CopyButton } from "./panes/copying.ts";
import { Lighting } from "./panes/lighting.ts";
import { Reading } from "./panes/reading.ts";
import { scrollTogether } from "./panes/scrolling.ts";
import { SourcePane } from "./panes/source-pane.ts";
import { TargetPane } from "./panes/target-pane.ts";
import { WorkingBar } from "./panes/working-bar.ts";
import { MOST_WORDS } from "../src/ui/words/word-layer.ts";
import { Quota } from "./quota.ts";
import { forgetAddress, readAddress } from "./session/address.ts";
import { takeShared } from "../src/stores/shared-store.ts";
import { acceptLaunches, readOpening, type LaunchQueue, type Opening } from "./session/opening.ts";
import { History } from "./session/history.ts";
import { HistoryPanel } from "./session/history-panel.ts";
import { KeptText } from "./session/kept-text.ts";
import { acceptKeys } from "./page/keys.ts";
import { siteStorage } from "./page/site-storage.ts";
import type { Route } from "../src/ui/directions.ts";
import { errorMessage } from "./texts/errors.ts";
import { formatNumber, formatPercent } from "./texts/format.ts";
import { chooseLanguage, pageLanguage, plural, rememberLanguage, say } from "./texts/texts.ts";
import { warningsText } from "./texts/warnings.ts";

const keptText = new KeptText(siteStorage(window, "sessionStorage"));
const siteMemory = siteStorage(window, "localStorage");
chooseLanguage(siteMemory, navigator.languages);

const environment = browserEnvironment();
/** Of a server's engine nothing is fetched or kept here. */
const isServed = isOfServer(location.search);
if (!isServed) environment.prepare(); // Which model it will be is not known yet.
const offers = (): Promise<readonly Offer[]> => (isServed ? serverOffers() : findOffers(environment));
const source = new SourcePane(elements.source, elements.mirror);
const target = new TargetPane(elements.output);
const reading = new Reading([
  { button: elements.readSource, element: elements.source, text: () => source.text },
  { button: elements.readTarget, element: elements.output, text: () => target.text },
]);
const lighting = new Lighting(source, target, tell);
const working = new WorkingBar(elements.working);
const copying = new CopyButton(elements.copy, tell);
const loadingPanel = new LoadingPanel(elements.loading);
const quota = new Quota(elements.count, elements.overLimit);
const fetchPanel = new FetchPanel(elements.fetching, environment.published, {
  onstatus: setStatus,
  ondone: () => {
    void refresh();
  },
});
const library = new Library(elements.library, environment, refresh);
const history = new History(siteMemory);
const historyPanel = new HistoryPanel(elements.history, history, ({ source: from, target: to, text }) => {
  openText(from, to, text);
});
const offline = new OfflineChip(elements.offline, { onupdate: offerUpdate, findOffers: offers }, environment);
const documents = new DocumentsPanel(elements.documents, {
  place,
  doubt: (text, language) => notice.doubt(text, language),
  onswitch: (language) => languages?.choose(language),
});
let languages: Languages | undefined;
/** A text in the page's address: its languages are chosen once those that there are are known. */
let addressed = readAddress(location.hash);
/** What the button for clearing took away. */
let cleared = "";
/** `keyOf` the chosen direction when it was loaded, or offered. */
let loaded: string | undefined;
let loadSeconds: number | undefined;
/** Why the chosen direction could not be loaded. */
let failure: { readonly error: unknown } | undefined;

const model = new Model({
  onloading(event) {
    if (target.text === "") loadingPanel.reveal();
    setStatus(loadingPanel.update(event));
  },
  onready(seconds) {
    loadSeconds = seconds;
    loadingPanel.hide();
    showFigures();
    if (live.state.name === "empty" || live.state.name === "stopped") show(live.state);
    if (languages && !isServed) {
      const { source: sourceLanguage, target: targetLanguage } = languages;
      void offline.keep({ sourceLanguage, targetLanguage }, languages.reverse);
    }
  },
  onfailed(error) {
    failure = { error };
    showError(error);
  },
}, (isServed ? serverCreator : creator)((pair) => ownFiles.known(pair)));
const ownFiles = new OwnFiles(elements, () => languages, () => {
  if (loaded !== undefined && !languages?.route?.missing) load();
});

const notice = new LanguageNotice(elements.languageNotice, {
  choice: () => languages && { chosen: languages.source, sources: languages.sources },
  onswitch: (language) => languages?.choose(language),
  onanyway: translateNow,
});
const chosen = new ChosenSentences();
const live = new LiveTranslation(
  async (text, options) => chosen.apply({ text, response: await model.translate(text, options) }),
  (state) => {
    show(state);
    if (state.name !== "done" || !languages) return;
    history.add({ source: languages.source, target: languages.target, text: state.text, translation: state.response.text });
  },
);
const alternatives = new Alternatives(target.layer, elements.choices, chosen, {
  translate: async (text, options) => (await model.translator(options.signal)).translateDetailed(text, options),
  texts: choicesTexts,
  shown: () => (live.state.name === "done" ? live.state : undefined),
  onchange(response, what) {
    live.revise(response);
    setStatus(what);
  },
});

function show(state: LiveState): void {
  alternatives.close();
  const busy = state.name === "translating";
  elements.targetPane.toggleAttribute("data-stale", state.name === "waiting" || (busy && !state.partial));
  elements.targetPane.setAttribute("aria-busy", String(busy));
  if (!busy) working.end();
  if (state.name !== "failed") elements.error.hidden = true;
  switch (state.name) {
    case "empty":
      clearTarget();
      if (!fetchPanel.isShown) setStatus(say(loadSeconds === undefined ? "status.getting-ready" : isTyped() ? "status.not-translated" : "status.ready"));
      break;
    case "stopped":
      showStopped();
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
  const isIdle = state.name === "empty" || state.name === "stopped";
  elements.emptyHint.hidden = !isIdle || target.text !== "" || isTyped() || loadSeconds === undefined;
  if (isIdle && failure) showError(failure.error);
}

function isTyped(): boolean {
  return source.text.trim() !== "";
}

/** What is there stays: the translation of an earlier text, or the beginning of this one's. */
function showStopped(): void {
  reading.update();
  elements.copy.hidden = target.text === "";
  setStatus(say("status.stopped"));
}

function clearTarget(): void {
  target.clear();
  reading.update();
  lighting.setAlignment(null);
  elements.copy.hidden = elements.legend.hidden = elements.doubts.hidden = elements.remembered.hidden = elements.termsUsed.hidden = elements.warnings.hidden = true;
  showFigures();
}

function showWorking({ text, progress, partial }: LiveState & { name: "translating" }): void {
  working.begin(() => {
    if (loadSeconds !== undefined) setStatus(say("status.translating"));
  });
  if (partial) showPartial(partial.response.text, partial.done / text.length);
  else if (progress && working.set(progress.done, progress.total)) {
    setStatus(say("status.progress", { done: formatNumber(progress.done), sentences: plural(progress.total, "sentence") }));
  }
}

/** Of a long text: whole sentences, and the share of the text that they are of. */
function showPartial(translation: string, share: number): void {
  loadingPanel.hide();
  if (target.text === "" || !translation.startsWith(target.text)) lighting.setAlignment(null);
  target.grow(translation);
  elements.copy.hidden = true;
  if (working.set(share, 1)) setStatus(say("status.share", { percent: formatPercent(Math.floor(share * 100) / 100) }));
}

function showTranslation({ text, response }: LiveState & { name: "done" }): void {
  loadingPanel.hide();
  const doubts = target.show(response, markTexts());
  notice.remark();
  reading.update();
  const current = source.text === text;
  source.setWords(current ? (response.alignment?.sourceWords ?? []) : []);
  lighting.setAlignment(current ? response.alignment : null);
  elements.copy.hidden = false;
  elements.legend.hidden = doubts.words === 0;
  elements.doubts.hidden = doubts.sentences === 0;
  elements.remembered.hidden = doubts.remembered === 0;
  elements.termsUsed.hidden = doubts.terms === 0;
  elements.warnings.hidden = response.warnings.length === 0;
  elements.warnings.textContent = warningsText(response);
  setStatus(say("status.translated", { sentences: plural(response.sentences.length, "sentence") }));
  elements.figures.textContent = summary(text, response.timings.total);
  showFigures();
}

function showFigures(): void {
  const { state } = live;
  const response = state.name === "done" ? state.response : undefined;
  if (!response) elements.figures.textContent = "";
  const entries = rows(response, { route: languages?.route, loadSeconds, threads: environment.threads });
  if ((response?.alignment?.targetWords.length ?? 0) > MOST_WORDS) {
    entries.push([say("details.light"), say("details.light-up-to", { count: formatNumber(MOST_WORDS) })]);
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

/** To a screen reader. */
function tell(text: string): void {
  elements.aligned.textContent = text;
}

function setStatus(text: string): void {
  if (elements.status.textContent !== text) elements.status.textContent = text;
}

/** Load the model of the chosen pair; the first time, what there is to choose from as well. */
function load(): void {
  loadSeconds = failure = undefined;
  chosen.clear();
  elements.error.hidden = elements.emptyHint.hidden = true;
  fetchPanel.hide();
  loaded = keyOf(languages?.route);
  if (languages?.route?.missing) {
    offerFetch(languages, languages.route);
    return;
  }
  loadingPanel.show();
  model.load(languages ? choose(languages) : fetchLanguages().then(chooseFirst));
  translateNow();
}

/** Nothing is fetched before a person says so. */
function offerFetch(chosen: Languages, route: Route): void {
  model.unload();
  live.clear();
  loadingPanel.hide();
  offline.hide();
  notice.clear();
  choose(chosen);
  fetchPanel.show(route, chosen.source, chosen.target);
}

/** What was chosen at the last visit may have been deleted since, and a site may have no models of its own. */
function chooseFirst(chosen: Languages): LanguagePair | Promise<never> {
  const { route } = chosen;
  if (route?.missing) offerFetch(chosen, route);
  documents.known();
  ownFiles.ready();
  translateNow(); // What was typed before there were languages has not been compared with them.
  return route?.missing ? new Promise(() => undefined) : choose(chosen); // The first was taken back.
}

async function fetchLanguages(): Promise<Languages> {
  const found = await offers();
  const { sourceLanguage, targetLanguage, swap } = elements;
  languages = new Languages({ source: sourceLanguage, target: targetLanguage, swap }, found, siteMemory, {
    onchange: load,
    onswap: moveAcross,
  });
  if (addressed) languages.set(addressed.source, addressed.target);
  addressed = undefined;
  loaded = keyOf(languages.route);
  return languages;
}

/** What tells the models of a direction, and whether they are there, from all others. */
function keyOf(route: Route | undefined): string {
  return `${route?.legs.map(({ bundle }) => bundle).join(" ") ?? ""} ${String(Boolean(route?.missing))}`;
}

/** Something was fetched or deleted: the pickers show it, and what is chosen is loaded if it is other models now. */
async function refresh(): Promise<readonly Offer[]> {
  const found = await offers();
  languages?.update(found);
  if (languages && keyOf(languages.route) !== loaded) load();
  return found;
}

function choose({ source: sourceLanguage, target: targetLanguage }: Languages): LanguagePair {
  elements.source.lang = elements.mirror.lang = sourceLanguage;
  elements.output.lang = targetLanguage;
  reading.update();
  showExamples(sourceLanguage);
  return { sourceLanguage, targetLanguage };
}

function showExamples(language: string): void {
  elements.examples.replaceChildren(...exampleButtons(language, translateText));
}

function translateText(text: string): void {
  source.replaceText(text);
  translateNow();
}

function translateNow(): void {
  if (fetchPanel.isShown) return;
  if (isTyped() && quota.update(source.text)) whenInTheLanguage((text) => live.now(text));
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

function offerUpdate(apply: () => void): void {
  elements.update.hidden = false;
  elements.applyUpdate.onclick = apply; // The page loads again, and keeps what was typed.
}

/** What was translated is now to be translated back. */
function moveAcross(): void {
  const { state } = live;
  if (state.name === "done" && state.text === source.text) source.replaceText(state.response.text);
}

function openText(from: string, to: string, text: string): void {
  if (languages) languages.set(from, to);
  else addressed = { source: from, target: to, text };
  source.replaceText(text);
  if (keyOf(languages?.route) !== loaded) load();
  else translateNow();
}

/** What translates documents now. */
function place(): Place | "unknown" | "missing" {
  if (!languages) return "unknown";
  const lease = fetchPanel.isShown ? undefined : model.lease();
  return lease ? { ...lease, source: languages.source, target: languages.target } : "missing";
}

function clearSource(): void {
  cleared = source.text;
  source.replaceText("");
  elements.undoClear.hidden = false;
  setStatus(say("source.cleared"));
}

/** The page speaks another language from now on. */
function retell(): void {
  languages?.retell();
  if (languages) showExamples(languages.source);
  quota.update(source.text);
  if (live.state.name !== "translating") show(live.state);
  showFigures();
  offline.retell();
  documents.retell();
  notice.retell();
  reading.update();
  fetchPanel.retell();
}

function listen(): void {
  elements.source.addEventListener("input", () => {
    alternatives.close();
    source.setWords([]);
    reading.update();
    lighting.setAlignment(null);
    elements.undoClear.hidden = true;
    elements.clear.hidden = source.text === "";
    if (quota.update(source.text) && !fetchPanel.isShown) whenInTheLanguage((text) => { live.update(text); });
    else live.clear();
  });
  elements.clear.addEventListener("click", clearSource);
  elements.undoClear.addEventListener("click", () => { translateText(cleared); });
  elements.pageLanguage.value = pageLanguage();
  elements.pageLanguage.addEventListener("change", () => {
    rememberLanguage(siteMemory, elements.pageLanguage.value);
    retell();
  });
  elements.openHistory.addEventListener("click", () => { historyPanel.open(); });
  window.addEventListener("hashchange", openAddress);
  keptText.follow(window, () => source.text);
  scrollTogether(elements.sourceScroller, elements.targetScroller);
  acceptDrops(elements.dropping, {
    open: () => (elements.library.open ? "models" : ownFiles.open),
    take: {
      models: (files) => void library.take(files),
      memories: (files) => void ownFiles.memory.take(files),
      terms: (files) => void ownFiles.glossary.take(files),
      documents: (files) => { documents.take(files); },
    },
  });
  elements.copy.addEventListener("click", () => void copying.copy(target.text));
  elements.retry.addEventListener("click", () => {
    if (loadSeconds === undefined) load();
    else translateNow();
  });
  elements.openLibrary.hidden = isServed;
  elements.openLibrary.addEventListener("click", () => void library.open());
  acceptKeys(document, {
    onstop: () => {
      live.stop();
      lighting.clear();
    },
    ontranslate: translateNow,
    oncopy: () => void copying.copy(target.text),
  });
}

/** Another text is in the address now. */
function openAddress(): void {
  const found = readAddress(location.hash);
  if (!found) return;
  forgetAddress();
  openText(found.source, found.target, found.text);
}

/** What a shortcut, or another app that shares something, opened this one for. */
function open(opening: Opening): void {
  switch (opening) {
    case "history":
      historyPanel.open();
      break;
    case "documents":
      documents.show();
      break;
    case "shared":
      void takeShared().then(({ text, documents: files }) => {
        if (files.length) documents.take(files);
        if (text) translateText(text);
      }, showError);
  }
}

const first = addressed?.text ?? keptText.text;
if (addressed) forgetAddress();
if (first) elements.source.value = first;
source.setWords([]);
quota.update(source.text);
elements.clear.hidden = source.text === "";
listen();
load();
const opening = readOpening(location.search);
if (opening) {
  forgetAddress();
  open(opening);
}
acceptLaunches((window as { readonly launchQueue?: LaunchQueue }).launchQueue, {
  onopening: open,
  onfiles: (files) => { documents.take(files); },
  onunreadable: () => { setStatus(say("documents.unreadable")); },
});
