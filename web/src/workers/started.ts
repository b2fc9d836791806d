/** How a worker tells the page that it can be watched. */

import { holdLifeline } from "../base/lifeline.ts";
import { isRefusal } from "../stores/caches.ts";

interface Scope {
  readonly name: string;
  readonly navigator: { readonly locks?: LockManager };
}

/**
 * `tell` the page of the lock once it is held. Where the browser refuses locks, as where site data are blocked, there
 * is nothing to tell: the page would be granted the lock at once, and take the worker for gone.
 */
export async function tellStarted({ name, navigator: { locks } }: Scope, tell: () => void): Promise<void> {
  if (!locks) return;
  try {
    await holdLifeline(locks, name);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return;
  }
  tell();
}
