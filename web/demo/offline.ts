/**
 * The service worker from the page's side.
 *
 *     unsupported | saving -> ready | failed
 *
 * "ready" is said only when the service worker has every file of the site and the model is kept.
 */

import type { PageToServiceWorker, ServiceWorkerStatus } from "../src/wire/offline-protocol.ts";

export type OfflineState = "unsupported" | "saving" | "ready" | "failed";

export interface OfflineListener {
  readonly onstate: (state: OfflineState) => void;
  /** A new version waits; `apply` switches to it and reloads the page. */
  readonly onupdate: (apply: () => void) => void;
  readonly isModelKept: () => Promise<boolean>;
}

export async function goOffline({ onstate, onupdate, isModelKept }: OfflineListener): Promise<void> {
  if (!("serviceWorker" in navigator)) {
    onstate("unsupported");
    return;
  }
  onstate("saving");
  try {
    const registration = await navigator.serviceWorker.register("sw.js");
    watchUpdates(registration, onupdate);
    const active = await activated(registration);
    const [{ complete }, kept] = await Promise.all([askStatus(active), isModelKept()]);
    onstate(complete && kept ? "ready" : "failed");
  } catch {
    onstate("failed");
  }
}

/** The active worker; rejects when the only one there is fails to install. */
function activated(registration: ServiceWorkerRegistration): Promise<ServiceWorker> {
  if (registration.active) return Promise.resolve(registration.active);
  const worker = registration.installing ?? registration.waiting;
  return new Promise((resolve, reject) => {
    const check = (): void => {
      if (worker?.state === "activated") resolve(worker);
      else if (!worker || worker.state === "redundant") reject(new Error("the site could not be saved"));
    };
    worker?.addEventListener("statechange", check);
    check();
  });
}

function askStatus(worker: ServiceWorker): Promise<ServiceWorkerStatus> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (event: MessageEvent<ServiceWorkerStatus>) => {
      resolve(event.data);
      port1.close();
    };
    worker.postMessage({ type: "status" } satisfies PageToServiceWorker, [port2]);
  });
}

function watchUpdates(registration: ServiceWorkerRegistration, onupdate: OfflineListener["onupdate"]): void {
  const offer = (): void => {
    const { waiting } = registration;
    if (!waiting || !registration.active) return;
    onupdate(() => {
      navigator.serviceWorker.addEventListener("controllerchange", () => {
        location.reload();
      });
      waiting.postMessage({ type: "skip-waiting" } satisfies PageToServiceWorker);
    });
  };
  offer();
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", offer);
  });
}
