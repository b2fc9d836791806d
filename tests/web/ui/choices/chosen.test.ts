import { describe, expect, it } from "vitest";
import { ChosenSentences, type Translated } from "../../../../web/src/ui/choices/chosen.ts";
import { hypothesisAt, withHypothesis } from "../../../../web/src/ui/choices/sentences.ts";
import { hypothesis, TEXT, TRANSLATED } from "./values.ts";

const FIRST: Translated = { text: TEXT, response: TRANSLATED };

/** "Ja! Ja!" as "Yes! Yes!". */
const TWICE: Translated = {
  text: "Ja! Ja!",
  response: {
    ...TRANSLATED,
    text: "Yes! Yes!",
    sentences: [0, 1].map((index) => ({
      source: [4 * index, 4 * index + 3],
      target: [5 * index, 5 * index + 4],
      score: 0.9,
      doubtful: false,
    })),
    alignment: null,
  },
};

describe("ChosenSentences", () => {
  it("changes one sentence and remembers what it was", () => {
    const chosen = new ChosenSentences();
    const response = chosen.choose(FIRST, 0, hypothesis("Sure!"));
    expect(response.text).toBe("Sure!  It is fine.");
    expect(chosen.first({ text: TEXT, response }, 0)).toEqual(hypothesisAt(TRANSLATED, 0));
    expect(chosen.first({ text: TEXT, response }, 1)).toBeUndefined();
  });

  it("holds in the next translation of a text that still has the sentence, and is forgotten with it", () => {
    const chosen = new ChosenSentences();
    chosen.choose(FIRST, 0, hypothesis("Sure!"));
    expect(chosen.apply(FIRST).text).toBe("Sure!  It is fine.");
    const other: Translated = { text: TEXT.replace("Ja!", "No!"), response: TRANSLATED };
    expect(chosen.apply(other).text).toBe("Yes!  It is fine.");
    expect(chosen.apply(FIRST).text).toBe("Yes!  It is fine.");
  });

  it("is restored by the first, however often another one was chosen", () => {
    const chosen = new ChosenSentences();
    let response = chosen.choose(FIRST, 0, hypothesis("Sure!"));
    response = chosen.choose({ text: TEXT, response }, 0, hypothesis("Indeed yes!"));
    const first = chosen.first({ text: TEXT, response }, 0);
    expect(first?.text).toBe("Yes!");
    response = chosen.choose({ text: TEXT, response }, 0, first ?? hypothesis(""));
    expect(response).toEqual(TRANSLATED);
    expect(chosen.first({ text: TEXT, response }, 0)).toBeUndefined();
    expect(chosen.apply(FIRST)).toEqual(TRANSLATED);
  });

  it("tells apart sentences that say the same", () => {
    const chosen = new ChosenSentences();
    expect(chosen.choose(TWICE, 1, hypothesis("Sure!")).text).toBe("Yes! Sure!");
    expect(chosen.apply(TWICE).text).toBe("Yes! Sure!");
    expect(chosen.first(TWICE, 0)).toBeUndefined();
  });

  it("is empty after clear", () => {
    const chosen = new ChosenSentences();
    chosen.choose(FIRST, 0, hypothesis("Sure!"));
    chosen.clear();
    expect(chosen.apply(FIRST)).toBe(TRANSLATED);
    expect(withHypothesis(TRANSLATED, 0, hypothesisAt(TRANSLATED, 0))).toEqual(TRANSLATED);
  });
});
