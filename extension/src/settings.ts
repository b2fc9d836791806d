/** What the user has chosen; kept in the browser's storage for extensions, never sent anywhere. */

import { api } from "./api.ts";

export interface Settings {
  /** BCP 47; empty: the language of the browser, where there is a model for it. */
  readonly target: string;
  /** Whether pages in another language are offered for translation. */
  readonly offer: boolean;
  /** Whether a translated place shows what it said before. */
  readonly hover: boolean;
  /** Whether a button stands beside what is selected. */
  readonly selectionButton: boolean;
  /** Whether the engine of this computer is asked before the one in the browser. */
  readonly nativeEngine: boolean;
  /** Hosts, such as "example.org". */
  readonly alwaysSites: readonly string[];
  readonly neverSites: readonly string[];
  /** Languages, such as "de". */
  readonly alwaysLanguages: readonly string[];
  readonly neverLanguages: readonly string[];
}

export type Rule = "alwaysSites" | "neverSites" | "alwaysLanguages" | "neverLanguages";

export const DEFAULTS: Settings = {
  target: "", offer: false, hover: true, selectionButton: true, nativeEngine: false,
  alwaysSites: [], neverSites: [], alwaysLanguages: [], neverLanguages: [],
};

const OPPOSITE: Readonly<Record<Rule, Rule>> = {
  alwaysSites: "neverSites", neverSites: "alwaysSites",
  alwaysLanguages: "neverLanguages", neverLanguages: "alwaysLanguages",
};

export async function readSettings(): Promise<Settings> {
  const kept = await api.storage.local.get(Object.keys(DEFAULTS));
  return { ...DEFAULTS, ...(kept as Partial<Settings>) };
}

export async function writeSettings(changes: Partial<Settings>): Promise<void> {
  await api.storage.local.set(changes);
}

/** Add to a list, or take out of it. */
export function withItem(list: readonly string[], item: string, wanted: boolean): readonly string[] {
  const others = list.filter((other) => other !== item);
  return wanted ? [...others, item].sort() : others;
}

/** What a rule changes: "always" of a thing ends "never" of it, and the other way round. */
export function withRule(settings: Settings, rule: Rule, item: string, wanted: boolean): Pick<Settings, Rule> {
  const { alwaysSites, neverSites, alwaysLanguages, neverLanguages } = settings;
  const rules = { alwaysSites, neverSites, alwaysLanguages, neverLanguages };
  const opposite = OPPOSITE[rule];
  return {
    ...rules,
    [rule]: withItem(rules[rule], item, wanted),
    ...(wanted && { [opposite]: withItem(rules[opposite], item, false) }),
  };
}
