/** The built files of a site: beside this script. `web/package.mjs` puts another module here for npm. */

import type { Place } from "../base/addresses.ts";

export const isPackage = false as boolean;

export function builtFiles(): Place {
  return { base: new URL("./", import.meta.url).href };
}
