import { describe, expect, it } from "vitest";
import { CallTable } from "../../../web/src/calls/table.ts";
import type { PageToLanguage } from "../../../web/src/wire/protocol.ts";
import { RESPONSE } from "../support/values.ts";

const CANCELLED = { code: "cancelled", message: "taken back", details: {} } as const;

describe("CallTable.submitGraph", () => {
  const graph = { variables: {}, requests: [] };

  function table() {
    const posted: PageToLanguage[] = [];
    return { calls: new CallTable((message) => posted.push(message)), posted };
  }

  it("rejects with the error of the whole", async () => {
    const { calls } = table();
    const call = calls.submitGraph(graph);
    const details = { variables: "a -> a" };
    const error = { code: "graph-cycle", message: "a needs itself", details } as const;
    calls.receive({ type: "outputs", id: 1, outcome: { ok: false, error } });
    await expect(call.result).rejects.toMatchObject({ code: "graph-cycle", details });
    expect(calls.size).toBe(0);
  });

  it("gives AbortErrors to outputs that were taken back", async () => {
    const { calls } = table();
    const call = calls.submitGraph(graph);
    const outputs = { a: { ok: false, error: CANCELLED }, b: { ok: true, response: RESPONSE } } as const;
    calls.receive({ type: "outputs", id: 1, outcome: { ok: true, outputs } });
    const found = (await call.result).outputs;
    expect(found["a"]).toMatchObject({ ok: false, error: { name: "AbortError", message: "taken back" } });
    expect(found["b"]).toEqual({ ok: true, response: RESPONSE });
  });
});
