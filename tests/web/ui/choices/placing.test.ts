import { describe, expect, it } from "vitest";
import { placed } from "../../../../web/src/ui/choices/placing.ts";

const VIEW = { width: 1000, height: 800 };
const word = (left: number, top: number) => ({ left, top, bottom: top + 20 });

describe("placed", () => {
  it.each([
    ["below where there is room", word(100, 200), { left: 100, top: 228, maxHeight: 480 }],
    ["above where there is more", word(100, 600), { left: 100, top: 392, maxHeight: 480 }],
    ["inside of the right edge", word(900, 200), { left: 592, top: 228, maxHeight: 480 }],
    ["inside of the left edge", word(-40, 200), { left: 8, top: 228, maxHeight: 480 }],
  ])("%s", (_, anchor, expected) => {
    expect(placed(anchor, { width: 400, height: 200 }, VIEW)).toEqual(expected);
  });

  it("is no higher than the room on its side, in a low window", () => {
    expect(placed(word(0, 150), { width: 300, height: 500 }, { width: 360, height: 300 })).toEqual({ left: 8, top: 8, maxHeight: 134 });
  });

  it("keeps its side while it grows", () => {
    const [low, high] = [50, 400].map((height) => placed(word(100, 500), { width: 400, height }, VIEW));
    expect([low?.top, high?.top]).toEqual([442, 92]);
  });
});
