/**
 * What is done when a page comes that the user has allowed us to look at. Worked, for a German page and a reader of
 * English:
 *
 *     never this site                       nothing
 *     always this site                      translated, as soon as its language is sure
 *     always this site, a page in English   nothing
 *     never German                          nothing
 *     always German                         translated
 *     the tab stays translated              translated
 *     offers are on                         offered, unless the reader reads German
 *     none of these                         nothing
 *
 * A rule for Chinese or Serbo-Croatian has the tag of the model that serves the page's ("zh-Hans" of "zh", "hbs" of "hr").
 *
 * A site's rule goes before a language's. Nothing is translated from a guess, nor from a language without a model
 * at hand: what is to be fetched is offered with its size.
 */

import { SURE } from "../../web/src/detection/detector.ts";
import { closest } from "../../web/src/base/tags.ts";
import { primary } from "../../web/src/dom/nodes/rules.ts";
import type { Detection } from "./messages.ts";
import type { Settings } from "./settings.ts";

export type Step = "nothing" | "offer" | "translate";

export interface Arrival extends Detection {
  /** "example.org" */
  readonly host: string;
  /** The tab is to stay translated. */
  readonly stays: boolean;
  /** Languages that the reader reads. */
  readonly read: readonly string[];
  /** It is in the language that pages are translated into. */
  readonly isOwn: boolean;
  /** It says that it is not to be translated. */
  readonly declines: boolean;
}

/** Below it we do not trouble the reader. */
const WORTH_ASKING = 0.7;

export function stepFor(settings: Settings, { host, language, confidence, stays, read, isOwn, declines }: Arrival): Step {
  const { alwaysSites, neverSites, alwaysLanguages, neverLanguages, offer } = settings;
  if (neverSites.includes(host) || language === null) return "nothing";
  const isSure = confidence >= SURE;
  // A site may have pages in the reader's language too: into another one they are not wanted.
  if (alwaysSites.includes(host) && !isOwn) return isSure ? "translate" : "offer";
  const isIn = (languages: readonly string[]): boolean => closest(language, languages) !== undefined;
  if (isIn(neverLanguages)) return "nothing";
  if (isIn(alwaysLanguages) && isSure) return "translate";
  const isRead = read.some((other) => primary(other) === primary(language));
  if (stays && isSure && !isRead) return "translate";
  return offer && !declines && !isRead && confidence >= WORTH_ASKING ? "offer" : "nothing";
}

/** Whether pages that come have to be looked at. */
export function isAnythingWanted({ offer, alwaysSites, alwaysLanguages }: Settings): boolean {
  return offer || alwaysSites.length > 0 || alwaysLanguages.length > 0;
}
