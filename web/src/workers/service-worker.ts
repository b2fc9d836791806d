/**
 * The site without its server.
 *
 *     install    fetch every file of the shell, check its SHA-256, keep it, unpacked if it comes packed;
 *                one that fails fails all, and the browser goes on with the version before
 *     activate   only then drop the caches of other versions
 *     fetch      what is in this version's cache comes from there; the rest from the network
 *     share      what another app shares with the installed one (POST) is kept for the page, which is opened
 *
 * A new version waits until no page uses the old one, or until a page says "skip-waiting". Model
 * files are not the shell's: the stores keep them.
 *
 * Every answer carries the headers of cross-origin isolation, so that a host that cannot set them
 * gets threads all the same (from the second visit on).
 */

import { SHELL_CACHE_PREFIX } from "../stores/caches.ts";
import { sha256 } from "../base/hash.ts";
import { isPacked, unpacked, UNPACKED_HEADER } from "../base/packed.ts";
import { keepShared } from "../stores/shared-store.ts";
import type { PageToServiceWorker, ServiceWorkerStatus } from "../wire/offline-protocol.ts";

declare const self: ServiceWorkerGlobalScope;

const CACHE = SHELL_CACHE_PREFIX + VERSION;
// The page resumes and keeps them itself: nothing is to be gained in between, and of one that is broken off by a
// page that goes away Firefox would tell the next one.
const OF_MODELS = /^(?:published|models\/[^/]+)\/(?!manifest\.json$)/;
const HASH_HEADER = "x-dragoman-sha256";
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};

self.addEventListener("install", (event) => {
  event.waitUntil(install());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { scope } = self.registration;
  if (request.method === "POST" && request.url === urlOf("share")) {
    event.respondWith(share(request));
    return;
  }
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  if (OF_MODELS.test(request.url.slice(scope.length))) return;
  event.respondWith(answer(request));
});

self.addEventListener("message", (event) => {
  const message = event.data as PageToServiceWorker;
  event.waitUntil(message.type === "skip-waiting" ? self.skipWaiting() : tell(event.ports[0]));
});

async function install(): Promise<void> {
  // Where nothing but this script has changed, it is that of the version that runs.
  const isNew = !(await caches.has(CACHE));
  const older = await Promise.all((await otherVersions()).map((name) => caches.open(name)));
  const cache = await caches.open(CACHE);
  try {
    await Promise.all(
      PRECACHE.map(async ({ path, sha256 }) => {
        const url = urlOf(path);
        const kept = await findKept([cache, ...older], url, sha256);
        await cache.put(url, kept ?? (await download(url, sha256)));
      }),
    );
  } catch (error) {
    if (isNew) await caches.delete(CACHE);
    throw error;
  }
}

async function activate(): Promise<void> {
  await Promise.all((await otherVersions()).map((name) => caches.delete(name)));
  // The first visit's page is of this version too: it is served from here on. Nobody waits for that:
  // Firefox asks every worker of the page, and one of them may be at work.
  void self.clients.claim();
}

async function otherVersions(): Promise<string[]> {
  const names = await caches.keys();
  return names.filter((name) => name.startsWith(SHELL_CACHE_PREFIX) && name !== CACHE);
}

async function findKept(from: readonly Cache[], url: string, sha256: string): Promise<Response | undefined> {
  for (const cache of from) {
    const response = await cache.match(url);
    if (response?.headers.get(HASH_HEADER) === sha256) return response;
  }
  return undefined;
}

async function download(url: string, expected: string): Promise<Response> {
  const response = await fetch(url, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  const body = await response.arrayBuffer();
  const digest = await sha256(body);
  if (digest !== expected) throw new Error(`${url} is of another version: ${digest}, not ${expected}`);
  const headers = new Headers({ ...ISOLATION, [HASH_HEADER]: expected });
  if (isPacked(url)) {
    headers.set(UNPACKED_HEADER, "");
    return new Response(await unpacked(body), { headers });
  }
  const type = response.headers.get("content-type");
  if (type) headers.set("content-type", type);
  return new Response(body, { headers });
}

async function answer(request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname.endsWith("/")) url.pathname += "index.html";
  url.search = "";
  url.hash = "";
  return (await fromCache(url.href)) ?? isolated(await fetch(request));
}

/** Where the browser's storage fails, the network has it. */
async function fromCache(url: string): Promise<Response | undefined> {
  try {
    return await (await caches.open(CACHE)).match(url);
  } catch {
    return undefined;
  }
}

/** The page opens also where the browser keeps nothing of what was shared. */
async function share(request: Request): Promise<Response> {
  await keepShared(await request.formData()).catch(() => undefined);
  return Response.redirect(urlOf("?open=shared"), 303);
}

function isolated(response: Response): Response {
  if (response.type !== "basic" && response.type !== "default") return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  const { status, statusText } = response;
  // A status such as 304 may have no body at all.
  return new Response(response.body, { status, statusText, headers });
}

async function tell(port: MessagePort | undefined): Promise<void> {
  const status: ServiceWorkerStatus = { complete: await isComplete(), version: VERSION };
  port?.postMessage(status);
}

/** Whether nothing has been evicted since the installation. */
async function isComplete(): Promise<boolean> {
  const cache = await caches.open(CACHE);
  const kept = new Set((await cache.keys()).map(({ url }) => url));
  return PRECACHE.every(({ path }) => kept.has(urlOf(path)));
}

function urlOf(path: string): string {
  return new URL(path, self.registration.scope).href;
}
