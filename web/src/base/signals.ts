/** Abort `control` with the reason of `signal`, when or if that is aborted; returns what undoes it. */
export function follow(signal: AbortSignal | undefined, control: AbortController): () => void {
  const onabort = (): void => {
    control.abort(signal?.reason);
  };
  if (signal?.aborted) onabort();
  signal?.addEventListener("abort", onabort);
  return () => {
    signal?.removeEventListener("abort", onabort);
  };
}

/** The promise, unless the signal is aborted first: then its reason. The work itself goes on. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  if (signal.aborted) work.catch(() => undefined); // nobody else hears how it ends
  signal.throwIfAborted();
  let onabort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onabort = () => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- a signal's reason may be anything
      reject(signal.reason);
    };
    signal.addEventListener("abort", onabort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onabort);
  }
}
