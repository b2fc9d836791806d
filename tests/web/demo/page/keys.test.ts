// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";
import { acceptKeys } from "../../../../web/demo/page/keys.ts";

const acts = { onstop: vi.fn(), ontranslate: vi.fn(), oncopy: vi.fn() };
let page: Document;

beforeEach(() => {
  vi.clearAllMocks();
  page = document.implementation.createHTMLDocument();
  acceptKeys(page, acts);
});

function press(key: string, more: KeyboardEventInit = {}): void {
  page.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
}

it("stops by Escape", () => {
  press("Escape");
  expect(acts.onstop).toHaveBeenCalledTimes(1);
});

it("leaves Escape to an open dialog, which it closes", () => {
  const dialog = page.createElement("dialog");
  page.body.append(dialog);
  dialog.setAttribute("open", "");
  press("Escape");
  expect(acts.onstop).not.toHaveBeenCalled();
  dialog.removeAttribute("open");
  press("Escape");
  expect(acts.onstop).toHaveBeenCalledTimes(1);
});

it("leaves Escape to who has made use of it", () => {
  page.body.addEventListener("keydown", (event) => { event.preventDefault(); });
  press("Escape");
  expect(acts.onstop).not.toHaveBeenCalled();
});

it("translates and copies by Enter with a modifier alone", () => {
  press("Enter");
  press("Enter", { ctrlKey: true });
  press("Enter", { metaKey: true, shiftKey: true });
  expect([acts.ontranslate.mock.calls.length, acts.oncopy.mock.calls.length]).toEqual([1, 1]);
});
