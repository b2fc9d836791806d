import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Ticket } from "../../../web/src/calls/ticket.ts";

beforeEach(() => { vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }); });
afterEach(() => { vi.useRealTimers(); });

describe("a deadline", () => {
  it("aborts what no worker has at that moment", () => {
    const ticket = new Ticket({ deadline: 2 });
    vi.advanceTimersByTime(1_999);
    expect(ticket.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(ticket.signal.reason).toMatchObject({
      code: "deadline",
      message: "not ready within 2 s: 0 of 0 sentences were done",
      details: { deadline: 2, done: 0, total: 0 },
    });
  });

  it("leaves a worker a second to say so itself", () => {
    const ticket = new Ticket({ deadline: 2 });
    ticket.report({ state: "running", done: 1, total: 3 });
    ticket.handOver(() => undefined);
    vi.advanceTimersByTime(2_999);
    expect(ticket.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(ticket.signal.reason).toMatchObject({ details: { deadline: 2, done: 1, total: 3 } });
  });

  it("counts from when the ticket was made", () => {
    const ticket = new Ticket({ deadline: 2 });
    vi.advanceTimersByTime(1_500);
    expect(ticket.fields).toEqual({ deadline: 0.5 });
  });

  it("gives a worker something, however late it is", () => {
    const ticket = new Ticket({ deadline: 2 });
    vi.advanceTimersByTime(5_000);
    expect(ticket.fields).toEqual({ deadline: 0.001 });
  });

  it("may be longer than timers are", () => {
    const ticket = new Ticket({ deadline: 1e9 });
    vi.advanceTimersByTime(60_000);
    expect(ticket.signal.aborted).toBe(false);
  });

  it("does nothing after the end", () => {
    const ticket = new Ticket({ deadline: 2 });
    ticket.end();
    vi.advanceTimersByTime(10_000);
    expect(ticket.signal.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([0, -1, Number.NaN])("is above 0, and not %d", (deadline) => {
    expect(() => new Ticket({ deadline })).toThrow(RangeError);
  });
});

describe("a priority", () => {
  it("is told to the worker that has the request, until its end", () => {
    const ticket = new Ticket({ priority: "near" });
    ticket.prioritize("visible");
    expect(ticket.fields).toEqual({ priority: "visible" });
    const told: string[] = [];
    ticket.handOver((priority) => void told.push(priority));
    ticket.prioritize("background");
    ticket.end();
    ticket.prioritize("near");
    expect(told).toEqual(["background"]);
  });

  it("is one that there is", () => {
    expect(() => new Ticket({ priority: "soon" as "near" })).toThrow(TypeError);
    const ticket = new Ticket();
    expect(() => { ticket.prioritize("soon" as "near"); }).toThrow(TypeError);
    expect(ticket.fields).toEqual({});
  });
});

describe("its signal", () => {
  it("is aborted by the caller's, with the same reason", () => {
    const control = new AbortController();
    const ticket = new Ticket({ signal: control.signal });
    control.abort("enough");
    expect(ticket.signal.reason).toBe("enough");
    expect(new Ticket({ signal: control.signal }).signal.aborted).toBe(true);
  });

  it("is aborted when it is taken back", () => {
    const ticket = new Ticket();
    ticket.cancel();
    expect(ticket.signal.reason).toMatchObject({ name: "AbortError" });
  });

  it("does not follow the caller's after the end", () => {
    const control = new AbortController();
    const ticket = new Ticket({ signal: control.signal });
    ticket.end();
    control.abort();
    expect(ticket.signal.aborted).toBe(false);
  });
});
