import { JSDOM } from "jsdom";
import { expect, it } from "vitest";
import { Contests } from "../../../web/src/dom/contests.ts";
import type { Unit } from "../../../web/src/dom/units/units.ts";

const { document } = new JSDOM().window;
const [first, second] = [document.createElement("p"), document.createElement("p")];

function unit(container: Element, text: string): Unit {
  return { container, block: { text } } as unknown as Unit;
}

function placed(contests: Contests, of: Unit, times: number): Contests {
  for (let time = 0; time < times; time++) contests.count(of);
  return contests;
}

it("is lost when a text has come back more than 20 times", () => {
  const contests = placed(new Contests(() => 0), unit(first, "Ja"), 20);
  expect(contests.isLost(unit(first, "Ja"))).toBe(false);
  contests.count(unit(first, "Ja"));
  expect(contests.isLost(unit(first, "Ja"))).toBe(true);
});

it("is about one text in one place", () => {
  const contests = placed(new Contests(() => 0), unit(first, "Ja"), 21);
  expect(contests.isLost(unit(first, "Nein"))).toBe(false);
  expect(contests.isLost(unit(second, "Ja"))).toBe(false);
});

it("begins anew after five seconds", () => {
  let now = 0;
  const contests = placed(new Contests(() => now), unit(first, "Ja"), 21);
  now = 5_000;
  expect(contests.isLost(unit(first, "Ja"))).toBe(true);
  now = 5_001;
  expect(contests.isLost(unit(first, "Ja"))).toBe(false);
  now = 0;
  expect(contests.isLost(unit(first, "Ja"))).toBe(false); // It is forgotten.
});

it("is lost at once where a text cannot be put", () => {
  let now = 0;
  const contests = new Contests(() => now);
  contests.lose(unit(first, "Ja"));
  expect([contests.isLost(unit(first, "Ja")), contests.isLost(unit(second, "Ja"))]).toEqual([true, false]);
  now = 5_001;
  expect(contests.isLost(unit(first, "Ja"))).toBe(false);
});
