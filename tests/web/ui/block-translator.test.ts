import { describe, expect, it } from "vitest";
import { blockTranslator, type TextEngine } from "../../../web/src/ui/block-translator.ts";
import type { SentenceTranslation, TranslationResponse } from "../../../web/src/wire/protocol.ts";

/** Answers with sentences of these scores; below 0.5 they are doubtful. */
function engine(...scores: readonly number[]): TextEngine {
  const sentences = scores.map((score): SentenceTranslation => ({ source: [0, 3], target: [0, 2], score, doubtful: score < 0.5 }));
  const result = Promise.resolve({ text: "Go", sentences } as unknown as TranslationResponse);
  return { submit: () => ({ result, prioritize: () => undefined, cancel: () => undefined }) };
}

describe("a block's doubt", () => {
  it.each([
    [[0.9], { text: "Go", content: [[0, 2]] }],
    [[0.9, 0.4, 0.1], { text: "Go", content: [[0, 2]], doubt: 0.1 }],
  ])("of sentences with scores %j", async (scores, expected) => {
    const { result } = blockTranslator(engine(...scores)).submit({ text: "Los", elements: [] }, "visible");
    expect(await result).toEqual(expected);
  });
});
