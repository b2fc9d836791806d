/** The page that holds the engine and fetches models, in either browser. */

import { browserEnvironment } from "../../../web/src/api/environment.ts";
import { browserHost } from "../../../web/src/published/host.ts";
import { PublishedStore } from "../../../web/src/published/store.ts";
import { EVERYWHERE, GlossaryStore } from "../../../web/src/stores/glossary-store.ts";
import { MemoryStore } from "../../../web/src/stores/memory-store.ts";
import { api } from "../api.ts";
import { ENGINE_PORT, MODELS_PORT } from "../messages.ts";
import { hostOf } from "../site.ts";
import { ownOffers } from "../models.ts";
import type { NativePort } from "../native/messages.ts";
import { NativeEngine } from "../native/native-engine.ts";
import { EngineHost } from "./engine-host.ts";
import { heartbeat } from "./heartbeat.ts";
import { ModelHost } from "./model-host.ts";

/**
 * Listen to frames and pages.
 *
 * @param onbeat called now and then while something is fetched.
 * @param connect to the engine of this computer.
 */
export function startHost(onbeat: () => void, connect: () => Promise<NativePort | null>): ModelHost {
  const store = new PublishedStore();
  // Translating fetches nothing: what is wanted and not there is for a click.
  const unconnected = { ...browserHost(), fetch: () => Promise.reject(new TypeError("nothing is fetched without a click")) };
  const own = { memories: new MemoryStore(), glossaries: new GlossaryStore() };
  const engine = new EngineHost({ ...browserEnvironment(), published: new PublishedStore(unconnected) }, new NativeEngine(connect), own);
  const models = new ModelHost({
    store,
    offers: () => ownOffers(store),
    onchanged() {
      engine.renew();
    },
    onbusy: heartbeat(onbeat),
  });
  api.runtime.onConnect.addListener((port) => {
    if (port.sender?.id !== api.runtime.id) return;
    if (port.name === ENGINE_PORT) engine.accept(port, siteOf(port.sender));
    if (port.name === MODELS_PORT) models.accept(port);
  });
  return models;
}

/** The host of the tab's page; where the browser does not tell it, of the frame. Pages of ours are none. */
function siteOf({ tab, url: frame }: chrome.runtime.MessageSender): string {
  return hostOf(tab?.url ?? frame ?? "") ?? EVERYWHERE;
}
