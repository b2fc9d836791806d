import { expect, it } from "vitest";
import { Slices, type Clock } from "../../../web/src/dom/slices.ts";

/** A clock that a test moves: a step of a task takes as long as it says. */
class TestClock implements Clock {
  time = 0;
  readonly #soon: (() => void)[] = [];

  now(): number {
    return this.time;
  }

  soon(callback: () => void): void {
    this.#soon.push(callback);
  }

  /** The browser has had its turn; whether anything was to be done. */
  turn(): boolean {
    const callback = this.#soon.shift();
    callback?.();
    return callback !== undefined;
  }
}

let done: string[] = [];

function* task(clock: TestClock, name: string, steps: number, milliseconds: number): Generator<undefined, void> {
  for (let step = 0; step < steps; step++) {
    clock.time += milliseconds;
    done.push(`${name}${step}`);
    yield;
  }
}

function make(): { clock: TestClock; slices: Slices; ends: string[][] } {
  const [clock, ends]: [TestClock, string[][]] = [new TestClock(), []];
  done = [];
  const slices = new Slices(clock, () => {
    ends.push(done);
    done = [];
  });
  return { clock, slices, ends };
}

it("does steps in order until the time of a slice is over, then gives the browser a turn", () => {
  const { clock, slices, ends } = make();
  slices.add(task(clock, "a", 3, 3));
  slices.add(task(clock, "b", 2, 3));
  expect(slices.idle).toBe(false);
  while (clock.turn());
  expect(ends).toEqual([["a0", "a1", "a2"], ["b0", "b1"]]);
  expect(slices.idle).toBe(true);
});

it("does one step even if it takes longer than a slice", () => {
  const { clock, slices, ends } = make();
  slices.add(task(clock, "a", 2, 100));
  while (clock.turn());
  expect(ends).toEqual([["a0"], ["a1"], []]); // That it is over is seen in a slice of its own.
});

it("asks for one turn, however much is added", () => {
  const { clock, slices, ends } = make();
  slices.add(task(clock, "a", 1, 0));
  slices.addFirst(task(clock, "b", 1, 0));
  slices.wake();
  expect([clock.turn(), clock.turn()]).toEqual([true, false]);
  expect(ends).toEqual([["b0", "a0"]]);
});

it("has a slice without a task when it is woken, and one at once when it is flushed", () => {
  const { clock, slices, ends } = make();
  slices.wake();
  clock.turn();
  expect(ends).toEqual([[]]);
  slices.add(task(clock, "a", 1, 0));
  slices.flush();
  expect(ends).toEqual([[], ["a0"]]);
});

it("does nothing after it was stopped", () => {
  const { clock, slices, ends } = make();
  slices.add(task(clock, "a", 1, 0));
  slices.stop();
  slices.add(task(clock, "b", 1, 0));
  slices.addFirst(task(clock, "c", 1, 0));
  slices.wake();
  while (clock.turn());
  expect([ends, done, slices.idle]).toEqual([[], [], true]);
});

it("goes on with the others where a task throws", () => {
  const { clock, slices, ends } = make();
  slices.add((function* failing(): Generator<undefined, void> {
    yield;
    throw new Error("it failed");
  })());
  slices.add(task(clock, "a", 1, 3));
  expect(() => clock.turn()).toThrow("it failed");
  while (clock.turn());
  expect(ends).toEqual([[], ["a0"]]);
  expect(slices.idle).toBe(true);
});
