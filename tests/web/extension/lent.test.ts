import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type * as Lent from "../../../extension/src/lent.ts";
import { FakeBrowser } from "./fakes.ts";

const ALL = "<all_urls>";
const SITE = "*://example.org/*";
const FRAME = "https://frames.example/*";

let browser: FakeBrowser;
let lent: typeof Lent;
beforeEach(async () => {
  browser = new FakeBrowser();
  browser.install();
  for (const origin of [ALL, SITE, FRAME]) browser.allowed.add(origin);
  lent = await import("../../../extension/src/lent.ts");
});
afterEach(() => { vi.unstubAllGlobals(); });

it.each<[string, Record<string, unknown>, string[]]>([
  ["nothing asked for them", {}, [ALL, SITE, FRAME]],
  ["nothing needs them any more", { lent: [ALL, SITE] }, [FRAME]],
  ["offers are on", { lent: [ALL, SITE], offer: true }, [ALL, FRAME]],
  ["a language is always translated", { lent: [ALL, SITE], alwaysLanguages: ["de"] }, [ALL, FRAME]],
  ["a site is always translated that has its own", { lent: [ALL, SITE], alwaysSites: ["example.org"] }, [SITE, FRAME]],
  ["a site is always translated that has none of its own", { lent: [ALL], alwaysSites: ["other.org"] }, [ALL, SITE, FRAME]],
  ["they were allowed by themselves", { lent: [SITE], offer: false }, [ALL, FRAME]],
])("permissions where %s", async (_, kept, left) => {
  for (const [name, value] of Object.entries(kept)) browser.local.kept.set(name, value);
  await lent.giveBackLent();
  expect([...browser.allowed]).toEqual(left);
});

it("permissions where a tab stays translated", async () => {
  browser.local.kept.set("lent", [ALL]);
  browser.session.kept.set("staying", [7]);
  await lent.giveBackLent();
  expect(browser.allowed.has(ALL)).toBe(true);
});

it("what was taken back is not known any more", async () => {
  browser.local.kept.set("lent", [ALL, SITE]);
  browser.local.kept.set("offer", true);
  await lent.giveBackLent();
  expect(browser.local.kept.get("lent")).toEqual([ALL]);
});

it("what is noted in the same moment is noted all the same", async () => {
  await Promise.all([lent.noteLent([SITE], true), lent.noteLent([ALL], true), lent.noteLent([ALL], true)]);
  expect(browser.local.kept.get("lent")).toEqual([SITE, ALL]);
});
