// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { IDBFactory } from "fake-indexeddb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeBrowser } from "../fakes.ts";

let browser: FakeBrowser;
const one = (id: string): HTMLInputElement => document.getElementById(id) as HTMLInputElement;
const rows = (id: string): (string | undefined)[] => [...one(id).children].map((row) => row.querySelector("span")?.textContent);

function offer(source: string, isKept: boolean): unknown {
  const published = { source, target: "en", publisher: "Testers", licence: "MPL-2.0", score: null, files: [] };
  return { source, target: "en", bytes: 1, download: 1, isKept, published };
}

beforeEach(() => {
  browser = new FakeBrowser();
  browser.install();
  vi.stubGlobal("indexedDB", new IDBFactory());
  browser.offers = [offer("fr", true), offer("es", false)];
});
afterEach(() => { vi.unstubAllGlobals(); });

async function open(): Promise<void> {
  document.body.innerHTML = readFileSync(`${import.meta.dirname}/../../../../extension/pages/options.html`, "utf8");
  await import("../../../../extension/src/pages/options.ts");
  await vi.waitFor(() => {
    expect(one("version").textContent).not.toBe("");
    expect(document.querySelectorAll("#models li").length).toBe(1);
  });
}

describe("rules in the settings", () => {
  beforeEach(async () => {
    browser.local.kept.set("neverSites", ["a.org", "b.org", "c.org"]);
    await open();
    await vi.waitFor(() => { expect(rows("neverSites")).toEqual(["a.org", "b.org", "c.org"]); });
  });

  const press = (place: number): void => {
    const button = one("neverSites").querySelectorAll("button")[place];
    button?.focus();
    button?.click();
  };

  it("are removed, however quickly one follows the other", async () => {
    press(0);
    press(1);
    await vi.waitFor(() => { expect(browser.local.kept.get("neverSites")).toEqual(["c.org"]); });
  });

  it("keep the focus in their list", async () => {
    press(1);
    await vi.waitFor(() => { expect(rows("neverSites")).toEqual(["a.org", "c.org"]); });
    expect(document.activeElement?.getAttribute("aria-label")).toBe("removeNamed c.org");
    press(1);
    await vi.waitFor(() => { expect(rows("neverSites")).toEqual(["a.org"]); });
    expect(document.activeElement?.getAttribute("aria-label")).toBe("removeNamed a.org");
    press(0);
    await vi.waitFor(() => { expect(rows("neverSites")).toEqual(["nothingYet"]); });
    expect(document.activeElement).toBe(one("neverSites"));
  });
});

it("offers are shown as on only where their permission is given", async () => {
  browser.local.kept.set("offer", true);
  await open();
  expect(one("offer").checked).toBe(false);
});

it("the focus goes with a model from list to list", async () => {
  await open();
  document.querySelector<HTMLElement>("#models button")?.focus();
  browser.offers = [offer("fr", false), offer("es", false)];
  browser.ports[0]?.onMessage.fire({ type: "changed" });
  await vi.waitFor(() => { expect(document.activeElement?.closest("#offered")).not.toBeNull(); });
  expect(document.activeElement?.getAttribute("data-pair")).toBe("fr-en");
});
