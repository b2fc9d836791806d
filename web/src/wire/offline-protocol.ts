/** What the page and the service worker say to each other. */

export type PageToServiceWorker =
  /** Answered with a `ServiceWorkerStatus` on the port that comes with it. */
  | { readonly type: "status" }
  /** From a page whose user wants the new version now. */
  | { readonly type: "skip-waiting" };

export interface ServiceWorkerStatus {
  /** Every file of the version is there. */
  readonly complete: boolean;
  readonly version: string;
}
