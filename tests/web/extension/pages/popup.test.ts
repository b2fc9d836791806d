// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FrameState } from "../../../../extension/src/messages.ts";
import { FakeBrowser } from "../fakes.ts";

const PAIR = { source: "de", target: "en" };
const OFF: FrameState = { phase: "off", total: 0, done: 0, failed: 0, error: null, pair: null, foreign: [], closed: 0, engine: null };
const DONE: FrameState = { ...OFF, phase: "translated", total: 1, done: 1, pair: PAIR };

let browser: FakeBrowser;
let state: FrameState;
const one = (id: string): HTMLInputElement => document.getElementById(id) as HTMLInputElement;

async function open(): Promise<void> {
  document.body.innerHTML = readFileSync(`${import.meta.dirname}/../../../../extension/pages/popup.html`, "utf8");
  await import("../../../../extension/src/pages/popup.ts");
}

/** Open, and the page below is known. */
async function openOverPage(): Promise<void> {
  await open();
  await vi.waitFor(() => { expect(one("translate").disabled).toBe(false); });
}

beforeEach(() => {
  browser = new FakeBrowser();
  browser.install();
  browser.offers = [["de", "en"], ["en", "de"]].map(([source, target]) => ({ source, target, isKept: true, bytes: 1, download: 0 }));
  browser.answer = ({ type }) => Promise.resolve(type === "stay" ? false : true);
  state = OFF;
  browser.inTab = (method) => {
    if (method === "start") state = DONE;
    if (method === "restore") state = OFF;
    if (method === "sample") return { text: "", declared: "de", selected: "", isPdf: false, declines: false, began: 12.5 };
    return method === "state" ? state : null;
  };
});
afterEach(() => {
  browser.tab = undefined; // Whoever follows it finds none.
  vi.unstubAllGlobals();
});

describe("the panel", () => {
  it("says that there is no tab", async () => {
    browser.tab = undefined;
    await open();
    await vi.waitFor(() => { expect(one("error").textContent).toBe("noTab"); });
  });

  it("keeps the focus where buttons come and go", async () => {
    await openOverPage();
    one("translate").focus();
    one("translate").click();
    await vi.waitFor(() => { expect(document.activeElement?.id).toBe("restore"); });
    one("restore").click();
    await vi.waitFor(() => { expect(document.activeElement?.id).toBe("translate"); });
  });

  it("looks anew where another page has come before the click is heard", async () => {
    await openOverPage();
    const { inTab } = browser;
    browser.inTab = (method, values) => (method === "start" ? values[2] === 99 : method === "sample" ? { ...Object(inTab(method, values)), declared: "en", began: 99 } : inTab(method, values));
    one("translate").click();
    await vi.waitFor(() => { expect(one("source").value).toBe("en"); });
    expect(state).toBe(OFF);
  });

  it("shows what acts by itself as on only where its permission is given", async () => {
    for (const [name, value] of Object.entries({ offer: true, alwaysSites: ["example.org"], alwaysLanguages: ["de"], neverLanguages: ["de"] })) {
      browser.local.kept.set(name, value);
    }
    browser.allowed.add("*://example.org/*");
    await openOverPage();
    expect(["offer", "alwaysSites", "alwaysLanguages", "neverLanguages"].map((id) => one(id).checked)).toEqual([false, true, false, true]);
  });

  it("adds a rule to those that there are by now", async () => {
    await openOverPage();
    browser.local.kept.set("neverLanguages", ["fr"]); // By a page's offer, meanwhile.
    one("neverLanguages").click();
    await vi.waitFor(() => { expect(browser.local.kept.get("neverLanguages")).toEqual(["de", "fr"]); });
  });

  it("offers nothing over a private window that would name what is read there", async () => {
    browser.tab = { id: 7, url: "https://example.org/", incognito: true };
    await openOverPage();
    const isShown = (id: string): boolean => one(id).closest("[hidden]") === null;
    expect(["alwaysLanguages", "neverLanguages", "alwaysSites", "neverSites"].filter(isShown)).toEqual([]);
    expect(one("allow-frames").hidden).toBe(true);
    expect(["private", "stay", "offer"].filter(isShown)).toEqual(["private", "stay", "offer"]);
  });

  it("says nothing of privacy over any other window", async () => {
    await openOverPage();
    expect([one("private").hidden, one("allow-frames").hidden, one("neverSites").closest("[hidden]")]).toEqual([true, false, null]);
  });

  it("leaves with the background what the browser asks about, as the question may close it", async () => {
    browser.gives = () => new Promise(() => undefined);
    await openOverPage();
    one("alwaysSites").click();
    await vi.waitFor(() => {
      expect(browser.said.at(-1)).toEqual({
        type: "wish",
        wish: { name: "rule", rule: "alwaysSites", item: "example.org", page: { tab: 7, began: 12.5, ...PAIR } },
        origins: ["*://example.org/*"],
      });
    });
    expect(browser.local.kept.size).toBe(0);
  });
});
