import { expect, it } from "vitest";
import { languageDoubt } from "../../../web/src/ui/language-notice.ts";

const detection = (language: string | null, confidence: number, ...candidates: [string, number][]) => ({
  language,
  confidence,
  candidates: (candidates.length ? candidates : [[language ?? "und", confidence] as const]).map(([tag, share]) => ({ language: tag, confidence: share })),
});
const text = "a text that is long enough";

it.each([
  ["de", 1, "none"],
  ["en", 0.95, "other"],
  ["fr", 0.95, "no-model"],
  [null, 0.7, "not-sure"],
] as const)("of %s, %d sure, while de was chosen: %s", (language, confidence, name) => {
  expect(languageDoubt(text, detection(language, confidence), "de", ["de", "en"]).name).toBe(name);
});

it("takes scripts and regions of a language for the same", () => {
  expect(languageDoubt(text, detection("zh-Hans", 1), "zh-Hans", ["zh-Hans"]).name).toBe("none");
  expect(languageDoubt(text, detection("no", 1), "de", ["de", "nb"])).toEqual({ name: "other", language: "nb" });
});

it("refuses no greeting, and says what it may be", () => {
  const doubt = (language: string) => languageDoubt("Good day", detection(language, 0.9), "de", ["de", "en"]);
  expect(doubt("en")).toEqual({ name: "not-sure", likely: { name: "other", language: "en" } });
  expect(doubt("no")).toEqual({ name: "not-sure", likely: { name: "no-model", language: "no" } });
});

it("says nothing where the chosen language is the likeliest, unless there is much text", () => {
  const mixed = detection(null, 0.7, ["de", 0.7], ["en", 0.3]);
  const much = "Der Call was great, aber the deadline ist too near.";
  expect(languageDoubt("Guten Morgen", mixed, "de", ["de", "en"])).toEqual({ name: "none" });
  expect(languageDoubt(much, mixed, "de", ["de", "en"])).toEqual({ name: "not-sure" });
  expect(languageDoubt(much, mixed, "en", ["de", "en"])).toEqual({ name: "not-sure", likely: { name: "other", language: "de" } });
});

it("names nothing that is unlikely, and says nothing where there are no letters", () => {
  expect(languageDoubt("Hello", detection(null, 0.22, ["fi", 0.22]), "de", ["de", "en"])).toEqual({ name: "not-sure" });
  expect(languageDoubt("12.50 – 13", detection(null, 1, ["und", 1]), "de", ["de", "en"])).toEqual({ name: "none" });
});
