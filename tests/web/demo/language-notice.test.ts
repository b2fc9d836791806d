// @vitest-environment jsdom
import { expect, it, vi } from "vitest";
import { LanguageNotice } from "../../../web/demo/language-notice.ts";

vi.mock("../../../web/src/api/language-detector.ts", () => ({
  loadDetector: () => Promise.resolve({
    detect: () => ({ language: "fr", confidence: 0.99, candidates: [{ language: "fr", confidence: 0.99 }] }),
  }),
}));

it("asks nothing any more once another language was chosen that is to be fetched", async () => {
  const root = document.createElement("p");
  const actions = { choice: () => ({ chosen: "de", sources: ["de", "fr"] }), onswitch: vi.fn(), onanyway: vi.fn() };
  const notice = new LanguageNotice(root, actions);
  expect(await notice.allows("Le chat est assis devant la porte.")).toBe(false);
  expect([root.hidden, root.textContent]).toEqual([false, "This looks like French. Switch to French Translate anyway"]);
  notice.clear();
  expect([root.hidden, root.textContent]).toEqual([true, ""]);
  notice.retell();
  expect(root.hidden).toBe(true);
});
