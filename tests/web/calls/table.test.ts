import { describe, expect, it, vi } from "vitest";
import { DragomanError, QuotaError } from "../../../web/src/wire/errors.ts";
import type { PageToLanguage } from "../../../web/src/wire/protocol.ts";
import { CallTable } from "../../../web/src/calls/table.ts";
import { Ticket } from "../../../web/src/calls/ticket.ts";
import { REQUEST, RESPONSE, STATISTICS } from "../support/values.ts";

function table() {
  const posted: PageToLanguage[] = [];
  const calls = new CallTable((message) => posted.push(message));
  return { calls, posted };
}

describe("CallTable", () => {
  it("resolves with the response of the same id", async () => {
    const { calls, posted } = table();
    const first = calls.translate(REQUEST);
    const second = calls.translate({ ...REQUEST, text: "Hallo" });
    expect(posted).toEqual([
      { type: "translate", id: 1, request: REQUEST },
      { type: "translate", id: 2, request: { ...REQUEST, text: "Hallo" } },
    ]);
    calls.receive({ type: "settled", id: 2, outcome: { ok: true, response: { ...RESPONSE, text: "Hello" } } });
    calls.receive({ type: "settled", id: 1, outcome: { ok: true, response: RESPONSE } });
    expect((await first).text).toBe("GUTEN TAG");
    expect((await second).text).toBe("Hello");
    expect(calls.size).toBe(0);
  });

  it("rejects with the typed error of an outcome", async () => {
    const { calls } = table();
    const call = calls.translate(REQUEST);
    const details = { requested: 600_000, allowed: 500_000 };
    const error = { code: "text-too-long", message: "too long", details } as const;
    calls.receive({ type: "settled", id: 1, outcome: { ok: false, error } });
    const caught: unknown = await call.catch((thrown: unknown) => thrown);
    expect(caught).toBeInstanceOf(QuotaError);
    expect(caught).toMatchObject({ code: "text-too-long", requested: 600_000, quota: 500_000 });
  });

  it("holds nothing of a call that cannot be told to a worker", async () => {
    const calls = new CallTable((message) => structuredClone(message));
    const glossary = [new Proxy({ source: "Rechner" }, {})];
    const leaving = new AbortController();
    const ticket = new Ticket({ signal: leaving.signal });
    await expect(calls.translate({ ...REQUEST, glossary }, ticket)).rejects.toMatchObject({ name: "DataCloneError" });
    await expect(calls.openStream({ ...REQUEST, glossary }).next()).rejects.toMatchObject({ name: "DataCloneError" });
    expect(calls.size).toBe(0);
    leaving.abort();
  });

  it("tells of progress until the call has settled", () => {
    const { calls, posted } = table();
    const onprogress = vi.fn();
    void calls.translate(REQUEST, new Ticket({ onprogress }));
    expect(posted).toEqual([{ type: "translate", id: 1, request: REQUEST, progress: true }]);
    calls.receive({ type: "progress", id: 1, state: "running", done: 3, total: 12 });
    calls.receive({ type: "settled", id: 1, outcome: { ok: true, response: RESPONSE } });
    calls.receive({ type: "progress", id: 1, state: "running", done: 12, total: 12 });
    expect(onprogress.mock.calls).toEqual([[{ state: "running", done: 3, total: 12 }]]);
  });

  it("tells of a document, its beginning first, and resolves with the file", async () => {
    const { calls, posted } = table();
    const content = new Blob(["Ein Brief"]);
    const listener = { onprogress: vi.fn(), onbeginning: vi.fn() };
    const options = { source: "de", target: "en", alignment: "none", overlong: "wrap" } as const;
    const call = calls.translateDocument(content, { name: "a.txt" }, options, listener);
    expect(posted).toEqual([{ type: "document", id: 1, content, file: { name: "a.txt" }, options }]);
    const document = { file: new File(["A letter"], "a.en.txt"), kind: "txt", sentences: 1, doubtful: 0, warnings: {} };
    calls.receive({ type: "beginning", id: 1, text: "Ein Brief" });
    calls.receive({ type: "progress", id: 1, state: "running", done: 9, total: 9 });
    calls.receive({ type: "document-settled", id: 1, outcome: { ok: true, document } });
    expect(await call).toBe(document);
    expect(listener.onbeginning.mock.calls).toEqual([["Ein Brief"]]);
    expect(listener.onprogress.mock.calls).toEqual([[{ done: 9, total: 9 }]]);
  });

  it("rejects at once when the signal is aborted, and takes the request back", async () => {
    const { calls, posted } = table();
    const controller = new AbortController();
    const call = calls.translate(REQUEST, new Ticket({ signal: controller.signal }));
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
    expect(posted.at(-1)).toEqual({ type: "cancel", id: 1 });
    // The worker's answer to the cancelled request finds nothing.
    const error = { code: "cancelled", message: "cancelled", details: {} } as const;
    calls.receive({ type: "settled", id: 1, outcome: { ok: false, error } });
    expect(calls.size).toBe(0);
  });

  it("posts nothing for a signal that is aborted already", async () => {
    const { calls, posted } = table();
    const signal = AbortSignal.abort();
    await expect(calls.translate(REQUEST, new Ticket({ signal }))).rejects.toMatchObject({ name: "AbortError" });
    expect(posted).toEqual([]);
  });

  it("does not take back what has settled", async () => {
    const { calls, posted } = table();
    const controller = new AbortController();
    const call = calls.translate(REQUEST, new Ticket({ signal: controller.signal }));
    calls.receive({ type: "settled", id: 1, outcome: { ok: true, response: RESPONSE } });
    await call;
    controller.abort();
    expect(posted).toHaveLength(1);
  });

  it("gives what waits another priority, as long as it waits", async () => {
    const { calls, posted } = table();
    const ticket = new Ticket({ priority: "near" });
    const result = calls.translate(REQUEST, ticket);
    ticket.prioritize("visible");
    expect(() => { ticket.prioritize("soon" as "near"); }).toThrow(new TypeError('there is no priority "soon"'));
    calls.receive({ type: "settled", id: 1, outcome: { ok: true, response: RESPONSE } });
    await result;
    ticket.prioritize("background");
    expect(posted[0]).toMatchObject({ request: { priority: "near" } });
    expect(posted.slice(1)).toEqual([{ type: "prioritize", id: 1, priority: "visible" }]);
  });

  it("cancels, with a reason or without", async () => {
    const { calls, posted } = table();
    const tickets = [new Ticket(), new Ticket()] as const;
    const [first, second] = tickets.map((ticket) => calls.translate(REQUEST, ticket));
    tickets[0].cancel();
    tickets[0].cancel();
    tickets[1].cancel("no more");
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    await expect(second).rejects.toBe("no more");
    expect(posted.slice(2)).toEqual([{ type: "cancel", id: 1 }, { type: "cancel", id: 2 }]);
    expect(calls.size).toBe(0);
  });

  it("ends what a worker does not end in time, with the figures it knows", async () => {
    vi.useFakeTimers();
    try {
      const { calls, posted } = table();
      const ticket = new Ticket({ deadline: 2 });
      vi.advanceTimersByTime(500); // It waits for the workers.
      const call = calls.translate(REQUEST, ticket);
      expect(posted).toMatchObject([{ request: { deadline: 1.5 } }]);
      const caught = call.catch((thrown: unknown) => thrown);
      calls.receive({ type: "progress", id: 1, state: "running", done: 3, total: 12 });
      vi.advanceTimersByTime(2_499);
      expect(calls.size).toBe(1);
      vi.advanceTimersByTime(1);
      expect(await caught).toMatchObject({ code: "deadline", details: { deadline: 2, done: 3, total: 12 } });
      expect(posted.at(-1)).toEqual({ type: "cancel", id: 1 });
      new Ticket({ deadline: 2 }).end();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("asks for statistics, and rejects when there is nobody to answer", async () => {
    const { calls, posted } = table();
    const first = calls.statistics();
    const second = calls.statistics();
    expect(posted).toEqual([{ type: "statistics", id: 1 }, { type: "statistics", id: 2 }]);
    calls.receive({ type: "statistics", id: 1, statistics: STATISTICS, persistentCache: { state: "off" } });
    expect(await first).toMatchObject({ statistics: STATISTICS, persistentCache: { state: "off" } });
    calls.fail(new DragomanError("worker-gone", "gone"));
    await expect(second).rejects.toMatchObject({ code: "worker-gone" });
    await expect(calls.statistics()).rejects.toMatchObject({ code: "worker-gone" });
    expect(calls.size).toBe(0);
  });

  it("rejects everything, before and after, once it has failed", async () => {
    const { calls, posted } = table();
    const open = [calls.translate(REQUEST), calls.translate(REQUEST)];
    calls.fail(new DragomanError("worker-gone", "gone"));
    calls.fail(new DragomanError("engine", "later: the first reason stands"));
    for (const call of open) await expect(call).rejects.toMatchObject({ code: "worker-gone" });
    await expect(calls.translate(REQUEST)).rejects.toMatchObject({ code: "worker-gone" });
    expect(posted).toHaveLength(2);
  });
});
