import { expect, it } from "vitest";
import { deal } from "../../../../web/src/dom/units/place.ts";

function dealt(text: string, ...sources: string[]): string[] {
  return deal(text, sources.map((source) => ({ source })));
}

it("gives a text to the first node that had words", () => {
  expect(dealt("Hello world", "Hallo ", "Welt")).toEqual(["Hello world", ""]);
  expect(dealt("Hello", " ", "Hallo")).toEqual(["", "Hello"]);
  expect(dealt("Hello", " ")).toEqual(["Hello"]);
});

it("leaves a figure in the node that the page keeps it in", () => {
  expect(dealt("Page 3 of 10", "Seite ", "3", " von ", "10")).toEqual(["Page ", "3", " of ", "10"]);
  expect(dealt("3 pages", "3", " Seiten")).toEqual(["3", " pages"]);
  expect(dealt("5 €: the price", "Preis: ", " 5 € ")).toEqual(["", "5 €: the price"]);
});

it("leaves no figure where it may be another one, or is not in its order", () => {
  expect(dealt("3 of 3", "3", " von ", "3")).toEqual(["3 of 3", "", ""]);
  expect(dealt("10 minus 3", "3", " weniger als ", "10")).toEqual(["10 minus 3", "", ""]);
  expect(dealt("three", "3")).toEqual(["three"]);
});
