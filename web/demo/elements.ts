/** The page's elements, by id and type. */

function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`index.html has no #${id}`);
  return element;
}

/** The part of a pane that scrolls, around a field or a text. */
function scrollerOf(id: string): HTMLElement {
  const element = document.getElementById(id)?.closest<HTMLElement>(".scroller");
  if (!element) throw new Error(`index.html has no .scroller around #${id}`);
  return element;
}

export const elements = {
  source: byId("source", HTMLTextAreaElement),
  mirror: byId("mirror", HTMLElement),
  output: byId("output", HTMLElement),
  targetPane: byId("target-pane", HTMLElement),
  sourceLanguage: byId("source-language", HTMLSelectElement),
  targetLanguage: byId("target-language", HTMLSelectElement),
  swap: byId("swap", HTMLButtonElement),
  count: byId("count", HTMLElement),
  overLimit: byId("over-limit", HTMLElement),
  sourceScroller: scrollerOf("source"),
  targetScroller: scrollerOf("output"),
  undoClear: byId("undo-clear", HTMLButtonElement),
  openHistory: byId("open-history", HTMLButtonElement),
  history: byId("history", HTMLDialogElement),
  openMemory: byId("open-memory", HTMLButtonElement),
  memory: byId("memory", HTMLDialogElement),
  openGlossary: byId("open-glossary", HTMLButtonElement),
  glossary: byId("glossary", HTMLDialogElement),
  remembered: byId("remembered", HTMLElement),
  termsUsed: byId("terms-used", HTMLElement),
  documents: byId("documents", HTMLElement),
  dropping: byId("dropping", HTMLElement),
  pageLanguage: byId("page-language", HTMLSelectElement),
  languageNotice: byId("language-notice", HTMLElement),
  clear: byId("clear", HTMLButtonElement),
  choices: byId("choices", HTMLElement),
  readSource: byId("read-source", HTMLButtonElement),
  readTarget: byId("read-target", HTMLButtonElement),
  copy: byId("copy", HTMLButtonElement),
  working: byId("working", HTMLProgressElement),
  emptyHint: byId("empty-hint", HTMLElement),
  loading: byId("loading", HTMLElement),
  error: byId("error", HTMLElement),
  errorTitle: byId("error-title", HTMLElement),
  errorAdvice: byId("error-advice", HTMLElement),
  errorTechnical: byId("error-technical", HTMLElement),
  retry: byId("retry", HTMLButtonElement),
  warnings: byId("warnings", HTMLElement),
  status: byId("status", HTMLElement),
  legend: byId("legend", HTMLElement),
  doubts: byId("doubts", HTMLElement),
  examples: byId("examples", HTMLElement),
  figures: byId("figures", HTMLElement),
  details: byId("details", HTMLElement),
  aligned: byId("aligned", HTMLElement),
  fetching: byId("fetching", HTMLElement),
  openLibrary: byId("open-library", HTMLButtonElement),
  library: byId("library", HTMLDialogElement),
  offline: byId("offline", HTMLElement),
  update: byId("update", HTMLElement),
  applyUpdate: byId("apply-update", HTMLButtonElement),
};
