import { describe, expect, it, vi } from "vitest";
import { Translator } from "../../../web/src/api/translator.ts";
import type { WorkerPair } from "../../../web/src/api/connection.ts";
import type { TranslatorCreateOptions } from "../../../web/src/api/options.ts";
import { fakeEnvironment, silentPair, type FakeEnvironment } from "../support/fakes.ts";
import { MODEL } from "../support/values.ts";

const PAIR = { sourceLanguage: "de", targetLanguage: "en" };
const BACK = { sourceLanguage: "en", targetLanguage: "de" };
const MODELS = [MODEL, { ...MODEL, bundle: "en-de", source: "en", target: "de" }];
const OFFERED = [
  { bundle: "de-en", source: "de", target: "en", bytes: 5 },
  { bundle: "en-de", source: "en", target: "de", bytes: 5 },
];

function site(): FakeEnvironment {
  return fakeEnvironment({ models: () => Promise.resolve(MODELS) });
}

function pairOf({ workers }: FakeEnvironment, index = 0) {
  const pair = workers.pairs[index];
  if (!pair) throw new Error(`there is no pair ${index}`);
  return pair;
}

/** What the language worker was told, but for the preparing and the opening. */
function told(environment: FakeEnvironment, index = 0) {
  return pairOf(environment, index).language.posted.slice(2);
}

