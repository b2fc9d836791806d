// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WorkingBar } from "../../../../web/demo/panes/working-bar.ts";

const onshown = vi.fn();
let bar: HTMLProgressElement;
let working: WorkingBar;

beforeEach(() => {
  vi.useFakeTimers();
  onshown.mockClear();
  bar = document.createElement("progress");
  bar.hidden = true;
  working = new WorkingBar(bar);
});

afterEach(() => {
  vi.useRealTimers();
});

it("is shown once a translation takes a while", () => {
  working.begin(onshown);
  expect(working.set(1, 4)).toBe(false);
  vi.advanceTimersByTime(150);
  working.begin(onshown); // It goes on: nobody waits anew.
  vi.advanceTimersByTime(50);
  expect([bar.hidden, working.set(2, 4), bar.value, bar.max]).toEqual([false, true, 2, 4]);
  expect(onshown).toHaveBeenCalledOnce();
});

it("is not shown of one that was there soon, and forgets how far it was", () => {
  working.begin(onshown);
  working.set(3, 4);
  working.end();
  vi.advanceTimersByTime(1_000);
  expect([bar.hidden, bar.hasAttribute("value"), onshown.mock.calls.length]).toEqual([true, false, 0]);
});
