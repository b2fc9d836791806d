import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Silence } from "../../../web/src/base/silence.ts";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

it("is told of once, after so long without a sign", () => {
  const ontoolong = vi.fn();
  const silence = new Silence(2, ontoolong);
  vi.advanceTimersByTime(1_999);
  silence.heard();
  vi.advanceTimersByTime(1_999);
  expect(ontoolong).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10_000);
  expect(ontoolong).toHaveBeenCalledTimes(1);
});

it("is not told of once it has ended, whatever is heard then", () => {
  const ontoolong = vi.fn();
  const silence = new Silence(2, ontoolong);
  silence.end();
  silence.heard();
  vi.advanceTimersByTime(10_000);
  expect(ontoolong).not.toHaveBeenCalled();
});
