import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HostClient, type HostPort } from "../../../../extension/src/host-client.ts";
import { EngineHost, type EnginePort } from "../../../../extension/src/engine/engine-host.ts";
import { NativeEngine } from "../../../../extension/src/native/native-engine.ts";
import type { FromEngine, ToEngine } from "../../../../extension/src/messages.ts";
import type { MemoryEntry, Term } from "../../../../web/src/wire/protocol.ts";
import type { TranslatedBlock } from "../../../../web/src/dom/units/blocks.ts";
import { fakeEnvironment, type FakeEnvironment } from "../../support/fakes.ts";
import { FakeNativeHost } from "../native/fakes.ts";

type Listener<T> = (value: T) => void;

/** Both ends of a port, as the browsers give them: messages are copied and come later. */
class FakePorts {
  readonly said: ToEngine[] = [];
  readonly #toHost: Listener<ToEngine>[] = [];
  readonly #toClient: Listener<FromEngine>[] = [];
  readonly #closed: Listener<undefined>[] = [];
  #open = true;

  readonly client: HostPort = {
    onMessage: { addListener: (listener) => this.#toClient.push(listener) },
    onDisconnect: { addListener: (listener) => this.#closed.push(() => { listener(); }) },
    postMessage: (message) => {
      if (!this.#open) throw new Error("Attempting to use a disconnected port object");
      this.said.push(message);
      this.#later(this.#toHost, message);
    },
    disconnect: () => { this.close(); },
  };
  readonly host: EnginePort = {
    onMessage: { addListener: (listener) => this.#toHost.push(listener) },
    onDisconnect: { addListener: (listener) => this.#closed.push(() => { listener(); }) },
    postMessage: (message) => { this.#later(this.#toClient, message); },
  };

  /** The browser ended one of the two pages. */
  close(): void {
    this.#open = false;
    for (const listener of this.#closed) listener(undefined);
  }

  /** As a browser does where the client's page is put aside: the host hears of it, the page does not. */
  putAside(): void {
    this.#open = false;
  }

  #later<T>(listeners: readonly Listener<T>[], message: T): void {
    const copy = structuredClone(message);
    queueMicrotask(() => { if (this.#open) for (const listener of listeners) listener(copy); });
  }
}

const PAIR = { source: "de", target: "en" };
const BLOCK = { text: "guten Morgen", elements: [{ range: [0, 5], kind: "inline" }] } as const;
let environment: FakeEnvironment;
let host: EngineHost;
/** What is on this computer; null: nothing, or it is not switched on. */
let native: FakeNativeHost | null;
/** Entries that are on. */
let memory: readonly MemoryEntry[];
/** Terms, by site. */
let glossaries: Readonly<Record<string, readonly Term[]>>;
let ports: FakePorts[];
let client: HostClient;

beforeEach(() => {
  environment = fakeEnvironment();
  native = null;
  memory = [];
  glossaries = {};
  host = new EngineHost(environment, new NativeEngine(() => Promise.resolve(native?.port ?? null)), {
    memories: { of: () => Promise.resolve(memory) },
    glossaries: { of: (_, site) => Promise.resolve(glossaries[site ?? ""] ?? []) },
  });
  ports = [];
  client = new HostClient(() => {
    const pair = new FakePorts();
    ports.push(pair);
    host.accept(pair.host, "example.org");
    return Promise.resolve(pair.client);
  });
});

afterEach(() => { vi.useRealTimers(); });

/** What was posted has come, and what it set off has happened: a handful of turns, not a time. */
const flush = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => { setTimeout(resolve, 0); });
};

function textOf({ text, content }: TranslatedBlock): unknown {
  const read = (items: TranslatedBlock["content"]): unknown[] =>
    items.map((item) => ("element" in item ? { [item.element]: read(item.content ?? []) } : text.slice(...item)));
  return read(content);
}

describe("a person's terms", () => {
  it("go with the texts that have them: those for everywhere and the site's", async () => {
    glossaries = { "example.org": [{ source: "guten", target: "fine" }, { source: "Habicht" }], "example.com": [{ source: "Morgen" }] };
    const blocks = client.forPair(PAIR);
    await blocks.submit(BLOCK, "visible").result;
    await blocks.submit({ text: "nichts", elements: [] }, "visible").result;
    const posted = environment.workers.pairs[0]?.language.posted ?? [];
    expect(posted.flatMap((message) => (message.type === "translate" ? [message.request.glossary] : []))).toEqual([
      [{ source: "guten", target: "fine" }], undefined,
    ]);
  });

  it("go to the engine of this computer too", async () => {
    native = new FakeNativeHost();
    glossaries = { "example.org": [{ source: "guten" }] };
    const answer = client.translate(PAIR, "guten Morgen");
    await flush();
    expect([...native.requests.values()].map(({ glossary }) => glossary)).toEqual([[{ source: "guten" }]]);
    native.settle([...native.requests.keys()][0] ?? 0);
    await answer;
  });
});

describe("a frame and the engine", () => {
  it("translates blocks and texts over one port", async () => {
    const blocks = client.forPair(PAIR);
    const [block, text] = await Promise.all([
      blocks.submit(BLOCK, "visible").result,
      client.translate(PAIR, "hallo"),
    ]);
    expect(textOf(block)).toEqual([{ 0: ["GUTEN"] }, " MORGEN"]);
    expect(text.text).toBe("HALLO");
    expect(ports.length).toBe(1);
    expect(environment.workers.pairs.length).toBe(1);
  });

  it("asks for alternatives, and for what goes on from a place", async () => {
    await client.translate(PAIR, "hallo", undefined, { alternatives: 4, prefix: "" });
    const asked = environment.workers.pairs[0]?.language.posted.flatMap((message) => (message.type === "translate" ? [message.request] : []));
    expect(asked).toMatchObject([{ text: "hallo", alternatives: 4, prefix: "" }]);
  });

  it("answers with the error of the core", async () => {
    await expect(client.translate({ source: "fi", target: "en" }, "moi")).rejects.toMatchObject({ code: "language-pair" });
  });

  it("takes a call back, on both sides", async () => {
    await client.translate(PAIR, "erst laden");
    const pair = environment.workers.pairs[0];
    if (!pair) throw new Error("no workers");
    pair.hold = true;
    const handle = client.forPair(PAIR).submit(BLOCK, "near");
    const taken = new AbortController();
    const text = client.translate(PAIR, "hallo", taken.signal);
    await flush();
    handle.cancel();
    taken.abort();
    await expect(handle.result).rejects.toMatchObject({ name: "AbortError" });
    await expect(text).rejects.toMatchObject({ name: "AbortError" });
    await flush();
    expect(pair.language.posted.filter(({ type }) => type === "cancel").length).toBeGreaterThanOrEqual(2);
  });

  it("passes priorities on", async () => {
    await client.translate(PAIR, "erst laden");
    const pair = environment.workers.pairs[0];
    if (!pair) throw new Error("no workers");
    pair.hold = true;
    const handle = client.forPair(PAIR).submit({ text: "hallo", elements: [] }, "background");
    await flush();
    handle.prioritize("visible");
    await flush();
    const said = pair.language.posted.flatMap((message) => {
      if (message.type === "translate") return [message.request.priority];
      return message.type === "prioritize" ? [message.priority] : [];
    });
    expect(said.slice(-2)).toEqual(["background", "visible"]);
    pair.release();
    await handle.result;
  });

  it("rejects what is under way when the engine's page goes, and opens again", async () => {
    await client.translate(PAIR, "erst laden");
    const pair = environment.workers.pairs[0];
    if (!pair) throw new Error("no workers");
    pair.hold = true;
    const lost = client.translate(PAIR, "hallo");
    await flush();
    ports[0]?.close();
    await expect(lost).rejects.toMatchObject({ code: "worker-gone" });
    pair.hold = false;
    expect((await client.translate(PAIR, "noch einmal")).text).toBe("NOCH EINMAL");
    expect(ports.length).toBe(2);
  });

  it("cancels what a closed frame had asked for", async () => {
    await client.translate(PAIR, "erst laden");
    const pair = environment.workers.pairs[0];
    if (!pair) throw new Error("no workers");
    pair.hold = true;
    const lost = client.translate(PAIR, "hallo");
    await flush();
    client.close();
    await expect(lost).rejects.toMatchObject({ code: "worker-gone" });
    await flush();
    expect(pair.language.posted.at(-1)?.type).toBe("cancel");
  });

  it("opens again where the browser has closed the port without a word", async () => {
    await client.translate(PAIR, "erst laden");
    ports[0]?.putAside();
    expect((await client.translate(PAIR, "noch einmal")).text).toBe("NOCH EINMAL");
    expect(ports.length).toBe(2);
  });

  it("puts a question to another port once, not for ever", async () => {
    const dead = new HostClient(() => {
      const pair = new FakePorts();
      ports.push(pair);
      pair.putAside();
      return Promise.resolve(pair.client);
    });
    await expect(dead.translate(PAIR, "hallo")).rejects.toMatchObject({ code: "worker-gone" });
    expect(ports.length).toBe(2);
  });

  it("rejects at the next beat what was under way over a port that was closed without a word", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await client.translate(PAIR, "erst laden");
    const pair = environment.workers.pairs[0];
    if (!pair) throw new Error("no workers");
    pair.hold = true;
    const lost = client.translate(PAIR, "hallo");
    await flush();
    ports[0]?.putAside();
    vi.advanceTimersByTime(20_000);
    await expect(lost).rejects.toMatchObject({ code: "worker-gone" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("leaves nothing behind of a port that was closed before it was open", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const lost = client.translate(PAIR, "hallo");
    client.close();
    await expect(lost).rejects.toMatchObject({ code: "worker-gone" });
    await flush();
    expect(vi.getTimerCount()).toBe(0);
    expect(ports.map(({ said }) => said)).toEqual([[]]);
  });

  it("keeps the port while something is asked over it", async () => {
    const text = client.translate(PAIR, "hallo");
    client.release();
    expect((await text).text).toBe("HALLO");
    client.release();
    await flush();
    await client.translate(PAIR, "noch einmal");
    expect(ports.length).toBe(2);
  });

  it("says why it cannot reach the engine", async () => {
    const cut = new HostClient(() => Promise.reject(new Error("no host")));
    await expect(cut.translate(PAIR, "hallo")).rejects.toThrow("no host");
    await expect(cut.forPair(PAIR).submit(BLOCK, "visible").result).rejects.toThrow("no host");
  });
});

describe("with the engine of this computer", () => {
  const there = (): FakeNativeHost => (native = new FakeNativeHost());

  it("has it translate, without starting the browser's own", async () => {
    const computer = there();
    const block = client.forPair(PAIR).submit({ text: "hallo", elements: [] }, "near");
    await expect.poll(() => computer.requests.size).toBe(1);
    computer.settle(1);
    expect((await block.result).text).toBe("“hallo”");
    expect(client.engine).toBe("computer");
    expect(environment.workers.pairs.length).toBe(0);
  });

  it("asks it for alternatives too", async () => {
    const computer = there();
    const text = client.translate(PAIR, "hallo", undefined, { alternatives: 3 });
    await expect.poll(() => computer.requests.size).toBe(1);
    expect(computer.requests.get(1)).toMatchObject({ text: "hallo", alternatives: 3, alignment: "hard" });
    computer.settle(1);
    await text;
  });

  it("has the browser translate where a memory is on", async () => {
    const computer = there();
    memory = [{ source: "hallo", target: "hello there" }];
    await client.translate(PAIR, "hallo");
    expect(computer.requests.size).toBe(0);
    expect(environment.workers.pairs[0]?.language.posted).toContainEqual(expect.objectContaining({ type: "open", memory }));
    memory = [];
    host.renew();
    const text = client.translate(PAIR, "hallo");
    await expect.poll(() => computer.requests.size).toBe(1);
    computer.settle(1);
    await text;
  });

  it("says so where the browser's own translates", async () => {
    expect(client.engine).toBeNull();
    await client.translate(PAIR, "hallo");
    expect(client.engine).toBe("browser");
  });

  it("goes on in the browser when the process ends under way, with the latest priority", async () => {
    const computer = there();
    const block = client.forPair(PAIR).submit(BLOCK, "background");
    const text = client.translate(PAIR, "hallo");
    await expect.poll(() => computer.requests.size).toBe(2);
    block.prioritize("visible");
    await flush();
    native = null;
    computer.end();
    expect(textOf(await block.result)).toEqual([{ 0: ["GUTEN"] }, " MORGEN"]);
    expect((await text).text).toBe("HALLO");
    expect(client.engine).toBe("browser");
    const asked = environment.workers.pairs[0]?.language.posted.flatMap((message) =>
      message.type === "translate" ? [[message.request.text, message.request.priority]] : []);
    expect(asked).toContainEqual(["guten Morgen", "visible"]);
  });

  it("asks the browser's own what the process cannot answer", async () => {
    const computer = there();
    const text = client.translate(PAIR, "hallo");
    await expect.poll(() => computer.requests.size).toBe(1);
    computer.say({ type: "settled", id: 1, outcome: { ok: false, error: { code: "bundle-corrupt", message: "", details: {} } } });
    expect((await text).text).toBe("HALLO");
  });

  it("starts nothing for what was taken back", async () => {
    const computer = there();
    const block = client.forPair(PAIR).submit(BLOCK, "near");
    await expect.poll(() => computer.requests.size).toBe(1);
    block.cancel();
    await expect(block.result).rejects.toMatchObject({ name: "AbortError" });
    await expect.poll(() => computer.told.at(-1)).toEqual({ type: "cancel", id: 1 });
    await flush();
    expect(environment.workers.pairs.length).toBe(0);
  });

  it("lets it go when it is switched off, without breaking what is under way", async () => {
    const computer = there();
    const text = client.translate(PAIR, "hallo");
    await expect.poll(() => computer.requests.size).toBe(1);
    native = null;
    host.renew();
    expect((await text).text).toBe("HALLO");
    expect(computer.isClosed).toBe(true);
  });
});
