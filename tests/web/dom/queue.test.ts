import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TranslationQueue } from "../../../web/src/dom/queue.ts";
import type { Block, BlockHandle, BlockTranslator, TranslatedBlock } from "../../../web/src/dom/units/blocks.ts";
import type { Nearness } from "../../../web/src/dom/visibility.ts";
import { deferred, type Deferred } from "../../../web/src/base/deferred.ts";

interface TestJob {
  readonly block: Block;
}

interface Sent {
  readonly text: string;
  readonly told: string[];
  readonly end: Deferred<TranslatedBlock>;
}

let sent: Sent[];
let heard: unknown[];
let unwanted: Set<TestJob>;
let queue: TranslationQueue<TestJob>;

const translator: BlockTranslator = {
  submit(block: Block, nearness: Nearness): BlockHandle {
    const [told, end] = [[nearness as string], deferred<TranslatedBlock>()];
    sent.push({ text: block.text, told, end });
    return {
      result: end.promise,
      prioritize: (to: Nearness) => void told.push(to),
      cancel: () => void told.push("cancelled"),
    };
  },
};

beforeEach(() => {
  [sent, heard, unwanted] = [[], [], new Set()];
  queue = new TranslationQueue(translator, {
    ondone: ({ block }, { text }) => void heard.push([block.text, text]),
    onfailed: ({ block }, error) => void heard.push([block.text, error]),
    isWanted: (job) => !unwanted.has(job),
  });
});

afterEach(() => { vi.useRealTimers(); });

function job(text: string): TestJob {
  return { block: { text } as Block };
}

function add(count: number, nearness: Nearness): TestJob[] {
  const jobs = Array.from({ length: count }, (_, at) => job(`${nearness} ${at}`));
  for (const each of jobs) queue.add(each, nearness);
  return jobs;
}

it("starts what is seen first, and of the rest as many as there is room for", () => {
  add(100, "background");
  add(100, "near");
  add(70, "visible");
  queue.pump();
  expect(sent.slice(0, 70).every(({ told }) => told[0] === "visible")).toBe(true);
  expect(sent.slice(70).every(({ told }) => told[0] === "near")).toBe(true);
  expect(sent.length).toBe(128);
  expect([queue.size, queue.visible]).toEqual([270, 70]);
});

it("starts all that is seen, whatever is under way", () => {
  add(64, "background");
  queue.pump();
  add(200, "visible");
  queue.pump();
  expect(sent.length).toBe(264);
});

it("tells of results and failures, and has room again", async () => {
  const [first, second, third] = add(3, "visible") as [TestJob, TestJob, TestJob];
  queue.pump();
  sent[0]?.end.resolve({ text: "eins" } as TranslatedBlock);
  sent[1]?.end.reject("broken");
  await Promise.resolve();
  expect(heard).toEqual([[first.block.text, "eins"], [second.block.text, "broken"]]);
  expect(queue.size).toBe(1);
  queue.setNearness(first, "near"); // It is over.
  queue.setNearness(third, "near");
  expect(sent.map(({ told }) => told)).toEqual([["visible"], ["visible"], ["visible", "near"]]);
});

it("moves what waits to another place", () => {
  const [waiting] = add(1, "background") as [TestJob];
  queue.setNearness(waiting, "visible");
  queue.pump();
  expect(sent.map(({ told }) => told)).toEqual([["visible"]]);
});

it("drops what nobody wants when it would be sent", () => {
  const [one] = add(2, "near") as [TestJob, TestJob];
  unwanted.add(one);
  queue.pump();
  expect(sent.map(({ text }) => text)).toEqual(["near 1"]);
  expect(queue.size).toBe(1);
});

it("drops the result of what was taken back", async () => {
  const [one] = add(1, "near") as [TestJob];
  queue.pump();
  queue.remove(one);
  sent[0]?.end.resolve({ text: "eins" } as TranslatedBlock);
  await Promise.resolve();
  expect([heard, queue.size, sent[0]?.told]).toEqual([[], 0, ["near", "cancelled"]]);
});

it("starts nothing while it is paused, and what is under way is background", () => {
  const [one] = add(1, "visible") as [TestJob];
  queue.pump();
  queue.paused = true;
  add(1, "near");
  queue.pump();
  queue.setNearness(one, "near"); // Told when it goes on.
  expect(sent.map(({ told }) => told)).toEqual([["visible", "background"]]);
  queue.paused = false;
  expect(sent.map(({ told }) => told)).toEqual([["visible", "background", "near"], ["near"]]);
});

it("tries again a little later where the translator is full", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  add(1, "near");
  queue.pump();
  sent[0]?.end.reject({ code: "queue-full" });
  await vi.advanceTimersByTimeAsync(199);
  queue.pump();
  expect([sent.length, heard, queue.size]).toEqual([1, [], 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent.length).toBe(2);
});

it("cancels everything when it is stopped", () => {
  add(70, "background");
  queue.pump();
  queue.stop();
  queue.pump();
  expect(sent.every(({ told }) => told.at(-1) === "cancelled")).toBe(true);
  expect([sent.length, queue.size]).toEqual([64, 0]);
});
