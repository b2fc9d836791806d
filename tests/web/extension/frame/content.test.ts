import { JSDOM } from "jsdom";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ContentApi } from "../../../../extension/src/tabs.ts";

const DE = { source: "de", target: "en" };
const FR = { source: "fr", target: "en" };
const OPTIONS = { hover: false, bar: true };

/** A page under translation whose way back takes until it is let go. */
class FakePage {
  static made: FakePage[] = [];
  readonly source: string;
  readonly progress = { phase: "translated", total: 1, done: 1, failed: 0, visible: 0, error: undefined };
  wayBack: () => void = () => undefined;

  constructor(_document: Document, _translator: unknown, { sourceLanguage }: { sourceLanguage: string }) {
    this.source = sourceLanguage;
    FakePage.made.push(this);
  }

  start(): void {
    // Nothing is translated here.
  }

  restore(): Promise<void> {
    return new Promise((resolve) => { this.wayBack = resolve; });
  }
}

/** The bar over the page, for its button. */
let pressRestore: () => void;
let selectionPressed: () => void;
vi.mock("../../../../web/src/dom/page.ts", () => ({ PageTranslation: FakePage }));
vi.mock("../../../../extension/src/frame/bar.ts", () => ({
  Bar: class {
    constructor(_document: Document, onrestore: () => void) {
      pressRestore = onrestore;
    }

    show(): void {
      // What it says is not looked at here.
    }

    close(): void {
      // It has no place.
    }
  },
}));
vi.mock("../../../../extension/src/frame/selection-button.ts", () => ({
  showSelectionButton: (_: Document, onclick: () => void) => { selectionPressed = onclick; },
  holdSelectionButton: () => undefined,
}));

let content: ContentApi;
let said: { readonly type: string }[];
/** What the background answers. */
let answer: () => Promise<unknown>;
let dom: JSDOM;

beforeEach(async () => {
  [FakePage.made, said] = [[], []];
  answer = () => Promise.resolve(true);
  dom = new JSDOM("<p>Guten Morgen</p>");
  const { document } = dom.window;
  vi.stubGlobal("document", document);
  vi.stubGlobal("self", dom.window);
  vi.stubGlobal("top", dom.window);
  vi.stubGlobal("innerWidth", 800);
  vi.stubGlobal("AbortController", dom.window.AbortController); // Events of this document want its own signals.
  vi.stubGlobal("addEventListener", dom.window.addEventListener.bind(dom.window));
  vi.stubGlobal("chrome", {
    runtime: {
      id: "dragoman",
      sendMessage(request: { type: string }) {
        said.push(request);
        return answer();
      },
    },
    i18n: { getMessage: (name: string) => (name === "language" ? "en" : name) },
    storage: { local: { get: () => Promise.resolve({}) } },
  });
  vi.stubGlobal("dragomanContent", undefined);
  vi.resetModules();
  await import("../../../../extension/src/frame/content.ts");
  content = (globalThis as unknown as { dragomanContent: ContentApi }).dragomanContent;
});

afterEach(() => { vi.unstubAllGlobals(); });

const settled = () => new Promise((resolve) => { setTimeout(resolve, 0); });

it("is translated anew only when all of it is as it was", async () => {
  content.start(DE, OPTIONS, null);
  const restored = content.restore();
  expect(content.state().phase).toBe("off");
  content.start(FR, OPTIONS, null);
  expect(FakePage.made.map(({ source }) => source)).toEqual(["de"]);
  FakePage.made[0]?.wayBack();
  await restored;
  expect(FakePage.made.map(({ source }) => source)).toEqual(["de", "fr"]);
  expect(content.state()).toMatchObject({ phase: "translated", pair: FR });
});

it("is left alone where it came after the page that was asked about", () => {
  expect(content.start(DE, OPTIONS, performance.timeOrigin - 1)).toBe(false);
  expect(FakePage.made).toEqual([]);
  expect(content.start(DE, OPTIONS, performance.timeOrigin)).toBe(true);
  expect(FakePage.made.map(({ source }) => source)).toEqual(["de"]);
});

it("is translated in a frame whenever that began: its page is the one above", () => {
  vi.stubGlobal("top", {});
  expect(content.start(DE, OPTIONS, performance.timeOrigin - 1)).toBe(true);
});

it("is translated from the language that was asked for last", async () => {
  content.start(DE, OPTIONS, null);
  content.start(FR, OPTIONS, null);
  content.start({ source: "es", target: "en" }, OPTIONS, null);
  FakePage.made[0]?.wayBack();
  await settled();
  expect(FakePage.made.map(({ source }) => source)).toEqual(["de", "es"]);
});

it("stays as it was where the original is asked for last", async () => {
  content.start(DE, OPTIONS, null);
  content.start(FR, OPTIONS, null);
  const restored = content.restore();
  FakePage.made[0]?.wayBack();
  await restored;
  expect(FakePage.made.map(({ source }) => source)).toEqual(["de"]);
  expect(content.state().phase).toBe("off");
});

it.each<[string, () => Promise<unknown>]>([
  ["the background may not reach the tab any more", () => Promise.resolve(false)],
  ["the extension was updated meanwhile", () => { throw new Error("Extension context invalidated."); }],
])("the bar gives the original back where %s", async (_, answered) => {
  content.start(DE, OPTIONS, null);
  answer = answered;
  pressRestore();
  await settled();
  expect(content.state().phase).toBe("off");
  FakePage.made[0]?.wayBack();
});

it("all frames go back by the background, where it reaches them", async () => {
  content.start(DE, OPTIONS, null);
  pressRestore();
  await settled();
  expect(said.at(-1)).toEqual({ type: "restore-tab" });
  expect(content.state().phase).toBe("translated");
});

it("a page that comes back tells its state anew", async () => {
  content.start(DE, OPTIONS, null);
  await settled();
  const states = () => said.filter(({ type }) => type === "page-state").length;
  expect(states()).toBe(1);
  const { PageTransitionEvent } = dom.window;
  dom.window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: false }));
  expect(states()).toBe(1);
  dom.window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  expect(states()).toBe(2);
});

it("says that a selection cannot be translated where the tab is not ours any more", async () => {
  content.start(DE, OPTIONS, null);
  await settled();
  selectionPressed();
  await settled();
  expect(document.querySelector("dragoman-overlay")).toBeNull();
  answer = () => Promise.resolve(false);
  selectionPressed();
  await settled();
  expect(document.querySelector("dragoman-overlay")).not.toBeNull();
});
