/**
 * Ports to the engine of this computer. Firefox: the page of the engines opens it. Chrome: an offscreen document may
 * not, so the service worker does, and passes on what is said.
 *
 *     Firefox    background page ------------------------------------------- host
 *     Chrome     offscreen document ---- port "native" ---- service worker -- host
 *
 * No page gets at it: nothing here listens to pages, and a content script cannot open such a port.
 */

import { NATIVE_HOST } from "../../../web/src/wire/contract.ts";
import { api } from "../api.ts";
import { NATIVE_PORT, type ToBackground } from "../messages.ts";
import { NATIVE_MESSAGING } from "../permissions.ts";
import { readSettings } from "../settings.ts";
import type { NativePort } from "./messages.ts";

/** Where extension pages may open it; null where the user has not switched it on, or taken the permission back. */
export async function connectNative(): Promise<chrome.runtime.Port | null> {
  const { nativeEngine } = await readSettings();
  if (!nativeEngine || !(await api.permissions.contains(NATIVE_MESSAGING))) return null;
  const port = api.runtime.connectNative(NATIVE_HOST);
  // Looked at, it is no error on the console.
  port.onDisconnect.addListener(() => api.runtime.lastError);
  return port;
}

/** In the service worker: a port for the offscreen document. @returns whether there is one. */
export async function relayNative(): Promise<boolean> {
  const native = await connectNative();
  if (!native) return false;
  const page = api.runtime.connect({ name: NATIVE_PORT });
  pass(native, page);
  pass(page, native);
  return true;
}

function pass(from: chrome.runtime.Port, to: chrome.runtime.Port): void {
  from.onMessage.addListener((message: unknown) => { to.postMessage(message); });
  from.onDisconnect.addListener(() => { to.disconnect(); });
}

/** In the offscreen document: what the service worker opens when it is asked. */
export function relayedNative(): () => Promise<NativePort | null> {
  const came: NativePort[] = [];
  const waiting: ((port: NativePort) => void)[] = [];
  api.runtime.onConnect.addListener((port) => {
    if (port.name !== NATIVE_PORT || !isOwnPage(port.sender)) return;
    const first = waiting.shift();
    if (first) first(port);
    else came.push(port);
  });
  return async () => {
    const isOpened: unknown = await api.runtime.sendMessage({ type: "open-native" } satisfies ToBackground);
    if (isOpened !== true) return null;
    // Who asks again before the first one is answered has a port of their own: each of them is closed by whom it was for.
    return came.shift() ?? new Promise<NativePort>((resolve) => { waiting.push(resolve); });
  };
}

/** Whether it is the extension itself, not one of its scripts in a page. */
export function isOwnPage(sender: chrome.runtime.MessageSender | undefined): boolean {
  return sender?.id === api.runtime.id && Boolean(sender.url?.startsWith(api.runtime.getURL("")));
}
