import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Wish } from "../../../extension/src/messages.ts";
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

describe("a permission that is given", () => {
  it.each<[string, Wish | undefined, string[]]>([
    ["goes with the switch that has asked for it", { name: "offer" }, ["<all_urls>"]],
    ["stays where it was asked for by itself", undefined, []],
  ])("%s", async (_, wish, lent) => {
    browser.local.kept.set("lent", wish ? [] : ["<all_urls>"]);
    const permission = await permissions.Permission.of(permissions.ALL_SITES);
    expect(await permission.ask(wish)).toBe(true);
    expect(browser.local.kept.get("lent")).toEqual(lent);
  });

  it("is left to the background where offers are switched off", async () => {
    browser.allowed.add("<all_urls>");
    await permissions.changeSettings({ offer: false });
    expect(browser.allowed.has("<all_urls>")).toBe(true);
    expect(browser.said.at(-1)).toEqual({ type: "settings-changed" });
  });
});

describe("a switch", () => {
  it("is kept at once, as its page may go by the next click", async () => {
    const changed = permissions.changeSettings({ selectionButton: false });
    await Promise.resolve();
    expect(browser.local.kept.get("selectionButton")).toBe(false);
    await changed;
    expect(browser.said).toEqual([{ type: "settings-changed" }]);
  });

  it("of a list is kept as the list is by then", async () => {
    const added = ["a.example", "b.example"].map((site) =>
      permissions.changeSettings(({ neverSites }) => ({ neverSites: [...neverSites, site] })));
    await Promise.all(added);
    expect(browser.local.kept.get("neverSites")).toEqual(["a.example", "b.example"]);
  });
});
