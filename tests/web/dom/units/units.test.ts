import { JSDOM } from "jsdom";
import { expect, it } from "vitest";
import { attributeUnit, textUnit, type RunItem, type TextUnit } from "../../../../web/src/dom/units/units.ts";

const { document } = new JSDOM().window;

function text(source: string, preserved = false): RunItem {
  return { type: "text", node: document.createTextNode(source), source, preserved };
}

function inline(...children: RunItem[]): RunItem {
  return { type: "inline", node: document.createElement("b"), children };
}

function empty({ box = false, breaks = false } = {}): RunItem {
  return { type: "void", node: document.createElement("img"), box, breaks };
}

function opaque(shown: string): RunItem {
  return { type: "opaque", node: document.createElement("code"), text: shown };
}

function unit(...run: RunItem[]): TextUnit {
  return textUnit(document.body, run);
}

it("sends what the browser shows, and leaves the white space at both ends to its nodes", () => {
  const { block, leaves } = unit(text("\n  Ich "), inline(text("habe")), text(" "), text("ein\u00aden "), empty({ box: true }), text(" Hund.\n"));
  expect(block).toEqual({
    text: "Ich habe einen  Hund.",
    elements: [
      { range: [4, 8], kind: "inline" },
      { range: [15, 15], kind: "void" },
    ],
  });
  expect(leaves.map(({ lead, trail }) => [lead, trail])).toEqual([["\n  ", ""], ["", ""], ["", ""], ["", ""], ["", "\n"]]);
});

it("shows one of several spaces beside each other, whatever nodes they are in", () => {
  expect(unit(text("Ja "), inline(text(" gut \t")), text("\nso")).block).toEqual({
    text: "Ja gut so",
    elements: [{ range: [3, 7], kind: "inline" }],
  });
});

it("keeps all white space where the page does", () => {
  expect(unit(text("Ja\n", true), text("  so", true)).block.text).toBe("Ja\n  so");
});

it("parts words by what ends a line, but not twice", () => {
  expect(unit(text("Ja"), empty({ breaks: true }), text("so")).block.text).toBe("Ja so");
  expect(unit(text("Ja "), empty({ breaks: true }), text("so")).block.text).toBe("Ja so");
  expect(unit(text("Ja"), empty(), text("so")).block.text).toBe("Jaso");
});

it("says who is in whom, and what is opaque in one line", () => {
  expect(unit(inline(text("Ein "), inline(opaque(" x  =\n1 "))), text(" Wort")).block).toEqual({
    text: "Ein x = 1 Wort",
    elements: [
      { range: [0, 9], kind: "inline" },
      { range: [4, 9], kind: "inline", parent: 0 },
      { range: [4, 9], kind: "opaque", parent: 1 },
    ],
  });
});

it("has no element beyond the end of its text", () => {
  expect(unit(text("Ja "), inline(text(" ")), empty()).block).toEqual({
    text: "Ja",
    elements: [
      { range: [2, 2], kind: "inline" },
      { range: [2, 2], kind: "void" },
    ],
  });
});

it("sends an attribute in one line", () => {
  const element = document.createElement("p");
  expect(attributeUnit(element, "title", " Ein\n  Titel ")).toEqual({
    type: "attribute",
    container: element,
    name: "title",
    block: { text: "Ein Titel", elements: [] },
  });
});
