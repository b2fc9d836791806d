/**
 * Any page: translated with the elements of each parent in any order, then taken back.
 *
 * DRAGOMAN_CASES=100000 npx vitest run tests/web/dom/random.test.ts
 */

import fc from "fast-check";
import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { Collector } from "../../../web/src/dom/collect.ts";
import type { ContentItem, TranslatedBlock } from "../../../web/src/dom/contract.ts";
import { Originals } from "../../../web/src/dom/originals.ts";
import { deal, place, unplace } from "../../../web/src/dom/place.ts";
import { longestIncreasing, placeInOrder } from "../../../web/src/dom/reorder.ts";
import type { Piece, TextUnit } from "../../../web/src/dom/units.ts";
import { sameNodes, snapshot } from "./page-fixture.ts";

const numRuns = Number(process.env["DRAGOMAN_CASES"] ?? 300);
const TIME = 60_000 + numRuns * 50;

const words = fc.constantFrom("Haus", " ", "ein ", " und\n  ", "5", "<", "Ä", "\u00ad", "", " . ", "😀", "\t");
const text = fc.array(words, { maxLength: 4 }).map((parts) => parts.join("").replaceAll("<", "&lt;"));
const { html } = fc.letrec<{ html: string; node: string }>((tie) => ({
  node: fc.oneof(
    { weight: 4, arbitrary: text },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom("b", "i", "a", "span", "u"), tie("html")).map(([tag, inner]) => `<${tag}>${inner}</${tag}>`) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom("p", "div", "li"), tie("html")).map(([tag, inner]) => `<${tag}>${inner}</${tag}>`) },
    { weight: 1, arbitrary: fc.constantFrom("<img>", "<br>", "<!-- x -->", "<code>x y</code>", "<wbr>", "<button>Los</button>", "<script>1</script>") },
  ),
  html: fc.array(tie("node"), { maxLength: 5, depthIdentifier: "html" }).map((parts) => parts.join("")),
}));

/** The pieces of each parent in an order that the seed gives, words in upper case. */
function shuffled(unit: TextUnit, seed: number): TranslatedBlock {
  let translated = "";
  let state = seed;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31);
  const render = (pieces: readonly Piece[]): ContentItem[] =>
    [...pieces]
      .map((piece) => ({ piece, key: next() }))
      .sort((one, other) => one.key - other.key)
      .map(({ piece }): ContentItem => {
        if (piece.type === "element") {
          return piece.children ? { element: piece.index, content: render(piece.children) } : { element: piece.index };
        }
        const start = translated.length;
        translated += piece.source.trim().toUpperCase();
        return [start, translated.length];
      });
  const content = render(unit.pieces);
  return { text: translated, content };
}

function unitsOf(body: HTMLElement, originals: Originals): TextUnit[] {
  const collector = new Collector(originals, { sourceLanguage: "de", frames: false });
  const units: TextUnit[] = [];
  for (const found of collector.collect(body, true)) {
    if (found?.type === "unit" && found.unit.type === "text") units.push(found.unit);
  }
  return units;
}

/** Words that the reader sees, whatever their order. */
const letters = (node: Node): string => Array.from((node.textContent ?? "").toUpperCase().replace(/[\s\u00ad]/g, "")).sort().join("");

describe("any page", () => {
  const { window } = new JSDOM("<body></body>");
  const { body } = window.document;

  it("keeps its nodes and its words, and comes back as it was", { timeout: TIME }, () => {
    fc.assert(
      fc.property(html, fc.nat(), (source, seed) => {
        body.innerHTML = source;
        const originals = new Originals();
        const before = snapshot(body);
        const seen = letters(body);
        const elements = [...body.querySelectorAll("*")];
        const parents = elements.map(({ parentNode }) => parentNode);
        const units = unitsOf(body, originals);
        for (const unit of units) place(originals, unit, shuffled(unit, seed));
        expect(elements.map(({ parentNode }) => parentNode)).toEqual(parents);
        expect(letters(body)).toBe(seen);
        // Seen through the originals, nothing has changed: the same units are found again.
        expect(unitsOf(body, originals).map(({ block }) => block)).toEqual(units.map(({ block }) => block));
        if (seed % 2) for (const unit of units) unplace(originals, unit);
        for (const step of originals.restoreAll()) expect(step).toBeUndefined();
        expect(sameNodes(before, snapshot(body))).toBe(true);
      }),
      { numRuns },
    );
  });

  it("sends elements properly nested, in order, with the text that is theirs", { timeout: TIME }, () => {
    fc.assert(
      fc.property(html, (source) => {
        body.innerHTML = source;
        for (const { block, pieces } of unitsOf(body, new Originals())) {
          expect(block.text).toBe(block.text.trim());
          const check = (inside: readonly Piece[], from: number, to: number): void => {
            for (const piece of inside) {
              if (piece.type === "text") continue;
              const [start, end] = block.elements[piece.index]?.range ?? [-1, -1];
              expect(start >= from && end <= to && start <= end).toBe(true);
              if (piece.children) check(piece.children, start, end);
              from = end;
            }
          };
          check(pieces, 0, block.text.length);
        }
      }),
      { numRuns },
    );
  });
});

describe("order", () => {
  const { window } = new JSDOM("<body></body>");

  it("is reached from any other", () => {
    fc.assert(
      fc.property(fc.nat(12).chain((size) => fc.shuffledSubarray([...Array(size).keys()], { minLength: size })), (order) => {
        const parent = window.document.createElement("p");
        const children = order.map((_, at) => window.document.createElement(`x-${at}`));
        parent.append(...children);
        const wanted = order.map((at) => children[at]).filter((child) => child !== undefined);
        placeInOrder(parent, wanted);
        expect([...parent.children]).toEqual(wanted);
      }),
    );
  });

  it.each([
    [[], []],
    [[2, 0, 1], [1, 2]],
    [[0, 1, 2], [0, 1, 2]],
    [[2, 1, 0], [2]],
  ])("longest run of %j: at %j", (values, indices) => {
    expect(longestIncreasing(values)).toEqual(indices);
  });
});

describe("deal", () => {
  it.each([
    [["Seite ", "3", " von ", "10"], "Page 3 of 10", ["Page ", "3", " of ", "10"]],
    [["Hallo ", "Welt"], "Hello world", ["Hello world", ""]],
    [["5", " Punkte"], "points: 5", ["points: 5", ""]],
    [["5", " Punkte"], "5 points", ["5", " points"]],
    [["3", " von ", "3"], "3 of 3", ["3 of 3", "", ""]],
    [["7"], "seven", ["seven"]],
  ])("%j, %j", (sources, target, parts) => {
    expect(deal(target, sources.map((source) => ({ source })))).toEqual(parts);
  });
});
