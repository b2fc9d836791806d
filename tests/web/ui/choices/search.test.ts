import { describe, expect, it } from "vitest";
import { isReplaceable, otherSentences, otherWords, type Translate } from "../../../../web/src/ui/choices/search.ts";
import type { TranslationResponse } from "../../../../web/src/wire/protocol.ts";
import { RESPONSE } from "../../support/values.ts";
import { hypothesis, rangesOf } from "./values.ts";

const SAID = hypothesis("It is fine.");
const ASKED = { sentence: "Es ist schön.", said: SAID };
const SIGNAL = new AbortController().signal;

/** A response to one sentence: the first, and the others. */
function saying(first: string, ...others: readonly string[]): TranslationResponse {
  const words = (text: string) => ({ targetWords: rangesOf(text), links: [], scores: rangesOf(text).map(() => 0.5) });
  const alternatives = others.map((text) => ({ text, score: 0.4, doubtful: text.includes("?"), ...words(text) }));
  return {
    ...RESPONSE,
    text: first,
    sentences: [{ source: [0, 13], target: [0, first.length], score: 0.8, doubtful: false, alternatives }],
    alignment: { sourceWords: rangesOf("Es ist schön."), ...words(first) },
  };
}

/** What was asked of a translator that answers with `response`. */
function asking(response: TranslationResponse): { readonly translate: Translate; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    translate: async (text, { alternatives, prefix }) => {
      asked.push({ text, alternatives, prefix });
      return Promise.resolve(response);
    },
  };
}

describe("otherSentences", () => {
  it("are what is not said yet, each with its own score", async () => {
    const { translate, asked } = asking(saying("It's fine.", "It is fine.", "It is good?", "Fine it is."));
    const sentences = await otherSentences(translate, ASKED, SIGNAL);
    expect(asked).toEqual([{ text: "Es ist schön.", alternatives: 3, prefix: undefined }]);
    expect(sentences.map(({ text, score, doubtful }) => [text, score, doubtful])).toEqual([
      ["It's fine.", 0.8, false],
      ["It is good?", 0.4, true],
      ["Fine it is.", 0.4, false],
    ]);
  });

  it("have the words of the sentence that they are of", async () => {
    const { translate } = asking(saying("It is fine.", "Fine it is."));
    const [sentence] = await otherSentences(translate, ASKED, SIGNAL);
    expect(sentence?.alignment.sourceWords).toEqual([[0, 2], [3, 6], [7, 12], [12, 13]]);
    expect(sentence?.alignment.targetWords).toEqual([[0, 4], [5, 7], [8, 10], [10, 11]]);
  });
});

describe("otherWords", () => {
  it("begin with what is before the word, and say another one there", async () => {
    const { translate, asked } = asking(saying("It is fine.", "It is good today.", "It is good.", "It is"));
    const words = await otherWords(translate, ASKED, 2, SIGNAL);
    expect(asked).toEqual([{ text: "Es ist schön.", alternatives: 4, prefix: "It is " }]);
    expect(words.map(({ word, rest, hypothesis: { text } }) => [word, rest, text])).toEqual([
      ["good", " today.", "It is good today."],
      ["", "", "It is"],
    ]);
  });

  it("asks with an empty prefix for the first word", async () => {
    const { translate, asked } = asking(saying("It is fine.", "That is fine."));
    const words = await otherWords(translate, ASKED, 0, SIGNAL);
    expect(asked).toEqual([{ text: "Es ist schön.", alternatives: 4, prefix: "" }]);
    expect(words.map(({ word, rest }) => [word, rest])).toEqual([["That", " is fine."]]);
  });
});

describe("isReplaceable", () => {
  it.each([["lake", true], ["3", true], ["Ö", true], [".", false], ["“", false], ["🦉", false]])("%j: %j", (word, expected) => {
    expect(isReplaceable(word)).toBe(expected);
  });
});
