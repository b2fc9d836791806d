/** Room for what a person keeps in the browser. */

import { QuotaError } from "../wire/errors.ts";

/** Bytes that are free; undefined: unknown. */
export type Room = () => Promise<number | undefined>;

export async function browserRoom(): Promise<number | undefined> {
  const { quota, usage } = await navigator.storage.estimate();
  return quota === undefined || usage === undefined ? undefined : quota - usage;
}

/**
 * Write, or say how much room it takes and how much there is.
 *
 * @param texts what is written.
 * @throws QuotaError "no-room"
 */
export async function written(work: Promise<unknown>, texts: readonly string[], room: Room): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
    const [requested, allowed] = [texts.reduce((sum, { length }) => sum + 2 * length, 0), (await room()) ?? 0];
    const message = `there is no room for it: ${requested} bytes are needed, ${allowed} are free`;
    throw new QuotaError("no-room", message, { requested, allowed, counted: "bytes" });
  }
}
