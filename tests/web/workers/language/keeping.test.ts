/** When news of the cache are taken and written. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Keeping } from "../../../../web/src/workers/language/keeping.ts";
import type { SentenceNews } from "../../../../web/src/stores/sentence-store.ts";

let news: number[] = [];
let written: number[][] = [];
let busy = false;
let failures: unknown[] = [];

function make(): Keeping {
  return new Keeping({
    take: (most) => news.splice(0, most) as unknown as SentenceNews[],
    write: async (batch) => {
      await new Promise((resolve) => { setTimeout(resolve, 10); });
      written.push(batch as unknown as number[]);
    },
    isBusy: () => busy,
    onfailed: (error) => failures.push(error),
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  [news, written, busy, failures] = [[], [], false, []];
});

afterEach(() => {
  vi.useRealTimers();
});

it("writes all of it, in batches, soon after the last request has ended", async () => {
  const keeping = make();
  news = [...Array(70).keys()];
  keeping.touch();
  keeping.touch();
  await vi.advanceTimersByTimeAsync(1000);
  expect(written.map((batch) => batch.length)).toEqual([32, 32, 6]);
  expect(written.flat()).toEqual([...Array(70).keys()]);
  expect(vi.getTimerCount()).toBe(0);
});

it("takes one batch a second while somebody waits", async () => {
  const keeping = make();
  busy = true;
  news = [...Array(70).keys()];
  keeping.touch();
  await vi.advanceTimersByTimeAsync(1015);
  expect(written.length).toBe(1);
  await vi.advanceTimersByTimeAsync(1015);
  expect(written.length).toBe(2);
});

it("asks for nothing when nothing has ended", async () => {
  make();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toEqual([]);
});

it("settles when what is being written is written, and takes no more", async () => {
  const keeping = make();
  news = [...Array(40).keys()];
  keeping.touch();
  await vi.advanceTimersByTimeAsync(55);
  const settled = keeping.settled();
  await vi.advanceTimersByTimeAsync(5000);
  await settled;
  expect(written.map((batch) => batch.length)).toEqual([32]);
});

it("says when the core cannot be asked", async () => {
  const keeping = new Keeping({
    take: () => {
      throw new Error("the interpreter is gone");
    },
    write: () => Promise.resolve(),
    isBusy: () => false,
    onfailed: (error) => failures.push(error),
  });
  keeping.touch();
  await vi.advanceTimersByTimeAsync(100);
  expect(failures).toEqual([new Error("the interpreter is gone")]);
});
