import { describe, expect, it } from "vitest";
import { isAnythingWanted, stepFor, type Arrival } from "../../../extension/src/arrival.ts";
import { badgeOf } from "../../../extension/src/background/badge.ts";
import { refusalOf } from "../../../extension/src/reach.ts";
import { DEFAULTS, withRule, type Settings } from "../../../extension/src/settings.ts";

const german: Arrival = {
  host: "example.org", language: "de", confidence: 0.95, stays: false, read: ["en-GB", "en"], isOwn: false, declines: false,
};
const settings = (changes: Partial<Settings>): Settings => ({ ...DEFAULTS, ...changes });

describe("a page that comes", () => {
  it.each<[string, Partial<Settings>, Partial<Arrival>, string]>([
    ["nothing is set", {}, {}, "nothing"],
    ["offers are on", { offer: true }, {}, "offer"],
    ["offers are on, not sure", { offer: true }, { confidence: 0.6 }, "nothing"],
    ["offers are on, the reader reads it", { offer: true }, { read: ["de-AT"] }, "nothing"],
    ["offers are on, the page declines", { offer: true }, { declines: true }, "nothing"],
    ["always this language", { alwaysLanguages: ["de"] }, {}, "translate"],
    ["always this language, not sure", { alwaysLanguages: ["de"] }, { confidence: 0.75 }, "nothing"],
    ["always another language", { alwaysLanguages: ["fr"] }, {}, "nothing"],
    ["always this site", { alwaysSites: ["example.org"] }, {}, "translate"],
    ["always this site, not sure", { alwaysSites: ["example.org"] }, { confidence: 0.75 }, "offer"],
    ["always this site, language unknown", { alwaysSites: ["example.org"] }, { language: null, confidence: 0 }, "nothing"],
    ["always this site, a page in the reader's language", { alwaysSites: ["example.org"], offer: true }, { language: "en", isOwn: true }, "nothing"],
    ["always Chinese, by the model's tag", { alwaysLanguages: ["zh-Hans"] }, { language: "zh" }, "translate"],
    ["always the other Chinese", { alwaysLanguages: ["zh-Hans"] }, { language: "zh-Hant" }, "nothing"],
    ["never Serbo-Croatian, by the model's tag", { neverLanguages: ["hbs"], offer: true }, { language: "hr" }, "nothing"],
    ["always another site", { alwaysSites: ["example.com"] }, {}, "nothing"],
    ["always this site, never the language", { alwaysSites: ["example.org"], neverLanguages: ["de"] }, {}, "translate"],
    ["never this site, always the language", { neverSites: ["example.org"], alwaysLanguages: ["de"] }, {}, "nothing"],
    ["never the language, offers are on", { neverLanguages: ["de"], offer: true }, {}, "nothing"],
    ["the tab stays translated", {}, { stays: true }, "translate"],
    ["the tab stays translated, not sure", {}, { stays: true, confidence: 0.75 }, "nothing"],
    ["the tab stays translated, the reader reads it", {}, { stays: true, read: ["de"] }, "nothing"],
    ["the tab stays translated, never this site", { neverSites: ["example.org"] }, { stays: true }, "nothing"],
  ])("%s", (_, changes, arrival, step) => {
    expect(stepFor(settings(changes), { ...german, ...arrival })).toBe(step);
  });

  it("is looked at only where something is wanted", () => {
    expect(isAnythingWanted(DEFAULTS)).toBe(false);
    for (const some of [{ offer: true }, { alwaysSites: ["a"] }, { alwaysLanguages: ["de"] }]) {
      expect(isAnythingWanted(settings(some))).toBe(true);
    }
    expect(isAnythingWanted(settings({ neverSites: ["a"], neverLanguages: ["de"] }))).toBe(false);
  });
});

describe("a rule", () => {
  it("ends its opposite", () => {
    const before = settings({ neverLanguages: ["de", "fr"] });
    expect(withRule(before, "alwaysLanguages", "de", true)).toEqual({
      alwaysSites: [], neverSites: [], alwaysLanguages: ["de"], neverLanguages: ["fr"],
    });
  });

  it("goes without another one coming", () => {
    const before = settings({ alwaysSites: ["a.org"], neverSites: ["b.org"] });
    expect(withRule(before, "alwaysSites", "a.org", false)).toEqual({
      alwaysSites: [], neverSites: ["b.org"], alwaysLanguages: [], neverLanguages: [],
    });
  });
});

describe("a page that no extension may touch", () => {
  it.each([
    ["", "cannotBrowserPage"],
    ["about:config", "cannotBrowserPage"],
    ["chrome://version/", "cannotBrowserPage"],
    ["https://chromewebstore.google.com/detail/x", "cannotStore"],
    ["https://chrome.google.com/webstore/category", "cannotStore"],
    ["https://addons.mozilla.org/de/firefox/", "cannotStore"],
    ["https://example.org/a/paper.PDF?page=2", "cannotPdf"],
    ["file:///home/reader/letter.html", "cannotFile"],
    ["https://example.org/", null],
  ])("%s: %s", (url, reason) => {
    expect(refusalOf(url)).toBe(reason);
  });
});

describe("the badge", () => {
  it.each([
    ["translating", 0, 0, "…"],
    ["translated", 5, 0, "✓"],
    ["translated", 4, 1, "!"],
    ["translated", 0, 0, ""],
    ["off", 0, 0, ""],
  ] as const)("%s, %d done, %d failed: %s", (phase, done, failed, text) => {
    expect(badgeOf({ phase, total: done + failed, done, failed })).toBe(text);
  });
});
