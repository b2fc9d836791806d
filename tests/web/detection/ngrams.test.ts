import { expect, it } from "vitest";
import { ngramNumber, wordNgrams, wordPattern } from "../../../web/src/detection/ngrams.ts";

function read(number: number): string {
  const bytes: number[] = [];
  for (let left = number; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return new TextDecoder().decode(Uint8Array.from(bytes.filter((byte) => byte > 0)));
}

it.each([
  ["a", [" a "]],
  ["haus", [" haus "]],
  ["hause", [" haus", "ause "]],
  ["haustür", [" haus", "stü", "tür "]],
])("of %s are %j", (word, expected) => {
  expect(wordNgrams(word).map(read)).toEqual(expected);
});

it("are of the first 70 bytes", () => {
  const longest = wordNgrams("a".repeat(70));
  expect(wordNgrams("a".repeat(70) + "b")).toEqual(longest);
  expect(wordNgrams("a".repeat(69) + "b")).not.toEqual(longest);
});

it("have the order of their bytes", () => {
  const numbers = [[32, 97], [32, 97, 1], [32, 98], [255, 255, 255, 255, 255, 255]].map(ngramNumber);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(numbers.at(-1)).toBe(2 ** 48 - 1);
});

it("are of words, in which an apostrophe may be", () => {
  expect("geht's so – ja".split(wordPattern("a-z'"))).toEqual(["geht's", "so", "ja"]);
});
