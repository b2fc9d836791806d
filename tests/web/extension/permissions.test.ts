import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type * as Permissions from "../../../extension/src/permissions.ts";
import { FakeBrowser } from "./fakes.ts";

let browser: FakeBrowser;
let permissions: typeof Permissions;
beforeEach(async () => {
  browser = new FakeBrowser();
  browser.install();
  permissions = await import("../../../extension/src/permissions.ts");
});
afterEach(() => { vi.unstubAllGlobals(); });

describe("a permission that is asked for", () => {
  it("leaves what it is for with the background, until it is answered here", async () => {
    const permission = await permissions.Permission.of({ origins: ["*://example.org/*"] });
    let answer: (isGiven: boolean) => void = () => undefined;
    browser.gives = () => new Promise((resolve) => { answer = resolve; });
    const asked = permission.ask({ name: "stay", tab: 7 });
    expect(browser.asked).toEqual([{ origins: ["*://example.org/*"] }]); // By the click itself.
    await Promise.resolve();
    expect(browser.said).toEqual([{ type: "wish", wish: { name: "stay", tab: 7 }, origins: ["*://example.org/*"] }]);
    answer(true);
    expect(await asked).toBe(true);
    expect(browser.said.at(-1)).toMatchObject({ type: "wish", wish: null });
    expect(await permission.ask({ name: "stay", tab: 7 })).toBe(true);
    expect(browser.asked.length).toBe(1);
  });

  it("is refused, or cannot be asked for", async () => {
    const permission = await permissions.Permission.of(permissions.ALL_SITES);
    browser.gives = () => Promise.resolve(false);
    expect(await permissions.switchOffers(true, permission)).toBe(false);
    browser.gives = () => Promise.reject(new Error("not by a click"));
    await expect(permission.ask({ name: "offer" })).rejects.toThrow("not by a click");
    expect(browser.said.at(-1)).toMatchObject({ type: "wish", wish: null });
  });
});

describe("the permission for all sites", () => {
  beforeEach(() => { browser.allowed.add("<all_urls>"); });

  it("goes with the offers that needed it", async () => {
    await permissions.changeSettings(() => ({ offer: false }));
    expect(browser.allowed.size).toBe(0);
  });

  it.each([
    ["a tab stays translated", () => browser.session.kept.set("staying", [7])],
    ["a language is always translated", () => browser.local.kept.set("alwaysLanguages", ["de"])],
  ])("stays while %s", async (_, need) => {
    need();
    await permissions.changeSettings(() => ({ offer: false }));
    expect(browser.allowed.has("<all_urls>")).toBe(true);
  });
});
