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
