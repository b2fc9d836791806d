import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hypothesisAt, sentenceOf, withHypothesis, wordsOfSentence } from "../../../../web/src/ui/choices/sentences.ts";
import type { TermUse, TranslationResponse } from "../../../../web/src/wire/protocol.ts";
import { hypothesis, TEXT, TRANSLATED } from "./values.ts";

describe("sentenceOf", () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [5, 1],
    [6, undefined],
  ])("word %i: sentence %s", (word, sentence) => {
    expect(sentenceOf(TRANSLATED, word)).toBe(sentence);
  });

  it("has none without words", () => {
    expect(sentenceOf({ ...TRANSLATED, alignment: null }, 0)).toBeUndefined();
  });
});

describe("wordsOfSentence", () => {
  it("are a run of the whole text's", () => {
    expect(wordsOfSentence(TRANSLATED, 0)).toEqual([0, 2]);
    expect(wordsOfSentence(TRANSLATED, 1)).toEqual([2, 6]);
  });
});

describe("hypothesisAt", () => {
  it("has ranges in the sentence's own texts", () => {
    expect(hypothesisAt(TRANSLATED, 1)).toEqual({
      text: "It is fine.",
      score: 0.5,
      doubtful: true,
      alignment: {
        sourceWords: [[0, 2], [3, 6], [7, 12], [12, 13]],
        targetWords: [[0, 2], [3, 5], [6, 10], [10, 11]],
        links: [[0, 0], [1, 1], [2, 2], [3, 3]],
        scores: [0.7, 0.6, 0.5, 0.4],
      },
    });
  });

  it("refuses a sentence that there is not", () => {
    expect(() => hypothesisAt(TRANSLATED, 2)).toThrow("there is no sentence 2 among 2");
  });
});

describe("withHypothesis", () => {
  it("moves what follows, in the text, its sentences, words and links", () => {
    const changed = withHypothesis(TRANSLATED, 0, hypothesis("Oh yes!", 0.3, true));
    expect(changed.text).toBe("Oh yes!  It is fine.");
    expect(changed.sentences).toEqual([
      { source: [0, 3], target: [0, 7], score: 0.3, doubtful: true },
      { source: [4, 17], target: [9, 20], score: 0.5, doubtful: true },
    ]);
    expect(changed.alignment).toEqual({
      sourceWords: TRANSLATED.alignment?.sourceWords,
      targetWords: [[0, 2], [3, 6], [6, 7], [9, 11], [12, 14], [15, 19], [19, 20]],
      links: [[0, 0], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6]],
      scores: [0.3, 0.3, 0.3, 0.7, 0.6, 0.5, 0.4],
    });
    expect(TRANSLATED.text).toBe("Yes!  It is fine.");
  });

  it("leaves what is before as it is, and takes an empty translation", () => {
    const none = { text: "", score: 1, doubtful: false, alignment: { ...hypothesis("").alignment, links: [] } };
    const changed = withHypothesis(TRANSLATED, 1, none);
    expect(changed.text).toBe("Yes!  ");
    expect(changed.sentences[0]).toEqual(TRANSLATED.sentences[0]);
    expect(changed.sentences[1]?.target).toEqual([6, 6]);
    expect(changed.alignment?.targetWords).toEqual([[0, 3], [3, 4]]);
    expect(changed.alignment?.links).toEqual([[0, 0], [1, 1]]);
  });

  it("puts back what was taken out", () => {
    const changed = withHypothesis(TRANSLATED, 0, hypothesis("Oh dear, yes indeed!"));
    expect(withHypothesis(changed, 0, hypothesisAt(TRANSLATED, 0))).toEqual(TRANSLATED);
  });

  describe("the places of terms", () => {
    const term = (source: string, target: string) => ({ source, target });
    const USES: readonly TermUse[] = [
      { term: term("ja", "yes"), outcome: "said", source: [0, 2], target: [0, 3] },
      { term: term("schön", "fine"), outcome: "forced", source: [11, 16], target: [12, 16] },
    ];
    const response = { ...TRANSLATED, terms: USES };
    const marked = ({ text, terms }: TranslationResponse) => terms?.map(({ target }) => target && text.slice(...target));

    it("move behind the sentence, and are looked for in it", () => {
      const changed = withHypothesis(response, 0, hypothesis("Oh dear, yes!"));
      expect(marked(changed)).toEqual(["yes", "fine"]);
      expect(changed.terms?.[1]).toEqual({ ...USES[1], target: [21, 25] });
      expect(marked(withHypothesis(response, 1, hypothesis("Fine it is, refined")))).toEqual(["Yes", "Fine"]);
    });

    it("are none where the sentence has them no more, until it has again", () => {
      const changed = withHypothesis(response, 0, hypothesis("Indeed, yesterday!"));
      expect(changed.terms?.[0]).toEqual({ ...USES[0], outcome: "missed", target: null });
      expect(marked(changed)).toEqual([null, "fine"]);
      expect(marked(withHypothesis(changed, 0, hypothesis("Yes, oh yes!")))).toEqual(["Yes", "fine"]);
      expect(withHypothesis(changed, 0, hypothesisAt(response, 0))).toEqual(response);
    });

    it("are not the same for two terms", () => {
      const twice = [...USES.slice(0, 1), { ...USES[0], source: [2, 3], target: null } as TermUse];
      const changed = withHypothesis({ ...TRANSLATED, terms: twice }, 0, hypothesis("Yes, yes and yes!"));
      expect(changed.terms?.map(({ target }) => target)).toEqual([[0, 3], [5, 8]]);
    });

    it("are right behind a letter that is longer when it is small", () => {
      const changed = withHypothesis(response, 0, hypothesis("İ say yes!"));
      expect(marked(changed)).toEqual(["yes", "fine"]);
    });
  });

  it("keeps every link between the same two words, whatever is chosen in which order", () => {
    const words = fc.array(fc.constantFrom("yes", "oh", "no", "🦉", "schön", "!"), { minLength: 1, maxLength: 6 });
    fc.assert(fc.property(fc.array(fc.tuple(fc.nat(1), words), { maxLength: 5 }), (choices) => {
      let changed = TRANSLATED;
      const said = ["Yes!", "It is fine."];
      for (const [index, chosen] of choices) {
        const { sourceWords } = hypothesisAt(changed, index).alignment;
        const text = chosen.join(" ");
        const last = chosen.length - 1;
        const alignment = { ...hypothesis(text).alignment, sourceWords, links: [[0, last]] as const };
        let at = 0;
        const targetWords = chosen.map((word) => {
          const range = [at, at + word.length] as const;
          at += word.length + 1;
          return range;
        });
        changed = withHypothesis(changed, index, { text, score: 0.5, doubtful: false, alignment: { ...alignment, targetWords, scores: chosen.map(() => 0.5) } });
        said[index] = text;
        expect(linked(changed)).toContainEqual([["Ja", "Es"][index], chosen[last]]);
      }
      expect(changed.text).toBe(said.join("  "));
      expect(changed.sentences.map(({ target: [start, end] }) => changed.text.slice(start, end))).toEqual(said);
      expect(changed.alignment?.scores.length).toBe(changed.alignment?.targetWords.length);
    }));
  });
});

/** The words that a response links. */
function linked({ text, alignment }: TranslationResponse): readonly (readonly [string, string])[] {
  return (alignment?.links ?? []).map(([source, target]) => [
    TEXT.slice(...(alignment?.sourceWords[source] ?? [0, 0])),
    text.slice(...(alignment?.targetWords[target] ?? [0, 0])),
  ]);
}
