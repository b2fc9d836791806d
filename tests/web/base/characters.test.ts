import { expect, it } from "vitest";
import { countCharacters } from "../../../web/src/base/characters.ts";

it.each([
  ["", 0],
  ["Grüße", 5],
  ["a😀b", 3],
  ["😀😀", 2],
  ["\ud83d", 1], // half of one
  ["\ud83d\ud83d\ude00", 2],
  ["\ude00\ud83d", 2],
])("%j has %i", (text, count) => {
  expect(countCharacters(text)).toBe(count);
});
