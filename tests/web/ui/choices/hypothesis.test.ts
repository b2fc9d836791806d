import { describe, expect, it } from "vitest";
import { hypothesesOf, wordsOf } from "../../../../web/src/ui/choices/hypothesis.ts";
import { hypothesis, TRANSLATED } from "./values.ts";

describe("hypothesesOf", () => {
  it("is one of what came in several parts, with the worst of their scores", () => {
    const hypotheses = hypothesesOf(TRANSLATED);
    expect(hypotheses.map(({ text, score, doubtful }) => [text, score, doubtful])).toEqual([["Yes!  It is fine.", 0.5, true]]);
    expect(hypotheses[0]?.alignment).toBe(TRANSLATED.alignment);
  });

  it("has no words where there is no alignment", () => {
    expect(hypothesesOf({ ...TRANSLATED, alignment: null })[0]?.alignment.targetWords).toEqual([]);
  });
});

describe("wordsOf", () => {
  it("are those of its own text", () => {
    expect(wordsOf(hypothesis("Oh yes!"))).toEqual(["Oh", "yes", "!"]);
  });
});
