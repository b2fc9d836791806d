/** Who goes first. */

import { PRIORITIES, type Priority } from "../wire/contract.ts";

/** @throws TypeError there is no such priority. */
export function checkPriority(priority: Priority): void {
  if (!PRIORITIES.includes(priority)) throw new TypeError(`there is no priority "${priority}"`);
}
