// @vitest-environment jsdom
import { beforeEach, expect, it } from "vitest";
import { MemoryPanel } from "../../../../web/src/ui/memory/memory-panel.ts";
import type { MemoryFile, MemoryStore } from "../../../../web/src/stores/memory-store.ts";

let kept: MemoryFile[];
let box: HTMLElement;
let panel: MemoryPanel;

const flush = () => new Promise((resolve) => { setTimeout(resolve, 0); });
/** As if it were a field, whatever it is: only what elements have in common is used of others. */
function one(selector: string): HTMLInputElement {
  const found = document.querySelector<HTMLInputElement>(selector);
  if (!found) throw new Error(`there is no ${selector}`);
  return found;
}

/** As a keyboard does it. */
async function press(selector: string): Promise<void> {
  one(selector).focus();
  one(selector).click();
  await flush();
}

const store = {
  list: () => Promise.resolve(kept),
  switch: (id: number, on: boolean) => {
    kept = kept.map((file) => (file.id === id ? { ...file, on } : file));
    return Promise.resolve();
  },
  remove: (id: number) => {
    kept = kept.filter((file) => file.id !== id);
    return Promise.resolve();
  },
} as unknown as MemoryStore;

beforeEach(async () => {
  kept = ["a", "b", "c"].map((name, id) => ({ id, name, source: "de", target: "en", count: 1, on: true }));
  document.body.innerHTML = "<dialog><button class='close'></button><div class='box'></div></dialog>";
  box = one(".box");
  panel = new MemoryPanel(box, store, {
    say: (text) => text, facts: () => "", taken: String, problem: String,
    removeOf: (name) => `remove ${name}`, exportOf: (name, kind) => `export ${name} ${kind}`, useOf: (name) => `use ${name}`,
  }, () => undefined, () => undefined);
  await panel.show();
});

it("keeps the focus on the switch of a memory", async () => {
  await press("[aria-label='use b']");
  expect(kept[1]?.on).toBe(false);
  expect(document.activeElement).toBe(one("[aria-label='use b']"));
});

it("goes on with the next memory when one is removed, then with the one before, then with the button that closes", async () => {
  await press("[aria-label='remove b']");
  expect(document.activeElement).toBe(one("[aria-label='remove c']"));
  await press("[aria-label='remove c']");
  expect(document.activeElement).toBe(one("[aria-label='remove a']"));
  await press("[aria-label='remove a']");
  expect(document.activeElement).toBe(one(".close"));
});

it("goes on with another file where there is no dialog to close", async () => {
  document.body.replaceChildren(box);
  for (const name of ["a", "b", "c"]) await press(`[aria-label='remove ${name}']`);
  expect(document.activeElement).toBe(one(".choose"));
});

it("takes the focus from nowhere else", async () => {
  one(".close").focus();
  await panel.show();
  expect(document.activeElement).toBe(one(".close"));
});
