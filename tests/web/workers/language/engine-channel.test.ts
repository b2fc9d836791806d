import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EngineToLanguage, LanguageToEngine } from "../../../../web/src/wire/engine-protocol.ts";
import { LAYOUT } from "../../support/values.ts";
import { EngineChannel } from "../../../../web/src/workers/language/engine-channel.ts";

let channel: MessageChannel;
let heard: LanguageToEngine[];
const listener = { onloading: vi.fn(), onfailed: vi.fn() };

beforeEach(() => {
  channel = new MessageChannel();
  const messages: LanguageToEngine[] = []; // Of this test's channel: an older one may still deliver.
  channel.port2.onmessage = (event: MessageEvent<LanguageToEngine>) => {
    messages.push(event.data);
  };
  heard = messages;
  vi.clearAllMocks();
});

afterEach(() => {
  channel.port1.close();
});

function say(message: EngineToLanguage): void {
  channel.port2.postMessage(message);
}

function input() {
  const ids = Int32Array.of(5, 6, 0);
  return { ids, lengths: Int32Array.of(3), limits: Int32Array.of(12), rows: 1, width: 3, attention: false };
}

const unread = (): Promise<never> => Promise.reject(new Error("it is no published model"));

const OPTIONS = { bundle: "de-en", threads: 2, measureThreads: true, engine: "auto" } as const;

const TEXT = { manifestText: "{}", vocabulary: Uint8Array.of(1, 2) };

const OUTPUT = {
  steps: 1,
  ids: Int32Array.of(0),
  logProbabilities: Float32Array.of(-0.5),
  attention: new Float32Array(0),
};

describe("EngineChannel", () => {
  it("asks for a model and waits for what the core needs of it", async () => {
    const client = new EngineChannel(channel.port1, listener);
    const loading = client.load(OPTIONS, unread);
    const told = { type: "loading", stage: "model", bundle: "de-en", loaded: 1, total: 4 } as const;
    say(told);
    say({ type: "loaded", model: 1, ...TEXT });
    expect(await loading).toEqual({ model: 1, ...TEXT });
    expect(listener.onloading.mock.calls).toEqual([[told]]);
    await vi.waitFor(() => {
      expect(heard).toMatchObject([{ type: "load", ...OPTIONS }]);
    });
  });

  it("gives each run its own output, in any order", async () => {
    const client = new EngineChannel(channel.port1, listener);
    const runs = [client.run(1, input()), client.run(1, input())];
    say({ type: "output", ticket: 2, ...OUTPUT, steps: 2 });
    say({ type: "output", ticket: 1, ...OUTPUT });
    expect((await Promise.all(runs)).map(({ steps }) => steps)).toEqual([1, 2]);
    await vi.waitFor(() => {
      expect(heard).toMatchObject([
        { type: "run", ticket: 1, rows: 1, width: 3, attention: false },
        { type: "run", ticket: 2 },
      ]);
    });
  });

  it("fails one run and goes on", async () => {
    const client = new EngineChannel(channel.port1, listener);
    const [first, second] = [client.run(1, input()), client.run(1, input())];
    say({ type: "failed", ticket: 1, error: { code: "engine", message: "bad shape", details: {} } });
    say({ type: "output", ticket: 2, ...OUTPUT });
    await expect(first).rejects.toMatchObject({ code: "engine", message: "bad shape" });
    expect((await second).steps).toBe(1);
    expect(listener.onfailed).not.toHaveBeenCalled();
  });

  it("fails everything when the engine cannot go on", async () => {
    const client = new EngineChannel(channel.port1, listener);
    const work = [client.load(OPTIONS, unread), client.run(1, input())];
    say({ type: "failed", error: { code: "network", message: "no runtime", details: {} } });
    for (const item of work) await expect(item).rejects.toMatchObject({ code: "network" });
    expect(listener.onfailed).toHaveBeenCalledOnce();
  });

  it("keeps models apart", async () => {
    const client = new EngineChannel(channel.port1, listener);
    const loads = [client.load(OPTIONS, unread), client.load(OPTIONS, unread)];
    say({ type: "failed", model: 1, error: { code: "engine", message: "no model", details: {} } });
    say({ type: "loaded", model: 2, ...TEXT });
    await expect(loads[0]).rejects.toMatchObject({ code: "engine", message: "no model" });
    expect(await loads[1]).toMatchObject({ model: 2 });
    const runs = [client.run(2, input()), client.run(3, input())];
    client.stop(3);
    client.unload(2);
    say({ type: "output", ticket: 1, ...OUTPUT });
    say({ type: "output", ticket: 2, ...OUTPUT });
    await Promise.all(runs);
    await vi.waitFor(() => {
      expect(heard.slice(2)).toMatchObject([
        { type: "run", ticket: 1, model: 2 },
        { type: "run", ticket: 2, model: 3 },
        { type: "stop", ticket: 2 },
        { type: "unload", model: 2 },
      ]);
    });
    expect(listener.onfailed).not.toHaveBeenCalled();
  });

  it("has the core read published files, and gives the engine the file back", async () => {
    const client = new EngineChannel(channel.port1, listener);
    const read = vi.fn(() => Promise.resolve({ text: TEXT, layout: { layout: LAYOUT, positions: 268 } }));
    const loading = client.load(OPTIONS, read);
    const published = { manifestText: "[]", vocabulary: Uint8Array.of(3), file: Uint8Array.of(4, 5) };
    say({ type: "published", model: 1, ...published });
    await vi.waitFor(() => { expect(heard).toHaveLength(2); });
    const { manifestText, vocabulary } = published;
    expect(read).toHaveBeenCalledWith(expect.objectContaining({ manifestText, vocabulary }));
    expect(heard[1]).toEqual({ type: "place", model: 1, file: Uint8Array.of(4, 5), layout: LAYOUT, positions: 268 });
    say({ type: "placed", model: 1 });
    expect(await loading).toEqual({ model: 1, ...TEXT });
  });

  it("lets go of a model whose files cannot be read", async () => {
    const client = new EngineChannel(channel.port1, listener);
    const loading = client.load(OPTIONS, unread);
    say({ type: "published", model: 1, ...TEXT, file: Uint8Array.of(4) });
    await expect(loading).rejects.toThrow("it is no published model");
    await vi.waitFor(() => { expect(heard.at(-1)).toEqual({ type: "unload", model: 1 }); });
    expect(listener.onfailed).not.toHaveBeenCalled();
  });

  it("loads nothing after the engine has failed", async () => {
    const client = new EngineChannel(channel.port1, listener);
    say({ type: "failed", error: { code: "network", message: "no kernel", details: {} } });
    await vi.waitFor(() => {
      expect(listener.onfailed).toHaveBeenCalledOnce();
    });
    await expect(client.load(OPTIONS, unread)).rejects.toMatchObject({ code: "network" });
  });
});
