/**
 * The background: menus, the shortcut, pages that come. It translates nothing and keeps nothing in memory, so
 * the browser may end it at any time and start it again.
 *
 * The engine's page differs: Chrome's service worker opens the offscreen document, Firefox's background
 * page is itself the host.
 */

import { api, counted, message } from "../api.ts";
import { detectInTab, detectSelection, detectText } from "../detect-tab.ts";
import type { Detection, Pair, ToBackground } from "../messages.ts";
import { isOwnPage } from "../native/ports.ts";
import { choosePair, directionsOf, ownOffers } from "../models.ts";
import { noteLent } from "../lent.ts";
import { readSettings } from "../settings.ts";
import { call, inject, stayingTabs, tabState, translateTab } from "../tabs.ts";
import { registerArrivals, settle, stay, welcome } from "./arrivals.ts";
import { showBadge, showFailure } from "./badge.ts";
import { grantWish, keepWish } from "./wishes.ts";

const WELCOME = "welcome.html";
/** In the storage of the session. */
const WANTED = "fetch-wanted";
/** Milliseconds in which a permission is the answer to a click. */
const ANSWER = 120_000;

interface Wanted {
  readonly pair: Pair;
  readonly at: number;
}

/** The engine's page. */
export interface EnginePage {
  /** Resolves when it listens. */
  readonly wake: () => Promise<void>;
  /** Fetch a route. */
  readonly fetch: (pair: Pair) => Promise<void>;
  /** Give it a port to the engine of this computer, where it cannot open one itself; whether there is one. */
  readonly openNative: () => Promise<boolean>;
}

export function startBackground(engine: EnginePage): void {
  api.runtime.onInstalled.addListener(({ reason }) => {
    createMenus();
    void registerArrivals();
    if (reason === "install") void api.tabs.create({ url: WELCOME });
  });
  api.runtime.onStartup.addListener(() => void settle()); // Tabs that stayed translated are gone.
  api.permissions.onAdded.addListener(() => {
    void registerArrivals();
    void fetchWanted(engine);
    void grantWish();
  });
  api.permissions.onRemoved.addListener(({ origins = [] }) => {
    void noteLent(origins, false);
    void registerArrivals();
  });
  api.tabs.onRemoved.addListener((tabId) => void forget(tabId));
  api.contextMenus.onClicked.addListener((info, tab) => {
    if (tab?.id !== undefined) void guarded(tab.id, onMenu(String(info.menuItemId), tab.id, info.frameId));
  });
  api.commands.onCommand.addListener((command, tab) => {
    if (command === "translate-page" && tab?.id !== undefined) void guarded(tab.id, toggle(tab.id));
  });
  api.runtime.onMessage.addListener((request: ToBackground, sender, respond) => {
    if (sender.id !== api.runtime.id) return false;
    void answer(request, sender).then(respond, () => { respond(false); });
    return true; // The answer comes later.
  });

  async function answer(request: ToBackground, sender: chrome.runtime.MessageSender): Promise<unknown> {
    const tab = sender.tab?.id;
    switch (request.type) {
      case "wake":
        await engine.wake();
        return true;
      case "translate-tab":
        return translateFrom(request.tab ?? tab, { source: request.source, target: request.target }, request.began);
      case "restore-tab":
        if (tab !== undefined) await call(tab, "restore", []);
        return true;
      case "arrived":
        if (tab === undefined || sender.url === undefined) return false;
        return welcome({ tab, url: sender.url, isPrivate: sender.tab?.incognito ?? false }, request.sample, detectText);
      case "detect-text":
        return detectText(request.text);
      case "translate-selection":
        if (tab !== undefined) await onMenu("translate-selection", tab, sender.frameId);
        return true;
      case "page-state":
        if (tab !== undefined) await showBadge(tab, await tabState(tab).catch(() => request.state));
        return true;
      case "stay":
        return request.on === null ? (await stayingTabs()).includes(request.tab) : stay(request.tab, request.on);
      case "fetch-wanted":
        await want(request.pair);
        return true;
      case "wish":
        await keepWish(request.wish, request.origins);
        return true;
      case "open-native":
        return isOwnPage(sender) && engine.openNative();
      case "settings-changed":
        await settle();
        return true;
    }
  }
}

async function translateFrom(tab: number | undefined, pair: Pair, began: number | null): Promise<boolean> {
  if (tab === undefined) return false;
  const { hover } = await readSettings();
  return translateTab(tab, pair, { hover, bar: true }, began);
}

function createMenus(): void {
  const contexts = { "translate-selection": "selection", "translate-page": "page", "translate-typing": "editable" } as const;
  api.contextMenus.removeAll(() => {
    for (const [id, context] of Object.entries(contexts)) {
      api.contextMenus.create({ id, title: message(`menu_${id.replace("-", "_")}`), contexts: [context] });
    }
  });
}

async function forget(tabId: number): Promise<void> {
  if ((await stayingTabs()).includes(tabId)) await stay(tabId, false);
}

async function want(pair: Pair | null): Promise<void> {
  if (pair) await api.storage.session.set({ [WANTED]: { pair, at: Date.now() } satisfies Wanted });
  else await api.storage.session.remove(WANTED);
}

/** What was wanted when the publisher's permission was asked for: the panel may be gone by the time it is given. */
async function fetchWanted(engine: EnginePage): Promise<void> {
  const { [WANTED]: wanted } = await api.storage.session.get<{ [WANTED]?: Wanted }>(WANTED);
  await want(null);
  if (wanted && Date.now() - wanted.at < ANSWER) await engine.fetch(wanted.pair);
}

/** The pair for a text, or why there is none: nothing is translated from a guess. */
async function pairFor({ language }: Detection): Promise<Pair | string> {
  const [offers, { target: chosen }] = await Promise.all([ownOffers(), readSettings()]);
  return choosePair(offers, language, chosen);
}

/** Where no extension may be, nothing can be said on the page: the button says that something went wrong. */
async function guarded(tabId: number, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch {
    await showFailure(tabId).catch(() => undefined); // The tab may have gone meanwhile.
  }
}

async function onMenu(id: string, tabId: number, frameId: number | undefined): Promise<void> {
  if (id === "translate-page") {
    await toggle(tabId);
    return;
  }
  try {
    await inject(tabId, frameId);
  } catch (error) {
    if (!frameId) throw error;
    // A frame of another site: a click allows the page's own. That can be said above it.
    await inject(tabId, 0);
    await call(tabId, "say", [counted("framesShut", 1)], 0);
    return;
  }
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
  const back = directionsOf(await ownOffers()).route(page.target, page.source);
  return back?.missing === 0 ? { source: page.target, target: page.source } : page;
}

async function toggle(tabId: number): Promise<void> {
  await inject(tabId);
  const { phase } = await tabState(tabId);
  if (phase !== "off") {
    await call(tabId, "restore", []);
    return;
  }
  const { isPdf, began, ...detection } = await detectInTab(tabId);
  const pair = isPdf ? message("cannotPdf") : await pairFor(detection);
  if (typeof pair === "string") {
    await call(tabId, "say", [pair], 0);
    await showFailure(tabId);
    return;
  }
  const { hover } = await readSettings();
  await translateTab(tabId, pair, { hover, bar: true }, began);
}
