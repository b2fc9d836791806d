/** The language of the page in a tab, and of what is selected there. */

import { loadDetector } from "../../web/src/api/language-detector.ts";
import type { Detection as DetectorResult } from "../../web/src/detection/detector.ts";
import { api } from "./api.ts";
import { languageOf, modelTag } from "./page-language.ts";
import type { Detection, Sample } from "./messages.ts";
import { call, inject } from "./tabs.ts";

const NOTHING: Sample = { text: "", declared: "", selected: "", isPdf: false, declines: false };

/** Of the extension's pages and its background, which can read its files. */
export async function detectText(text: string): Promise<DetectorResult> {
  return (await loadDetector(api.runtime.getURL("/"))).detect(text);
}

/** Of its top frame, as its author wrote it; the content script is there afterwards. */
export async function detectInTab(tabId: number): Promise<Detection & { readonly isPdf: boolean }> {
  await inject(tabId, 0);
  const [state] = await call(tabId, "state", [], 0);
  if (state?.pair) return { language: state.pair.source, confidence: 1, isPdf: false };
  const [sample = NOTHING] = await call(tabId, "sample", [], 0);
  return { ...(await languageOf(sample, detectText)), isPdf: sample.isPdf };
}

/** Of what is selected in a frame, where that is sure; else of the page. */
export async function detectSelection(tabId: number, frameId: number | undefined): Promise<Detection> {
  const [sample = NOTHING] = await call(tabId, "sample", [], frameId);
  const { language, confidence } = await detectText(sample.selected);
  return language ? { language: modelTag(language), confidence } : detectInTab(tabId);
}
