// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";
import { FetchPanel } from "../../../web/demo/fetch-panel.ts";
import { rememberLanguage } from "../../../web/demo/texts/texts.ts";
import type { PublishedModel } from "../../../web/src/published/catalogue.ts";
import type { FetchOptions, PublishedStore } from "../../../web/src/published/store.ts";
import type { Route } from "../../../web/src/ui/directions.ts";

const MODEL = { source: "fr", target: "en", publisher: "Testers", licence: "MPL-2.0" } as PublishedModel;
const ROUTE = { legs: [{ published: MODEL, isKept: false }], over: undefined, missing: 1 } as unknown as Route;
const memory = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
const flush = () => new Promise((resolve) => { setTimeout(resolve, 0); });
const onstatus = vi.fn();
let fetching: FetchOptions | undefined;
let box: HTMLElement;
let panel: FetchPanel;

const textOf = (selector: string) => box.querySelector(selector)?.textContent;

beforeEach(async () => {
  fetching = undefined;
  rememberLanguage(memory, "en");
  onstatus.mockClear();
  box = document.createElement("div");
  box.innerHTML = `<h2></h2><p class="what"></p><progress></progress><p class="bytes"></p>
    <button class="start"></button><button class="pause"></button><p class="by"></p>`;
  const store = {
    missing: () => Promise.resolve({ files: [], download: 3_000_000, begun: 0, room: 0 }),
    fetch: (_: unknown, options: FetchOptions) => {
      fetching = options;
      return new Promise((_resolve, reject) => {
        options.signal?.addEventListener("abort", () => { reject(new Error("aborted")); });
      });
    },
  } as unknown as PublishedStore;
  panel = new FetchPanel(box, store, { onstatus, ondone: () => undefined });
  panel.show(ROUTE, "fr", "en");
  await flush();
});

it("goes on with a download when the page speaks another language", async () => {
  box.querySelector<HTMLButtonElement>(".start")?.click();
  fetching?.onprogress?.({ loaded: 1_000_000, total: 3_000_000, isElsewhere: false });
  rememberLanguage(memory, "de");
  panel.retell();
  await flush();
  expect(fetching?.signal?.aborted).toBe(false);
  expect([textOf("h2"), textOf(".bytes")]).toEqual(["Französisch – Englisch ist noch nicht auf diesem Rechner", "1,0 MB von 3,0 MB"]);
  expect(box.querySelector<HTMLButtonElement>(".pause")?.hidden).toBe(false);
  expect(onstatus).toHaveBeenLastCalledWith("Lädt");
});

it("offers in the other language what is not being fetched", () => {
  rememberLanguage(memory, "de");
  panel.retell();
  expect(textOf(".start")).toBe("3,0 MB laden");
  expect(fetching).toBeUndefined();
});

it("leaves the keyboard where the fetch is paused and gone on with", async () => {
  document.body.replaceChildren(box);
  const [start, pause] = [box.querySelector<HTMLButtonElement>(".start"), box.querySelector<HTMLButtonElement>(".pause")];
  start?.focus();
  start?.click();
  expect(document.activeElement).toBe(pause);
  pause?.click();
  await flush();
  expect(document.activeElement).toBe(start);
  (document.activeElement as HTMLElement).blur();
  start?.click();
  expect(document.activeElement).toBe(document.body);
});

it("tells nothing anew once it is hidden", () => {
  panel.hide();
  onstatus.mockClear();
  panel.retell();
  expect([panel.isShown, onstatus.mock.calls.length]).toEqual([false, 0]);
});
