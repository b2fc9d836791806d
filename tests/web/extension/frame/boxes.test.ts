import { JSDOM } from "jsdom";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HostClient } from "../../../../extension/src/host-client.ts";
import { FakeBrowser, flush } from "../fakes.ts";

const PAIR = { source: "de", target: "en" };
let dom: JSDOM;
let document: Document;
/** Shadow roots of our boxes, which are closed. */
let roots: ShadowRoot[];
/** What the engine answers. */
let answer: Promise<never>;
const engine = { translate: () => answer } as unknown as HostClient;

beforeEach(() => {
  new FakeBrowser().install();
  dom = new JSDOM("<textarea>Guten Morgen</textarea><p>Text</p>");
  ({ document } = dom.window);
  roots = [];
  const { prototype } = dom.window.Element;
  const { attachShadow } = Object.getOwnPropertyDescriptors(prototype);
  prototype.attachShadow = function (this: Element, init) {
    const root = attachShadow.value?.call(this, init);
    if (!root) throw new Error("there are no shadow roots here");
    roots.push(root);
    return root;
  };
  for (const name of ["HTMLElement", "HTMLInputElement", "HTMLTextAreaElement", "AbortController"] as const) vi.stubGlobal(name, dom.window[name]);
  vi.stubGlobal("innerWidth", 800);
  dom.window.Range.prototype.getBoundingClientRect = () => ({ left: 0, top: 0, bottom: 0, width: 0, height: 0 }) as DOMRect; // JSDOM has no layout.
  answer = Promise.reject(new Error("it failed"));
  answer.catch(() => undefined);
});
afterEach(() => { vi.unstubAllGlobals(); });

function field(): HTMLTextAreaElement {
  const found = document.querySelector("textarea");
  if (!found) throw new Error("there is no field");
  return found;
}

function lastRoot(): ShadowRoot {
  const last = roots.at(-1);
  if (!last) throw new Error("there is no box");
  return last;
}

const alerts = (): (string | null)[] => [...lastRoot().querySelectorAll("[role=alert]")].map(({ textContent }) => textContent);
const escape = (): void => {
  document.dispatchEvent(new dom.window.KeyboardEvent("keydown", { key: "Escape" }));
};

describe("the box of a selection", () => {
  beforeEach(async () => {
    const { SelectionBox } = await import("../../../../extension/src/frame/selection-box.ts");
    field().focus();
    field().setSelectionRange(0, 5);
    SelectionBox.open(document, engine, PAIR);
    await flush();
  });

  it("says aloud that it failed, and can be closed by its button", () => {
    expect(alerts()).toEqual(["failed", "error_other"]);
    const { activeElement } = lastRoot();
    expect(activeElement?.textContent).toBe("close");
    (activeElement as HTMLButtonElement).click();
    expect(document.querySelector("dragoman-overlay")).toBeNull();
  });

  it("gives the focus back when it goes", () => {
    expect(document.activeElement?.localName).toBe("dragoman-overlay");
    escape();
    expect(document.activeElement).toBe(field());
  });

  it("leaves the focus where the reader has put it meanwhile", () => {
    const other = document.createElement("input");
    document.body.append(other);
    other.focus();
    escape();
    expect(document.activeElement).toBe(other);
  });
});

describe("the box beside a field", () => {
  const detect = (): Promise<never> => Promise.reject(new Error("no table"));

  it("gives the focus back when it goes", async () => {
    const { TypingBox } = await import("../../../../extension/src/frame/typing-box.ts");
    field().focus();
    const box = TypingBox.open(document, engine, PAIR, detect);
    [...lastRoot().querySelectorAll("button")].find(({ textContent }) => textContent === "close")?.focus();
    expect(document.activeElement?.localName).toBe("dragoman-overlay");
    box?.close();
    expect(document.activeElement).toBe(field());
  });

  it("comes beside a field in an open part of the page too", async () => {
    const { TypingBox } = await import("../../../../extension/src/frame/typing-box.ts");
    const host = document.createElement("form-field");
    document.body.append(host);
    const inner = document.createElement("input");
    host.attachShadow({ mode: "open" }).append(inner);
    inner.focus();
    const box = TypingBox.open(document, engine, PAIR, detect);
    expect(box).toBeDefined();
    box?.close();
  });
});

it("a sentence on the page is read aloud", async () => {
  const { sayOnPage } = await import("../../../../extension/src/frame/notice.ts");
  sayOnPage(document, "It cannot be told.");
  expect(alerts()).toEqual(["It cannot be told."]);
});
