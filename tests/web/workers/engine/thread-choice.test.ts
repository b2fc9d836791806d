import { describe, expect, it } from "vitest";
import { ThreadChoice } from "../../../../web/src/workers/engine/thread-choice.ts";

/** Mini-batches of 32 rows and 1,000 cells, until nothing is measured any more; the threads of each. */
function batches(choice: ThreadChoice, milliseconds: (threads: number) => number, count = 40): number[] {
  return Array.from({ length: count }, () => {
    const threads = choice.threadsFor(32);
    choice.took(threads, 32, 1000, milliseconds(threads));
    return threads;
  });
}

describe("the number of threads", () => {
  it("stays where half of them are slower", () => {
    const chosen: number[] = [];
    const choice = new ThreadChoice(4, (threads) => chosen.push(threads));
    const used = batches(choice, (threads) => 100 / threads);
    expect(used.slice(0, 12)).toEqual([4, 4, 4, 4, 4, 4, 4, 2, 4, 2, 4, 2]);
    expect(used.slice(12)).toEqual(Array(28).fill(4));
    expect(chosen).toEqual([4]);
  });

  it("is halved as long as that is as fast", () => {
    const chosen: number[] = [];
    const choice = new ThreadChoice(4, (threads) => chosen.push(threads));
    const used = batches(choice, (threads) => (threads === 4 ? 51 : 100 / threads));
    expect(chosen).toEqual([2]);
    expect(used.at(-1)).toBe(2);
    expect(choice.threads).toBe(2);
  });

  it("is one where threads gain nothing", () => {
    const chosen: number[] = [];
    batches(new ThreadChoice(3, (threads) => chosen.push(threads)), () => 70);
    expect(chosen).toEqual([1]);
  });

  it("stays where the browser's clock is too coarse to tell", () => {
    const chosen: number[] = [];
    batches(new ThreadChoice(4, (threads) => chosen.push(threads)), () => 0);
    expect(chosen).toEqual([4]);
  });

  it("is not measured on few rows, nor where there is one or it was asked for", () => {
    const chosen: number[] = [];
    const choice = new ThreadChoice(2, (threads) => chosen.push(threads));
    for (let run = 0; run < 40; run++) choice.took(choice.threadsFor(7), 7, 100, 5);
    expect(choice.threadsFor(7)).toBe(2);
    batches(new ThreadChoice(1, (threads) => chosen.push(threads)), () => 70);
    const fixed = ThreadChoice.fixed(3);
    expect(new Set(batches(fixed, () => 70))).toEqual(new Set([3]));
    expect(chosen).toEqual([]);
  });

  it("is not thrown by a mini-batch that something held up", () => {
    const choice = new ThreadChoice(2, () => undefined);
    let run = 0;
    batches(choice, (threads) => (threads === 2 && run++ === 8 ? 900 : 100 / threads));
    expect(choice.threads).toBe(2);
  });

  it("compares cells, not mini-batches", () => {
    const choice = new ThreadChoice(2, () => undefined);
    for (let run = 0; run < 40; run++) {
      const threads = choice.threadsFor(32);
      const cells = threads === 2 ? 4000 : 1000;
      choice.took(threads, 32, cells, (threads === 2 ? 0.05 : 0.1) * cells);
    }
    expect(choice.threads).toBe(2);
  });
});