describe("ConnectionPool", () => {
  it("prepares one pair of workers, which the first translator of the same files takes", async () => {
    const environment = site();
    const { connections, workers } = environment;
    connections.prepare(environment);
    connections.prepare(environment);
    expect(pairOf(environment).language.posted).toEqual([{ type: "prepare", base: "http://localhost/" }]);
    const translator = await Translator.create(PAIR, environment);
    expect(await translator.translate("ja")).toBe("JA");
    connections.prepare(environment); // There is one.
    await Translator.create(PAIR, { ...environment, base: "http://elsewhere/" });
    expect(workers.pairs).toHaveLength(2);
  });

  it("opens others where the workers that were prepared have gone, or have other files", async () => {
    const environment = site();
    environment.connections.prepare({ ...environment, base: "http://elsewhere/" });
    await Translator.create(PAIR, environment);
    expect(environment.workers.pairs).toHaveLength(2);
    const other = site();
    other.connections.prepare(other);
    pairOf(other).language.say({ type: "failed", error: { code: "network", message: "no runtime", details: {} } });
    await Translator.create(PAIR, other);
    expect(pairOf(other).language.terminated).toBe(true);
    expect(other.workers.pairs).toHaveLength(2);
  });

  it("gives translators of one page one pair of workers, and each its model", async () => {
    const environment = site();
    const there = await Translator.create(PAIR, environment);
    const back = await Translator.create(BACK, environment);
    const again = await Translator.create(PAIR, environment);
    expect(await Promise.all([there, back, again].map((one) => one.translate("ja")))).toEqual(["JA", "JA", "JA"]);
    expect(environment.workers.pairs).toHaveLength(1);
    expect(told(environment)).toMatchObject([
      { type: "load", id: 1, source: "en", target: "de", models: OFFERED.toReversed() },
      { type: "load", id: 2, source: "de", target: "en", models: OFFERED },
      { type: "translate", id: 3, request: { source: "de", target: "en" } },
      { type: "translate", id: 4, request: { source: "en", target: "de" } },
      { type: "translate", id: 5, request: { source: "de", target: "en" } },
    ]);
  });

  it("ends the workers with the last of them; the others go on meanwhile", async () => {
    const environment = site();
    const [there, back] = [await Translator.create(PAIR, environment), await Translator.create(BACK, environment)];
    const pair = pairOf(environment);
    pair.hold = true;
    const [lost, kept] = [there.translate("eins"), back.translate("zwei")];
    await vi.waitFor(() => { expect(told(environment)).toHaveLength(3); });
    expect((await back.statistics()).pending).toBe(1);
    there.destroy();
    await expect(lost).rejects.toMatchObject({ name: "AbortError" });
    expect(told(environment).slice(-2)).toEqual([
      { type: "cancel", id: 2 },
      { type: "unload", source: "de", target: "en" },
    ]);
    expect(pair.language.terminated).toBe(false);
    pair.release();
    expect(await kept).toBe("ZWEI");
    back.destroy();
    expect([pair.language.terminated, pair.engine.terminated]).toEqual([true, true]);
    await Translator.create(PAIR, environment);
    expect(environment.workers.pairs).toHaveLength(2);
  });

  it.each<[string, Partial<TranslatorCreateOptions>]>([
    ["threads", { threads: 1 }],
    ["engine", { engine: "wasm" }],
    ["limits", { limits: { text_characters: 10 } }],
    ["shortlist", { shortlist: false }],
    ["persistent cache", { persistentCache: true }],
  ])("keeps apart who asks for another: %s", async (_what, options) => {
    const environment = site();
    const plain = await Translator.create(PAIR, environment);
    const other = await Translator.create({ ...BACK, ...options }, environment);
    expect(environment.workers.pairs).toHaveLength(2);
    plain.destroy();
    expect(await other.translate("ja")).toBe("JA");
    await Translator.create({ ...PAIR, ...options }, environment);
    expect(environment.workers.pairs).toHaveLength(2);
  });

  it("keeps apart those that take a direction from different bundles", async () => {
    const environment = site();
    await Translator.create(PAIR, environment);
    environment.models = () => Promise.resolve([{ ...MODEL, bundle: "newer" }]);
    const newer = await Translator.create(PAIR, environment);
    expect(environment.workers.pairs).toHaveLength(2);
    expect(pairOf(environment, 1).language.posted[1]).toMatchObject({ type: "open", bundle: "newer" });
    expect(await newer.translate("ja")).toBe("JA");
  });

  it("ends workers that cannot be told what is asked for", async () => {
    const environment = site();
    const spawn = (): WorkerPair => {
      const pair = environment.workers.spawn();
      const post = pair.language.postMessage.bind(pair.language);
      vi.spyOn(pair.language, "postMessage").mockImplementation((message, transfer = []) => {
        structuredClone(message);
        post(message, transfer);
      });
      return pair;
    };
    const memory = [new Proxy({ source: "Ja.", target: "Yes." }, {})];
    const failing = Translator.create({ ...PAIR, memory }, { ...environment, spawn });
    await expect(failing).rejects.toMatchObject({ name: "DataCloneError" });
    const { language, engine } = pairOf(environment);
    expect([language.terminated, engine.terminated]).toEqual([true, true]);
  });

  it("opens one pair anew for all when a worker dies", async () => {
    const environment = site();
    const [there, back] = [await Translator.create(PAIR, environment), await Translator.create(BACK, environment)];
    pairOf(environment).hold = true;
    const lost = [there.translate("eins"), back.translate("zwei")].map((call) =>
      expect(call).rejects.toMatchObject({ code: "worker-gone", details: { worker: "language" } }),
    );
    await vi.waitFor(() => { expect(told(environment)).toHaveLength(3); });
    environment.fakeLocks.release("language-1");
    await Promise.all(lost);
    expect(await Promise.all([back.translate("drei"), there.translate("vier")])).toEqual(["DREI", "VIER"]);
    expect(environment.workers.pairs).toHaveLength(2);
    expect(pairOf(environment, 1).language.posted[1]).toMatchObject({ type: "open", bundle: "en-de" });
    expect(told(environment, 1)[0]).toMatchObject({ type: "load", source: "de", target: "en" });
  });

  it("rejects with what its own model lacks; the others do not notice", async () => {
    const environment = site();
    const there = await Translator.create(PAIR, environment);
    const pair = pairOf(environment);
    pair.hold = true;
    const kept = there.translate("eins");
    const missing = { code: "bundle-corrupt", message: "other bytes", details: {} } as const;
    pair.loads.push({ ok: false, error: missing });
    await expect(Translator.create(BACK, environment)).rejects.toMatchObject({ code: "bundle-corrupt" });
    pair.release();
    expect(await kept).toBe("EINS");
    const back = await Translator.create(BACK, environment);
    expect(await back.translate("zwei")).toBe("ZWEI");
    expect(environment.workers.pairs).toHaveLength(1);
  });

  it("does not fail for a model that another one opened the workers with", async () => {
    const environment = site();
    const { pair: silent } = silentPair();
    const spawn = vi.fn((): WorkerPair => environment.workers.spawn()).mockReturnValueOnce(silent);
    const shared = { ...environment, spawn };
    const failing = Translator.create(PAIR, shared);
    const failed = expect(failing).rejects.toMatchObject({ code: "bundle-corrupt" });
    const waiting = Translator.create(BACK, shared);
    await vi.waitFor(() => { expect(spawn).toHaveBeenCalledTimes(1); });
    await new Promise((resolve) => { setTimeout(resolve, 0); });
    const error = { code: "bundle-corrupt", message: "other bytes", details: {} } as const;
    silent.language.dispatchEvent(new MessageEvent("message", { data: { type: "failed", error } }));
    await failed;
    expect(await (await waiting).translate("ja")).toBe("JA");
    expect(pairOf(environment).language.posted[1]).toMatchObject({ type: "open", bundle: "en-de" });
  });

  it("tells each of the loading of its own models", async () => {
    const environment = site();
    await Translator.create(PAIR, environment);
    const pair = pairOf(environment);
    pair.loads.push(undefined); // It takes its time.
    const seen: unknown[] = [];
    const creating = Translator.create({
      ...BACK,
      monitor: (monitor) => { monitor.addEventListener("loading", ({ stage, loaded }) => seen.push([stage, loaded])); },
    }, environment);
    await vi.waitFor(() => { expect(told(environment)).toHaveLength(1); });
    for (const bundle of ["de-en", "en-de"]) {
      pair.language.say({ type: "loading", stage: "model", bundle, loaded: bundle === "en-de" ? 2 : 1, total: 5 });
    }
    pair.language.say({ type: "loaded", id: 1, outcome: { ok: true } });
    await creating;
    expect(seen).toEqual([["model", 2]]);
  });

  it("gives up on a model that nothing is heard of for a minute, twice", async () => {
    vi.useFakeTimers();
    try {
      const environment = site();
      const there = await Translator.create(PAIR, environment);
      pairOf(environment).loads.push(undefined, undefined);
      const creating = Translator.create(BACK, environment);
      const failed = expect(creating).rejects.toMatchObject({ code: "network", details: { silent: 60 } });
      await vi.advanceTimersByTimeAsync(120_000);
      await failed;
      expect(await there.translate("ja")).toBe("JA");
      expect(environment.workers.pairs).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
