import { expect, it } from "vitest";
import { languageDoubt } from "../../../web/src/ui/language-notice.ts";

const found = (language: string | null, confidence: number) => ({ language, confidence, candidates: [] });
const text = "a text that is long enough";

it.each([
  ["de", 1, "none"],
  ["en", 0.95, "other"],
  ["fr", 0.95, "no-model"],
  [null, 0.7, "none"],
] as const)("of %s, %d sure, while de was chosen: %s", (language, confidence, name) => {
  expect(languageDoubt(text, found(language, confidence), "de", ["de", "en"]).name).toBe(name);
});

it("takes scripts and regions of a language for the same", () => {
  expect(languageDoubt(text, found("zh-Hans", 1), "zh-Hans", ["zh-Hans"]).name).toBe("none");
  expect(languageDoubt(text, found("no", 1), "de", ["de", "nb"])).toEqual({ name: "other", language: "nb" });
});

it("says nothing of a word", () => {
  expect(languageDoubt("Good day", found("en", 1), "de", ["de", "en"]).name).toBe("none");
});
