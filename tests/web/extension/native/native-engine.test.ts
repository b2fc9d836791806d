import { beforeEach, describe, expect, it } from "vitest";
import { NativeEngine } from "../../../../extension/src/native/native-engine.ts";
import type { NativePort } from "../../../../extension/src/native/messages.ts";
import { FakeNativeHost } from "./fakes.ts";

const PAIR = { source: "de", target: "en" };
let hosts: FakeNativeHost[];
let connect: () => Promise<NativePort | null>;
let now: number;
let engine: NativeEngine;

beforeEach(() => {
  [hosts, now] = [[], 0];
  connect = () => {
    const host = new FakeNativeHost();
    hosts.push(host);
    return Promise.resolve(host.port);
  };
  engine = new NativeEngine(() => connect(), () => now);
});

describe("the engine of this computer", () => {
  it("is one process for all who ask", async () => {
    const [one, two] = await Promise.all([engine.forPair(PAIR), engine.forPair(PAIR)]);
    const result = one?.submit("a", {}).result;
    hosts[0]?.settle(1);
    expect((await result)?.text).toBe("“a”");
    expect([two === null, hosts.length]).toEqual([false, 1]);
  });

  it("is not there for a direction that it has no model for", async () => {
    expect(await engine.forPair({ source: "en", target: "fi" })).toBeNull();
  });

  it("is looked for again after a minute where it was not there", async () => {
    const connected = connect;
    let asked = 0;
    connect = () => { asked += 1; return Promise.resolve(null); };
    expect(await engine.forPair(PAIR)).toBeNull();
    now = 59_999;
    expect(await engine.forPair(PAIR)).toBeNull();
    expect(asked).toBe(1);
    connect = connected;
    now = 60_000;
    expect(await engine.forPair(PAIR)).not.toBeNull();
  });

  it("is looked for at once after the switch, and a browser that refuses is no error", async () => {
    const connected = connect;
    connect = () => Promise.reject(new Error("no permission"));
    expect(await engine.forPair(PAIR)).toBeNull();
    connect = connected;
    engine.close();
    expect(await engine.forPair(PAIR)).not.toBeNull();
  });

  it("is started anew after its end", async () => {
    await engine.forPair(PAIR);
    hosts[0]?.end();
    expect(await engine.forPair(PAIR)).not.toBeNull();
    expect(hosts.length).toBe(2);
  });

  it("ends when it is closed, also while it starts", async () => {
    await engine.forPair(PAIR);
    engine.close();
    expect(hosts[0]?.isClosed).toBe(true);
    const opening = engine.forPair(PAIR);
    engine.close();
    expect(await opening).toBeNull();
    expect(hosts[1]?.isClosed).toBe(true);
  });
});
