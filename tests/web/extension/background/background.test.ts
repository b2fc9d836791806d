import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FakeBrowser, flush } from "../fakes.ts";

let browser: FakeBrowser;
beforeEach(async () => {
  browser = new FakeBrowser();
  browser.install();
  const { startBackground } = await import("../../../../extension/src/background/background.ts");
  startBackground({ wake: () => Promise.resolve(), fetch: () => Promise.resolve(), openNative: () => Promise.resolve(false) });
});
afterEach(() => { vi.unstubAllGlobals(); });

const select = (frameId: number): void => { browser.menuClicked.fire({ menuItemId: "translate-selection", frameId }, { id: 7 }); };

it("says on the page that a frame of another site needs the permission", async () => {
  browser.shut.add(3);
  select(3);
  await flush();
  expect(browser.executed.at(-1)).toMatchObject({ target: { tabId: 7, frameIds: [0] }, args: ["say", ["framesShut_one 1"]] });
  expect(browser.badges).toEqual([]);
});

it("says it by the button where nothing can be said on the page", async () => {
  browser.shut.add(0);
  select(0);
  await flush();
  expect(browser.executed).toEqual([]);
  expect(browser.badges).toEqual(["!"]);
});

/** What a page of ours or a script of ours says, and its answer. */
function say(request: unknown): Promise<unknown> {
  return new Promise((resolve) => { browser.api.runtime.onMessage.fire(request, { id: "dragoman", tab: { id: 7 } }, resolve); });
}

it("takes back the permission of a rule that is removed", async () => {
  browser.allowed.add("*://example.org/*");
  browser.local.kept.set("lent", ["*://example.org/*"]);
  browser.local.kept.set("alwaysSites", ["example.org"]);
  await say({ type: "settings-changed" });
  expect([...browser.allowed]).toEqual(["*://example.org/*"]);
  browser.local.kept.set("alwaysSites", []);
  await say({ type: "settings-changed" });
  expect([...browser.allowed]).toEqual([]);
});

it("does not take for its own what was taken back in the browser, and given anew there", async () => {
  browser.local.kept.set("lent", ["*://example.org/*", "<all_urls>"]);
  browser.removed.fire({ origins: ["<all_urls>"] });
  await flush();
  expect(browser.local.kept.get("lent")).toEqual(["*://example.org/*"]);
});

it("translates the page that asks for it, not one that has come after it", async () => {
  const request = { type: "translate-tab", tab: null, began: 12.5, source: "de", target: "en" };
  expect(await say(request)).toBe(true);
  expect(browser.executed.at(-1)).toMatchObject({ target: { tabId: 7, allFrames: true }, args: ["start", [{ source: "de", target: "en" }, { hover: true, bar: true }, 12.5]] });
  browser.inTab = () => false;
  expect(await say(request)).toBe(false);
  expect(browser.executed.at(-1)).toMatchObject({ target: { tabId: 7, frameIds: [0] } });
});
