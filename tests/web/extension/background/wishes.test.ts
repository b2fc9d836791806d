import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type * as Wishes from "../../../../extension/src/background/wishes.ts";
import type { Wish } from "../../../../extension/src/messages.ts";
import { FakeBrowser } from "../fakes.ts";

const SITE = ["*://example.org/*"];
const RULE: Wish = { name: "rule", rule: "alwaysSites", item: "example.org", page: { tab: 7, began: 12.5, source: "de", target: "en" } };

let browser: FakeBrowser;
let wishes: typeof Wishes;
beforeEach(async () => {
  browser = new FakeBrowser();
  browser.install();
  wishes = await import("../../../../extension/src/background/wishes.ts");
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const allow = (origins: readonly string[]): void => { for (const origin of origins) browser.allowed.add(origin); };

it("a rule is kept when the permission is given, and its page is translated", async () => {
  browser.local.kept.set("neverSites", ["example.org", "other.org"]);
  await wishes.keepWish(RULE, SITE);
  allow(SITE);
  await wishes.grantWish();
  expect(browser.local.kept.get("alwaysSites")).toEqual(["example.org"]);
  expect(browser.local.kept.get("neverSites")).toEqual(["other.org"]);
  expect(browser.registered.length).toBe(1);
  expect(browser.executed.at(-1)).toMatchObject({ target: { tabId: 7 }, args: ["start", [{ source: "de", target: "en" }, { hover: true, bar: false }, 12.5]] });
});

it("the permission goes with the rule that it was asked for", async () => {
  await wishes.keepWish(RULE, SITE);
  allow(SITE);
  await wishes.grantWish();
  expect(browser.local.kept.get("lent")).toEqual(SITE);
});

it("a rule is kept, but the page that has come meanwhile is left alone", async () => {
  browser.inTab = (method) => (method === "start" ? false : null);
  await wishes.keepWish(RULE, SITE);
  allow(SITE);
  await wishes.grantWish();
  expect(browser.local.kept.get("alwaysSites")).toEqual(["example.org"]);
  expect(browser.executed.filter(({ args }) => args?.[0] === "start").map(({ target }) => target)).toEqual([{ tabId: 7, frameIds: [0] }]);
});

it("offers are on, and tabs stay translated", async () => {
  allow(["<all_urls>"]);
  await wishes.keepWish({ name: "offer" }, ["<all_urls>"]);
  await wishes.grantWish();
  await wishes.keepWish({ name: "stay", tab: 7 }, ["<all_urls>"]);
  await wishes.grantWish();
  expect(browser.local.kept.get("offer")).toBe(true);
  expect(browser.session.kept.get("staying")).toEqual([7]);
});

it("nothing is kept where another permission was given, nor where the panel had its answer", async () => {
  await wishes.keepWish(RULE, SITE);
  allow(["https://models.example/*"]);
  await wishes.grantWish();
  await wishes.keepWish(null, SITE);
  allow(SITE);
  await wishes.grantWish();
  expect(browser.local.kept.size).toBe(0);
});

it("a permission that is given much later is no answer to the click", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  await wishes.keepWish(RULE, SITE);
  vi.setSystemTime(Date.now() + 121_000);
  allow(SITE);
  await wishes.grantWish();
  expect(browser.local.kept.size).toBe(0);
});
