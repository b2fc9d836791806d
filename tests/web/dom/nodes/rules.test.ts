import { JSDOM } from "jsdom";
import { expect, it } from "vitest";
import { attributesOf, directionOf, hasLetters, primary } from "../../../../web/src/dom/nodes/rules.ts";

it.each([
  ['<p title="Ja" class="x" aria-label="So">', ["aria-label", "title"]],
  ['<img alt="Haus" label="x">', ["alt"]],
  ['<p alt="Haus">', []],
  ['<input type="SUBMIT" value="Senden">', []], // It may mean something to a server.
  ['<input type="Button" value="Senden" placeholder="Name">', ["placeholder", "value"]],
  ['<meta name="Description" content="Haus">', ["content"]],
  ['<meta name="viewport" content="Haus">', []],
])("of %s people read %j", (html, expected) => {
  const element = new JSDOM(html).window.document.querySelector("p, img, input, meta");
  expect(element && [...attributesOf(element)].sort()).toEqual(expected);
});

it("knows where there is something to translate", () => {
  expect(["3,5 % – €", "", "Ω", "3 m", "😀"].map(hasLetters)).toEqual([false, false, true, true, false]);
});

it("knows languages by their first part", () => {
  expect([primary("de-AT"), primary("DE_at"), primary(" en")]).toEqual(["de", "de", "en"]);
  expect([directionOf("ar-EG"), directionOf("he"), directionOf("de")]).toEqual(["rtl", "rtl", "ltr"]);
});
