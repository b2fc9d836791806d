import { beforeAll, expect, it } from "vitest";
import type { FrameState } from "../../../extension/src/messages.ts";

const state = (phase: FrameState["phase"], total: number, done: number, failed: number): FrameState => ({
  phase, total, done, failed, error: null, pair: null, foreign: [], closed: 0, engine: null,
});
let progressText: (state: FrameState) => string;

beforeAll(async () => {
  const getMessage = (name: string, values: string[]): string => (name === "language" ? "en" : [name, ...values].join(" "));
  Object.assign(globalThis, { chrome: { i18n: { getMessage } } });
  ({ progressText } = await import("../../../extension/src/progress.ts"));
});

it.each([
  ["translating", 5, 0, 0, "starting"],
  ["translating", 5, 2, 0, "progressOf 2 5"],
  ["translated", 5, 5, 0, "translated"],
  ["translated", 5, 4, 1, "translatedBut_one 1"],
  ["translated", 5, 3, 2, "translatedBut_other 2"],
  ["translated", 5, 0, 5, "allFailed"],
  ["translated", 0, 0, 0, "nothingFound"],
] as const)("%s, %d parts, %d done, %d failed: %s", (phase, total, done, failed, text) => {
  expect(progressText(state(phase, total, done, failed))).toBe(text);
});
