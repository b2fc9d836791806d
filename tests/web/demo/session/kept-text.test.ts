// @vitest-environment jsdom
import { expect, it } from "vitest";
import { KeptText } from "../../../../web/demo/session/kept-text.ts";

function memory(room = Infinity) {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(key, value);
    },
    removeItem: (key: string) => void kept.delete(key),
  };
}

function become(state: DocumentVisibilityState): void {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

it("keeps what is typed when the page is hidden, as a phone may never show it again", () => {
  const kept = new KeptText(memory());
  kept.follow(window, () => "Guten Morgen");
  become("visible");
  expect(kept.text).toBeNull();
  become("hidden");
  expect(kept.text).toBe("Guten Morgen");
});

it("keeps what is typed when the page is left", () => {
  const kept = new KeptText(memory());
  kept.follow(window, () => "Guten Tag");
  window.dispatchEvent(new Event("pagehide"));
  expect(kept.text).toBe("Guten Tag");
});

it("keeps no older text in place of one that is too long", () => {
  const kept = new KeptText(memory(5));
  let text = "Hallo";
  kept.follow(window, () => text);
  become("hidden");
  text = "Guten Abend";
  become("hidden");
  expect(kept.text).toBeNull();
});
