/** Chrome: the service worker. It opens the offscreen document, where the engine is, when asked. */

import { MODELS_PORT, type Pair, type ToModels } from "../messages.ts";
import { relayNative } from "../native/ports.ts";
import { startBackground } from "./background.ts";

const HOST = "offscreen.html";
let opening: Promise<void> | undefined;

async function ensureHost(): Promise<void> {
  opening ??= open().finally(() => {
    opening = undefined;
  });
  await opening;
}

async function open(): Promise<void> {
  const contextTypes = [chrome.runtime.ContextType.OFFSCREEN_DOCUMENT];
  const open = await chrome.runtime.getContexts({ contextTypes });
  if (open.length > 0) return;
  await chrome.offscreen.createDocument({
    url: HOST,
    reasons: [chrome.offscreen.Reason.WORKERS],
    justification: "Runs the translation model in web workers, on this computer.",
  });
}

async function fetchModels(pair: Pair): Promise<void> {
  await ensureHost();
  const port = chrome.runtime.connect({ name: MODELS_PORT });
  port.postMessage({ type: "fetch", ...pair } satisfies ToModels);
  port.disconnect(); // What was said before arrives.
}

startBackground({ wake: ensureHost, fetch: fetchModels, openNative: relayNative });
