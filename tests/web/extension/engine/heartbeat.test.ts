import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { heartbeat } from "../../../../extension/src/engine/heartbeat.ts";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

it("beats while bytes come, each of which says that it is busy", () => {
  let beats = 0;
  const tell = heartbeat(() => { beats += 1; });
  for (let time = 0; time < 60_000; time += 150) {
    tell(true);
    vi.advanceTimersByTime(150);
  }
  expect(beats).toBe(3);
  tell(false);
  vi.advanceTimersByTime(60_000);
  expect(beats).toBe(3);
  tell(true);
  vi.advanceTimersByTime(20_000);
  expect(beats).toBe(4);
});
