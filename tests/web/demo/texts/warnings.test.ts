// @vitest-environment jsdom
import { expect, it } from "vitest";
import { warningsText } from "../../../../web/demo/texts/warnings.ts";

const missed = { code: "term-missed", message: "the translation lacks a term of the glossary", span: null };
const use = (source: string, target: string, outcome: "said" | "missed") =>
  ({ term: { source, target }, outcome, source: null, target: null });

it("names the terms that are not there, once", () => {
  const terms = [use("Rechner", "workstation", "missed"), use("Zug", "train", "said"), use("Rechner", "workstation", "missed"), use("Habicht", "Habicht", "missed")];
  expect(warningsText({ warnings: [missed, missed], terms })).toBe(
    "Of your glossary is missing in the translation: Rechner → workstation; Habicht.",
  );
});

it("says each kind once, and one that it does not know as it came", () => {
  const odd = { code: "odd", message: "something else", span: null };
  expect(warningsText({ warnings: [missed, odd, odd], terms: null })).toBe("A translation lacks a term of the glossary. something else");
});
