/** The language of the page in a tab, and of what is selected there. */

import { loadDetector } from "../../web/src/api/language-detector.ts";
import type { Detection as DetectorResult } from "../../web/src/detection/detector.ts";
import { api } from "./api.ts";
import { languageOf, modelTag } from "./page-language.ts";
import type { Detection, InTab, Sample } from "./messages.ts";
import { call, inject } from "./tabs.ts";

const NOTHING: Sample = { text: "", declared: "", selected: "", isPdf: false, declines: false, began: null };

/** Of the extension's pages and its background, which can read its files. */
export async function detectText(text: string): Promise<DetectorResult> {
  return (await loadDetector(api.runtime.getURL("/"))).detect(text);
}

/** Of its top frame, as its author wrote it; the content script is there afterwards. */
export async function detectInTab(tabId: number): Promise<Detection & Pick<Sample, "isPdf"> & Pick<InTab, "began">> {
  await inject(tabId, 0);
  const [state] = await call(tabId, "state", [], 0);
  const [sample = NOTHING] = await call(tabId, "sample", [], 0);
  const { isPdf, began } = sample;
  const found = state?.pair ? { language: state.pair.source, confidence: 1 } : await languageOf(sample, detectText);
  return { ...found, isPdf, began };
}

/** Of what is selected in a frame, where that is sure; else of the page. */
export async function detectSelection(tabId: number, frameId: number | undefined): Promise<Detection> {
  const [sample = NOTHING] = await call(tabId, "sample", [], frameId);
  const { language, confidence } = await detectText(sample.selected);
  return language ? { language: modelTag(language), confidence } : detectInTab(tabId);
}
