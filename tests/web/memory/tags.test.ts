import { expect, it } from "vitest";
import { nearest, spaced } from "../../../web/src/memory/tags.ts";

it.each([
  [["en", "de"], "de", 1],
  [["de-DE", "de-AT"], "de-AT", 1],
  [["de-DE", "de"], "de-AT", 1],
  [["de-CH", "de-DE"], "de-AT", 0], // the first of equals
  [["de-DE", "de-CH"], "de", 0],
  [["zh-Hans-SG", "zh-Hant"], "zh-Hant-TW", 1],
  [["DE_at"], "de-AT", 0],
  [["den"], "de", undefined],
  [[], "de", undefined],
  [["", "de"], "de", 1],
])("of %j, %s is at %s", (tags, language, expected) => {
  expect(nearest(tags, language)).toBe(expected);
});

it("takes runs of XML's white space for one, and leaves others", () => {
  expect(spaced(" a\t\r\n b\u00a0 ! \n")).toBe("a b\u00a0 !");
});
