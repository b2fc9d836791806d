/**
 * How a page learns that a worker has gone without a word.
 *
 *     worker                               page
 *     locks.request(self.name), held
 *     "started" ------------------------>  locks.request(worker's name), waits
 *        ... the worker lives ...
 *     terminated, crashed or closed: the browser releases its lock
 *                                          granted: the worker has gone
 *
 * No event tells of a worker that the browser ended: `error` is for uncaught exceptions. A lock is
 * released in every case (https://w3c.github.io/web-locks/#termination-of-locks).
 */

/** In a worker: resolves once the lock is held, which it then is for good. */
export function holdLifeline(locks: LockManager, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, () => {
        resolve();
        return new Promise<never>(() => undefined);
      })
      .catch(reject);
  });
}

/**
 * In the page, after the worker's "started": calls `onGone` when the worker is gone, unless `signal`
 * is aborted before.
 */
export function watchLifeline(
  locks: LockManager,
  name: string,
  signal: AbortSignal,
  onGone: () => void,
): void {
  locks.request(name, { signal }, onGone).catch(() => undefined); // Aborted: the page closed it itself.
}
