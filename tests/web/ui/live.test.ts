import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LiveTranslation, type LiveState, type TranslateFunction } from "../../../web/src/ui/live.ts";
import { deferred, type Deferred } from "../../../web/src/base/deferred.ts";
import type { TranslationResponse } from "../../../web/src/wire/protocol.ts";
import { RESPONSE } from "../support/values.ts";

interface Started {
  readonly text: string;
  readonly signal: AbortSignal;
  readonly onprogress: Parameters<TranslateFunction>[1]["onprogress"];
  readonly answer: Deferred<TranslationResponse>;
}

let started: Started[];
let states: LiveState[];
let live: LiveTranslation;

beforeEach(() => {
  vi.useFakeTimers();
  started = [];
  states = [];
  live = new LiveTranslation(
    (text, { signal, onprogress }) => {
      const answer = deferred<TranslationResponse>();
      signal.addEventListener("abort", () => { answer.reject(signal.reason); });
      started.push({ text, signal, onprogress, answer });
      return answer.promise;
    },
    (state) => states.push(state),
  );
});

afterEach(() => {
  vi.useRealTimers();
});

function nth(index: number): Started {
  const call = started[index];
  if (!call) throw new Error(`translation ${index} was not started`);
  return call;
}

const names = (): string[] => states.map(({ name }) => name);

describe("LiveTranslation", () => {
  it("waits until typing pauses", async () => {
    live.update("G");
    await vi.advanceTimersByTimeAsync(200);
    live.update("Gu");
    await vi.advanceTimersByTimeAsync(249);
    expect(started).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(started.map(({ text }) => text)).toEqual(["Gu"]);
  });

  it("does not wait longer than a second in all", async () => {
    for (let i = 1; i <= 6; i++) {
      live.update("x".repeat(i));
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(started.map(({ text }) => text)).toEqual(["xxxxx"]);
  });

  it("aborts what is stale and never shows it", async () => {
    void live.now("eins");
    void live.now("zwei");
    expect(nth(0).signal.aborted).toBe(true);
    nth(1).answer.resolve(RESPONSE);
    await vi.advanceTimersByTimeAsync(0);
    expect(states).toEqual([
      { name: "translating", text: "eins", progress: null, partial: null },
      { name: "translating", text: "zwei", progress: null, partial: null },
      { name: "done", text: "zwei", response: RESPONSE },
    ]);
  });

  it("lets what is under way go on while the next is typed", async () => {
    void live.now("eins");
    live.update("eins zwei");
    expect(nth(0).signal.aborted).toBe(false);
    nth(0).answer.resolve(RESPONSE);
    await vi.advanceTimersByTimeAsync(250);
    expect(names()).toEqual(["translating", "waiting", "done", "translating"]);
  });

  it("reports progress and failure", async () => {
    void live.now("eins");
    nth(0).onprogress({ state: "running", done: 1, total: 2 });
    const error = new Error("no");
    nth(0).answer.reject(error);
    await vi.advanceTimersByTimeAsync(0);
    expect(states.slice(1)).toEqual([
      { name: "translating", text: "eins", progress: { state: "running", done: 1, total: 2 }, partial: null },
      { name: "failed", text: "eins", error },
    ]);
  });

  it("empties at once and aborts", () => {
    void live.now("eins");
    live.update(" \n");
    expect(nth(0).signal.aborted).toBe(true);
    expect(live.state).toEqual({ name: "empty" });
  });

  it("is empty once it is cleared", async () => {
    live.update("eins");
    live.clear();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(names()).toEqual(["waiting", "empty"]);
  });

  it("does nothing more after stop", async () => {
    live.update("eins");
    live.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(started).toEqual([]);
  });

  it("tells that it was stopped: while a text waits, is translated, or both", async () => {
    live.update("eins");
    live.stop();
    expect(names()).toEqual(["waiting", "stopped"]);
    void live.now("zwei");
    live.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(nth(0).signal.aborted).toBe(true);
    expect(names().slice(2)).toEqual(["translating", "stopped"]);
    void live.now("drei");
    live.update("drei vier");
    nth(1).answer.resolve(RESPONSE);
    await vi.advanceTimersByTimeAsync(0);
    live.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(names().slice(4)).toEqual(["translating", "waiting", "done", "stopped"]);
  });

  it("stays as it is where there is nothing to stop", async () => {
    live.stop();
    void live.now("eins");
    nth(0).answer.resolve(RESPONSE);
    await vi.advanceTimersByTimeAsync(0);
    live.stop();
    expect(names()).toEqual(["translating", "done"]);
  });
});
