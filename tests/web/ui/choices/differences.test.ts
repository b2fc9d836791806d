import { describe, expect, it } from "vitest";
import { differing } from "../../../../web/src/ui/choices/differences.ts";

describe("differing", () => {
  it.each([
    ["The weather is beautiful .", "The weather is nice .", [3]],
    ["It is nice today", "Today it is nice", [0, 1]],
    ["we will go to the lake", "we go to the lake", []],
    ["we go to the lake", "we will go to the lake", [1]],
    ["a b a b", "b a b a", [3]],
    ["", "Yes !", [0, 1]],
    ["Yes !", "", []],
    ["Yes", "Yes", []],
  ])("%j: of %j %j", (said, other, expected) => {
    const words = (text: string): readonly string[] => text.split(" ").filter(Boolean);
    expect([...differing(words(said), words(other))]).toEqual(expected);
  });
});
