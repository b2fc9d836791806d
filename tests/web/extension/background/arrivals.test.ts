import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type * as Arrivals from "../../../../extension/src/background/arrivals.ts";
import type * as Models from "../../../../extension/src/models.ts";
import type { Sample } from "../../../../extension/src/messages.ts";
import { FakeBrowser } from "../fakes.ts";

const OFFERS = [["de", "en"], ["en", "de"]].map(([source, target]) => ({ source, target, isKept: true, bytes: 1, download: 0 }));
const SAMPLE: Sample = { text: "Guten Morgen. ".repeat(30), declared: "de", selected: "", isPdf: false, declines: false, began: 1 };
const PAGE = { tab: 7, url: "https://example.org/", isPrivate: false };

vi.mock("../../../../extension/src/models.ts", async (original) => ({
  ...(await original<typeof Models>()),
  ownOffers: () => Promise.resolve(OFFERS),
}));

let browser: FakeBrowser;
let arrivals: typeof Arrivals;
beforeEach(async () => {
  browser = new FakeBrowser();
  browser.install();
  arrivals = await import("../../../../extension/src/background/arrivals.ts");
});
afterEach(() => { vi.unstubAllGlobals(); });

describe("a page that came", () => {
  const detect = () => Promise.resolve({ language: "de", confidence: 0.95, candidates: [{ language: "de", confidence: 0.95 }] });

  it("is told that it is to be translated: its tab, which may show another one by now, is not touched", async () => {
    browser.local.kept.set("alwaysLanguages", ["de"]);
    expect(await arrivals.welcome(PAGE, SAMPLE, detect)).toEqual({
      offer: null, translate: { source: "de", target: "en" }, selectionButton: true, isPrivate: false,
    });
    expect(browser.executed).toEqual([]);
  });

  it("is not translated where it is in the reader's own language, whatever is always done with its site", async () => {
    browser.local.kept.set("alwaysSites", ["example.org"]);
    const english = () => Promise.resolve({ language: "en", confidence: 0.95, candidates: [{ language: "en", confidence: 0.95 }] });
    const sample = { ...SAMPLE, declared: "en" };
    expect(await arrivals.welcome(PAGE, sample, english)).toMatchObject({ offer: null, translate: null });
    expect(await arrivals.welcome(PAGE, SAMPLE, detect)).toMatchObject({ translate: { source: "de", target: "en" } });
  });

  it("is told where its window is private; the rules that there are act there too", async () => {
    browser.local.kept.set("alwaysLanguages", ["de"]);
    expect(await arrivals.welcome({ ...PAGE, isPrivate: true }, SAMPLE, detect)).toMatchObject({
      translate: { source: "de", target: "en" }, isPrivate: true,
    });
  });

  it("is told nothing where nothing is wanted", async () => {
    expect(await arrivals.welcome(PAGE, SAMPLE, detect)).toEqual({
      offer: null, translate: null, selectionButton: true, isPrivate: false,
    });
  });
});

describe("tabs that stay translated", () => {
  it("are all forgotten when their window is closed", async () => {
    for (const tab of [1, 2, 3]) await arrivals.stay(tab, true);
    expect(browser.registered.length).toBe(1);
    await Promise.all([arrivals.stay(1, false), arrivals.stay(2, false), arrivals.stay(3, false)]);
    expect(browser.session.kept.get("staying")).toEqual([]);
    expect(browser.registered).toEqual([]);
  });

  it("need the permission that one of them has asked for, until the last one is gone", async () => {
    browser.allowed.add("<all_urls>");
    browser.local.kept.set("lent", ["<all_urls>"]);
    browser.local.kept.set("selectionButton", false);
    for (const tab of [1, 2]) await arrivals.stay(tab, true);
    await arrivals.stay(1, false);
    expect(browser.allowed.has("<all_urls>")).toBe(true);
    await arrivals.stay(2, false);
    expect(browser.allowed.has("<all_urls>")).toBe(false);
  });
});
