import { beforeEach, expect, it } from "vitest";
import { NativeConnection } from "../../../../extension/src/native/connection.ts";
import { FakeNativeHost, quoted } from "./fakes.ts";

const PAIR = { source: "de", target: "en" };
let host: FakeNativeHost;

beforeEach(() => { host = new FakeNativeHost(); });

function open(): Promise<NativeConnection> {
  return NativeConnection.open(host.port);
}

it("asks who is there and knows the directions", async () => {
  const connection = await open();
  expect(host.told).toEqual([{ type: "hello" }]);
  expect(connection.serves(PAIR)).toBe(true);
  expect(connection.serves({ source: "en", target: "de" })).toBe(false);
});

it("sends the request of the language worker and gives back its response", async () => {
  const connection = await open();
  const elements = [{ range: [0, 1], kind: "inline" }] as const;
  const { result } = connection.submit(PAIR, "a b", { alignment: "none", priority: "near", elements });
  expect(host.told.at(-1)).toEqual({
    type: "translate", id: 1, request: { text: "a b", ...PAIR, alignment: "none", overlong: "wrap", priority: "near", elements },
  });
  host.settle(1);
  expect((await result).text).toBe("“a b”");
});

it("keeps answers apart that come in another order", async () => {
  const connection = await open();
  const [one, two] = ["eins", "zwei"].map((text) => connection.submit(PAIR, text, {}).result);
  host.settle(2);
  host.settle(1);
  expect([(await one)?.text, (await two)?.text]).toEqual(["“eins”", "“zwei”"]);
});

it("puts the parts of a long answer together", async () => {
  const connection = await open();
  const { result } = connection.submit(PAIR, "lang", {});
  const whole = JSON.stringify({ type: "settled", id: 1, outcome: { ok: true, response: quoted("lang") } });
  host.say({ type: "part", text: whole.slice(0, 20), last: false });
  host.say({ type: "part", text: whole.slice(20), last: true });
  expect((await result).text).toBe("“lang”");
});

it("closes on parts that are no message, and on what the host calls none", async () => {
  const connection = await open();
  const { result } = connection.submit(PAIR, "a", {});
  host.say({ type: "part", text: "{", last: true });
  await expect(result).rejects.toMatchObject({ code: "worker-gone" });
  host = new FakeNativeHost();
  const other = await open();
  const lost = other.submit(PAIR, "a", {}).result;
  host.say({ type: "failed", error: { code: "invalid-request", message: "", details: {} } });
  await expect(lost).rejects.toMatchObject({ code: "worker-gone" });
  expect([connection.isClosed, host.isClosed]).toEqual([true, true]);
});

it("rejects with the error of the host", async () => {
  const connection = await open();
  const { result } = connection.submit(PAIR, "a", {});
  host.say({ type: "settled", id: 1, outcome: { ok: false, error: { code: "engine", message: "broken", details: {} } } });
  await expect(result).rejects.toMatchObject({ code: "engine", message: "broken" });
});

it("takes a request back, and hears no more of it", async () => {
  const connection = await open();
  const { result, cancel, prioritize } = connection.submit(PAIR, "a", {});
  prioritize("visible");
  cancel();
  prioritize("near");
  await expect(result).rejects.toMatchObject({ name: "AbortError" });
  expect(host.told.slice(2)).toEqual([{ type: "prioritize", id: 1, priority: "visible" }, { type: "cancel", id: 1 }]);
  host.settle(1);
});

it("rejects all that is under way when the process ends, and what comes after it", async () => {
  const connection = await open();
  const lost = connection.submit(PAIR, "a", {});
  host.end();
  await expect(lost.result).rejects.toMatchObject({ code: "worker-gone" });
  lost.prioritize("near");
  lost.cancel();
  await expect(connection.submit(PAIR, "b", {}).result).rejects.toMatchObject({ code: "worker-gone" });
});

it("is not opened where nobody is there, or nobody speaks", async () => {
  host.isSilent = true;
  const opening = NativeConnection.open(host.port);
  host.end();
  await expect(opening).rejects.toMatchObject({ code: "worker-gone" });
  host = new FakeNativeHost();
  host.isSilent = true;
  await expect(NativeConnection.open(host.port, 0)).rejects.toMatchObject({ code: "worker-gone" });
  expect(host.isClosed).toBe(true);
});
