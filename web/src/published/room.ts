/** Room for what is kept: asked for before, and named where there is none. */

import { QuotaError } from "../wire/errors.ts";
import type { PublishedHost } from "./host.ts";

type RoomHost = Pick<PublishedHost, "room">;

/** @throws QuotaError "no-room" */
export async function checkRoom(host: RoomHost, needed: number): Promise<void> {
  const free = await host.room();
  if (free !== undefined && free < needed) throw noRoom(needed, free);
}

/** The same work, which says how much is missing where there is no room. @throws QuotaError "no-room" */
export async function withRoom<T>(host: RoomHost, work: Promise<T>, needed: number): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
    throw noRoom(needed, (await host.room()) ?? 0);
  }
}

function noRoom(requested: number, allowed: number): QuotaError {
  const [needed, free, missing] = [requested, allowed, requested - allowed].map((bytes) => (bytes / 1e6).toFixed(1));
  const message = `there is no room for the models: ${needed} MB are needed, ${free} MB are free, ${missing} MB are missing`;
  return new QuotaError("no-room", message, { requested, allowed });
}
