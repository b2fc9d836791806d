/**
 * Any page: translated with the elements of each parent in any order, then taken back.
 *
 * DRAGOMAN_CASES=5000 DRAGOMAN_SEED=7 npx vitest run tests/web/dom/random.test.ts
 */

import fc from "fast-check";
import { JSDOM } from "jsdom";
import { describe, expect, it } from "vitest";
import { deal } from "../../../web/src/dom/units/place.ts";
import { longestIncreasing, placeInOrder } from "../../../web/src/dom/nodes/reorder.ts";
import { changes, html, wrongWhenPlaced, wrongWhenSent, wrongWhenTranslated } from "./random-pages.ts";

const numRuns = Number(process.env["DRAGOMAN_CASES"] ?? 300);
/** Where the cases begin; without it, anywhere. */
const seed = Number(process.env["DRAGOMAN_SEED"] ?? Date.now());
const TIME = 60_000 + numRuns * 50;

describe("any page", () => {
  const { window } = new JSDOM("<body></body>", { pretendToBeVisual: true });
  const { body } = window.document;
  for (const name of ["MutationObserver", "AbortController"] as const) Object.assign(globalThis, { [name]: window[name] });

  it("keeps its nodes and its words, and comes back as it was", { timeout: TIME }, () => {
    fc.assert(
      fc.property(html, fc.nat(), (source, seed) => { expect(wrongWhenPlaced(body, source, seed)).toEqual([]); }),
      { numRuns, seed },
    );
  });

  it.each([
    // Whether a line goes on after a break is asked of the order that the page has, not of ours.
    ["<b><b>Haus<b> . </b><svg><text>Ein <tspan>Bild</tspan></text></svg></b><br> und\n  </b>", 0],
  ])("once came back otherwise: %s", (source, seed) => {
    expect(wrongWhenPlaced(body, source, seed)).toEqual([]);
  });

  it("sends elements properly nested, in order, with the text that is theirs", { timeout: TIME }, () => {
    fc.assert(
      fc.property(html, (source) => { expect(wrongWhenSent(body, source)).toEqual([]); }),
      { numRuns, seed },
    );
  });

  it("may change while it is translated, and is then what it would be without us", { timeout: TIME }, async () => {
    await fc.assert(
      fc.asyncProperty(html, changes, async (source, given) => {
        expect(await wrongWhenTranslated(body, source, given)).toEqual([]);
      }),
      { numRuns: Math.ceil(numRuns / 10), seed },
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
        Array.from(placeInOrder(parent, wanted));
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
