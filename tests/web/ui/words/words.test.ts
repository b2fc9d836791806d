import { describe, expect, it } from "vitest";
import { countWords, Links, markedWords, stretches, wordAt, wordsWithin } from "../../../../web/src/ui/words/words.ts";

describe("stretches", () => {
  it("covers the text exactly, words and what is between", () => {
    const result = stretches("Guten Morgen!", [
      [0, 5],
      [6, 12],
      [12, 13],
    ]);
    expect(result).toEqual([
      { text: "Guten", word: 0 },
      { text: " ", word: null },
      { text: "Morgen", word: 1 },
      { text: "!", word: 2 },
    ]);
  });

  it("cuts by UTF-16 code units: emoji, combining marks, lone surrogates", () => {
    const family = "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}"; // 8 code units, one grapheme.
    const text = `${family} scho\u0308n \ud83d x`;
    const result = stretches(text, [
      [0, 8],
      [9, 15],
      [16, 17],
    ]);
    expect(result.map((stretch) => stretch.text)).toEqual([family, " ", "scho\u0308n", " ", "\ud83d", " x"]);
    expect(result.map((stretch) => stretch.text).join("")).toBe(text);
  });

  it.each([
    ["", [], []],
    [" ", [], [{ text: " ", word: null }]],
    ["ja", [], [{ text: "ja", word: null }]],
    ["ja", [[0, 2]], [{ text: "ja", word: 0 }]],
  ] as const)("of %j", (text, words, expected) => {
    expect(stretches(text, words)).toEqual(expected);
  });

  it("leaves out a word without text", () => {
    expect(stretches("ab", [[1, 1]])).toEqual([
      { text: "a", word: null },
      { text: "b", word: null },
    ]);
  });
});

describe("wordAt", () => {
  const words = [
    [0, 5],
    [6, 12],
    [12, 13],
  ] as const;

  it.each([
    [0, 0],
    [5, 0],
    [6, 1],
    [12, 2],
    [13, 2],
    [14, undefined],
  ])("caret at %i: word %s", (offset, word) => {
    expect(wordAt(words, offset)).toBe(word);
  });

  it("finds nothing where there is nothing", () => {
    expect(wordAt([], 0)).toBeUndefined();
    expect(wordAt([[3, 4]], 1)).toBeUndefined();
  });
});

describe("Links", () => {
  it("looks up in both directions", () => {
    const links = new Links([
      [0, 0],
      [0, 1],
      [2, 1],
    ]);
    expect(links.of("source", 0)).toEqual([0, 1]);
    expect(links.of("target", 1)).toEqual([0, 2]);
    expect(links.of("source", 1)).toEqual([]);
  });
});

describe("countWords", () => {
  it.each([
    ["", 0],
    [" , . ! 😊", 0],
    ["Das ist's, E-Mail 3,5!", 5],
    ["schön", 1],
  ])("%j has %i", (text, words) => {
    expect(countWords(text)).toBe(words);
  });
});

describe("wordsWithin", () => {
  const words = [
    [0, 3],
    [4, 8],
    [9, 10],
    [11, 14],
  ] as const;

  it("has the words that begin in a range, and no others", () => {
    expect([...wordsWithin(words, [[4, 10]])]).toEqual([1, 2]);
    expect([
      ...wordsWithin(words, [
        [0, 4],
        [10, 14],
      ]),
    ]).toEqual([0, 3]);
  });

  it("has none where there is no range, or no word", () => {
    expect(wordsWithin(words, []).size).toBe(0);
    expect(wordsWithin([], [[0, 4]]).size).toBe(0);
    expect(wordsWithin(words, [[14, 20]]).size).toBe(0);
  });
});

it("marks the words of terms, and before them those of a memory", () => {
  const texts = { remembered: "known", term: ({ source, target }: { readonly source: string; readonly target: string }) => `${source}=${target}` };
  const response = {
    text: "A train. Hi",
    sentences: [{ source: [0, 7], target: [0, 8], score: 1, doubtful: false }, { source: [8, 10], target: [9, 11], score: 1, doubtful: false, fromMemory: true }],
    alignment: { sourceWords: [], targetWords: [[0, 1], [2, 7], [7, 8], [9, 11]], links: [], scores: [] },
    terms: [
      { term: { source: "Zug", target: "train" }, outcome: "forced", source: [4, 7], target: [2, 7] },
      { term: { source: "Hut", target: "hat" }, outcome: "missed", source: [0, 3], target: null },
    ],
    soft: null, content: null, warnings: [], timings: { queued: 0, tokenize: 0, engine: 0, assemble: 0, total: 0 },
  } as const;
  expect([...markedWords(response, texts)]).toEqual([[1, { name: "term", note: "Zug=train" }], [3, { name: "remembered", note: "known" }]]);
});
