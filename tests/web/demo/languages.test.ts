// @vitest-environment jsdom
import { expect, it } from "vitest";
import { Languages } from "../../../web/demo/languages.ts";
import type { Offer } from "../../../web/src/api/offers.ts";

const memory = { getItem: () => "en de", setItem: () => undefined, removeItem: () => undefined };
const listener = { onchange: () => undefined, onswap: () => undefined };

function languagesOf(...directions: readonly string[]): Languages {
  const offers = directions.map((bundle) => {
    const [source, target] = bundle.split("-");
    return { bundle, name: bundle, version: "1", source, target, bytes: 1, download: 0, isKept: true } as Offer;
  });
  const [source, target] = [document.createElement("select"), document.createElement("select")];
  return new Languages({ source, target, swap: document.createElement("button") }, offers, memory, listener);
}

it("begins with what was chosen at the last visit", () => {
  const languages = languagesOf("de-en", "en-de");
  expect([languages.source, languages.target]).toEqual(["en", "de"]);
});

it("takes the languages that serve those that are wanted", () => {
  const languages = languagesOf("de-en", "en-de");
  languages.set("de-AT", "en-GB");
  expect([languages.source, languages.target]).toEqual(["de", "en"]);
});

it("leaves as they are those that there are not", () => {
  const languages = languagesOf("de-en", "en-de", "de-fr");
  languages.set("de", "fr");
  languages.set("xx", "fr");
  expect([languages.source, languages.target]).toEqual(["de", "fr"]);
  languages.set("de", "xx");
  expect([languages.source, languages.target]).toEqual(["de", "fr"]);
});
