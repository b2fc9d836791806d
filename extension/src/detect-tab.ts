/** The language of the page in a tab. */

import type { Detection } from "./messages.ts";
import { call, inject } from "./tabs.ts";

/** Of its top frame; the content script is there afterwards. */
export async function detectInTab(tabId: number): Promise<Detection> {
  await inject(tabId, 0);
  const [found] = await call(tabId, "detect", [], 0);
  return found ?? { language: null, confidence: 0 };
}
