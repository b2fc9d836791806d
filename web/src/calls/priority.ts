/** Who goes first. */

import type { Priority } from "../wire/protocol.ts";

export const PRIORITIES: readonly Priority[] = ["interactive", "visible", "near", "background"];

/** @throws TypeError there is no such priority. */
export function checkPriority(priority: Priority): void {
  if (!PRIORITIES.includes(priority)) throw new TypeError(`there is no priority "${priority}"`);
}
