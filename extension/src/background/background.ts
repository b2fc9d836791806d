/**
 * The background: menus, the shortcut, offers. It translates nothing and keeps nothing in memory, so
 * the browser may end it at any time and start it again.
 *
 * `ensureHost` differs: Chrome's service worker opens the offscreen document, Firefox's background
 * page is itself the host.
 */

import { api, message } from "../api.ts";
import { detectInTab, detectSelection, detectText } from "../detect-tab.ts";
import type { Detection, Pair, ToBackground } from "../messages.ts";
import { choosePair, packedModels } from "../pairs.ts";
import { readSettings } from "../settings.ts";
import { call, inject, tabState, translateTab } from "../tabs.ts";

const OFFER_SCRIPT = "offer";
const ALL_SITES = { origins: ["<all_urls>"] };

export function startBackground(ensureHost: () => Promise<void>): void {
  api.runtime.onInstalled.addListener(() => {
    createMenus();
    void registerOffers();
  });
  api.runtime.onStartup.addListener(() => void registerOffers());
  api.permissions.onAdded.addListener(() => void registerOffers());
  api.permissions.onRemoved.addListener(() => void registerOffers());
  api.contextMenus.onClicked.addListener((info, tab) => {
    if (tab?.id !== undefined) void onMenu(String(info.menuItemId), tab.id, info.frameId);
  });
  api.commands.onCommand.addListener((command, tab) => {
    if (command === "translate-page" && tab?.id !== undefined) void toggle(tab.id);
  });
  api.runtime.onMessage.addListener((request: ToBackground, sender, respond) => {
    if (sender.id !== api.runtime.id) return false;
    void answer(request, sender).then(respond, () => { respond(false); });
    return true; // The answer comes later.
  });

  async function answer(request: ToBackground, sender: chrome.runtime.MessageSender): Promise<unknown> {
    switch (request.type) {
      case "wake":
        await ensureHost();
        return true;
      case "translate-tab": {
        const tab = request.tab ?? sender.tab?.id;
        if (tab === undefined) return false;
        const { hover } = await readSettings();
        await translateTab(tab, { source: request.source, target: request.target }, { hover });
        return true;
      }
      case "detect":
        return detectText(request.text);
      case "settings-changed":
        await registerOffers();
        return true;
    }
  }
}

function createMenus(): void {
  const contexts = { "translate-selection": "selection", "translate-page": "page", "translate-typing": "editable" } as const;
  api.contextMenus.removeAll(() => {
    for (const [id, context] of Object.entries(contexts)) {
      api.contextMenus.create({ id, title: message(`menu_${id.replace("-", "_")}`), contexts: [context] });
    }
  });
}

/** What is offered runs only where the user has given the permission for all sites. */
async function registerOffers(): Promise<void> {
  const { offer } = await readSettings();
  const wanted = offer && (await api.permissions.contains(ALL_SITES));
  const registered = await api.scripting.getRegisteredContentScripts({ ids: [OFFER_SCRIPT] });
  if (wanted && registered.length === 0) {
    await api.scripting.registerContentScripts([
      { id: OFFER_SCRIPT, js: ["offer.js"], matches: ["http://*/*", "https://*/*"], runAt: "document_idle" },
    ]);
  } else if (!wanted && registered.length > 0) {
    await api.scripting.unregisterContentScripts({ ids: [OFFER_SCRIPT] });
  }
}

/** The pair for a text, or why there is none: nothing is translated from a guess. */
async function pairFor({ language }: Detection): Promise<Pair | string> {
  const [models, { target: chosen }] = await Promise.all([packedModels(), readSettings()]);
  return choosePair(models, language, chosen);
}

async function onMenu(id: string, tabId: number, frameId: number | undefined): Promise<void> {
  if (id === "translate-page") {
    await toggle(tabId);
    return;
  }
  await inject(tabId, frameId);
  const isSelection = id === "translate-selection";
  const pair = await pairFor(await (isSelection ? detectSelection(tabId, frameId) : detectInTab(tabId)));
  if (typeof pair === "string") {
    await call(tabId, "say", [pair], frameId);
    return;
  }
  if (isSelection) await call(tabId, "translateSelection", [pair], frameId);
  else await call(tabId, "translateTyping", [await typingPair(pair)], frameId);
}

/** A reader writes in their own language: into the page's, where there is a model for it. */
async function typingPair(page: Pair): Promise<Pair> {
  const models = await packedModels();
  const back = models.find(({ source, target }) => source === page.target && target === page.source);
  return back ? { source: page.target, target: page.source } : page;
}

async function toggle(tabId: number): Promise<void> {
  await inject(tabId);
  const { phase } = await tabState(tabId);
  if (phase !== "off") {
    await call(tabId, "restore", []);
    return;
  }
  const pair = await pairFor(await detectInTab(tabId));
  if (typeof pair === "string") {
    await call(tabId, "say", [pair], 0);
    return;
  }
  const { hover } = await readSettings();
  await translateTab(tabId, pair, { hover });
}
