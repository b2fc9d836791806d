import { describe, expect, it, vi } from "vitest";
import type { WorkerPair } from "../../../web/src/api/connection.ts";
import { DragomanError } from "../../../web/src/wire/errors.ts";
import { FakeWorkers } from "../../../web/src/fakes/workers.ts";
import { Translator } from "../../../web/src/api/translator.ts";
import { fakeEnvironment, silentPair } from "../support/fakes.ts";
import { MANIFEST, MODEL } from "../support/values.ts";

const PAIR = { sourceLanguage: "de", targetLanguage: "en" };

function pairOf({ workers }: ReturnType<typeof fakeEnvironment>, index: number) {
  const pair = workers.pairs[index];
  if (!pair) throw new Error(`there is no pair ${index}`);
  return pair;
}

describe("Translator.availability", () => {
  it("knows a kept model, one to be downloaded, and none", async () => {
    const kept = fakeEnvironment({ isKept: () => Promise.resolve(true) });
    expect(await Translator.availability(PAIR, kept)).toBe("available");
    expect(await Translator.availability(PAIR, fakeEnvironment())).toBe("downloadable");
    const other = { sourceLanguage: "en", targetLanguage: "de" };
    expect(await Translator.availability(other, fakeEnvironment())).toBe("unavailable");
  });

  it("starts no worker", async () => {
    const environment = fakeEnvironment();
    await Translator.availability(PAIR, environment);
    expect(environment.workers.pairs).toEqual([]);
  });

  it("is asked where nothing can be translated, as the models are, and says why not", async () => {
    const check = (): never => { throw new DragomanError("not-supported", "not over HTTP"); };
    const isKept = vi.fn(() => Promise.resolve(false));
    const environment = fakeEnvironment({ check, isKept });
    const asked = [Translator.availability(PAIR, environment), Translator.models({}, environment), Translator.deleteModel(PAIR, environment)];
    for (const one of asked) await expect(one).rejects.toMatchObject({ code: "not-supported" });
    expect(isKept).not.toHaveBeenCalled();
  });
});

describe("Translator.create", () => {
  it("tells the monitor of the loading", async () => {
    const seen: unknown[] = [];
    await Translator.create(
      {
        ...PAIR,
        monitor(monitor) {
          monitor.addEventListener("downloadprogress", ({ loaded, total }) => seen.push([loaded, total]));
          monitor.addEventListener("loading", ({ stage }) => seen.push(stage));
          monitor.ondownloadprogress = ({ type, loaded }) => seen.push(`${type} ${loaded}`);
        },
      },
      fakeEnvironment(),
    );
    expect(seen).toEqual(["model", "downloadprogress 1", [1, 1]]);
  });

  it("begins again, once, when loading stands still", async () => {
    vi.useFakeTimers();
    try {
      const { pair, ended } = silentPair();
      const environment = fakeEnvironment();
      const spawn = vi.fn((): WorkerPair => environment.workers.spawn()).mockReturnValueOnce(pair);
      const creating = Translator.create(PAIR, { ...environment, spawn });
      await vi.advanceTimersByTimeAsync(60_000);
      const translator = await creating;
      expect(await translator.translate("ja")).toBe("JA");
      expect(ended).toHaveBeenCalledTimes(2);
      translator.destroy();
      spawn.mockReturnValue(silentPair().pair);
      const failing = Translator.create(PAIR, { ...environment, spawn });
      const failed = expect(failing).rejects.toMatchObject({ code: "network", details: { silent: 60 } });
      await vi.advanceTimersByTimeAsync(120_000);
      await failed;
      expect(spawn).toHaveBeenCalledTimes(4);
    } finally {
      vi.useRealTimers();
    }
  });

  it("hands threads and limits to the worker", async () => {
    const environment = fakeEnvironment();
    const limits = { text_characters: 10 };
    const translator = await Translator.create({ ...PAIR, threads: 3, limits }, environment);
    expect(pairOf(environment, 0).language.posted).toEqual([
      { type: "prepare", base: "http://localhost/" },
      {
        type: "open",
        bundle: "de-en",
        threads: 3,
        measureThreads: false,
        limits,
        models: [{ bundle: "de-en", source: "de", target: "en", bytes: 5 }],
      },
    ]);
    expect(translator.inputQuota).toBe(10);
  });

  it("hands the terms of its own, and those of a call after them, to the worker", async () => {
    const environment = fakeEnvironment();
    const own = { source: "Haus", target: "house" };
    const translator = await Translator.create({ ...PAIR, glossary: [own] }, environment);
    await translator.translate("ja", { glossary: [{ source: "Anna" }] });
    await translator.translate("ja");
    await translator.translateGraph({
      requests: [{ template: [{ input: "a" }, { output: "b" }], source: "en", target: "fr" }],
      variables: { a: "ja" },
    });
    const posted = pairOf(environment, 0).language.posted.slice(2);
    expect(posted).toMatchObject([
      { type: "translate", request: { glossary: [own, { source: "Anna" }] } },
      { type: "translate", request: { glossary: [own] } },
      { type: "graph", graph: { requests: [{ source: "en", target: "fr" }] } },
    ]);
    expect(JSON.stringify(posted[2])).not.toContain("glossary");
  });

  it("brings its memory once, and names it for texts in its own languages", async () => {
    const environment = fakeEnvironment();
    const memory = [{ source: "Guten Tag!", target: "Hello!" }];
    const translator = await Translator.create({ ...PAIR, memory }, environment);
    await translator.translate("ja");
    await translator.translateGraph({
      requests: [{ template: [{ input: "a" }, { output: "b" }], source: "en", target: "fr" }],
      variables: { a: "ja" },
    });
    const posted = pairOf(environment, 0).language.posted.slice(1);
    expect(posted).toMatchObject([
      { type: "open", memory },
      { type: "translate", request: { memory: true } },
      { type: "graph" },
    ]);
    expect(JSON.stringify(posted[2])).not.toContain("memory");
    const other = await Translator.create(PAIR, environment);
    await other.translate("ja");
    expect(JSON.stringify(pairOf(environment, 1).language.posted)).not.toContain("memory");
  });

  it("goes over English where there is no model for the pair", async () => {
    const second = { ...MODEL, bundle: "en-fr", source: "en", target: "fr" };
    const kept = new Set(["de-en"]);
    const environment = fakeEnvironment({
      models: () => Promise.resolve([second, MODEL]),
      isKept: (bundle) => Promise.resolve(kept.has(bundle)),
    });
    const pair = { sourceLanguage: "de", targetLanguage: "fr" };
    expect(await Translator.availability(pair, environment)).toBe("downloadable");
    kept.add("en-fr");
    expect(await Translator.availability(pair, environment)).toBe("available");
    const translator = await Translator.create(pair, environment);
    expect(await translator.translate("ja")).toBe("JA");
    const posted = pairOf(environment, 0).language.posted.slice(1);
    expect(posted).toMatchObject([
      { type: "open", bundle: "de-en", models: [{ bundle: "de-en" }, { bundle: "en-fr" }] },
      { type: "translate", request: { source: "de", target: "fr" } },
    ]);
  });

  it("rejects a pair without a model", async () => {
    const creating = Translator.create({ sourceLanguage: "fr", targetLanguage: "en" }, fakeEnvironment());
    await expect(creating).rejects.toMatchObject({
      code: "language-pair",
      message: 'there is no model from "fr" to "en"; available: de-en',
    });
  });

  it("can be aborted, which ends the workers", async () => {
    const controller = new AbortController();
    const workers = new FakeWorkers(MANIFEST);
    const spawn = () => {
      controller.abort();
      return workers.spawn();
    };
    const creating = Translator.create({ ...PAIR, signal: controller.signal }, fakeEnvironment({ spawn }));
    await expect(creating).rejects.toMatchObject({ name: "AbortError" });
    expect(workers.pairs.map(({ language }) => language.terminated)).toEqual([true]);
  });

  it("rejects with what the surroundings lack, before anything is started", async () => {
    const check = (): void => {
      throw new DragomanError("not-supported", "no SIMD");
    };
    const environment = fakeEnvironment({ check });
    await expect(Translator.create(PAIR, environment)).rejects.toMatchObject({ code: "not-supported" });
    expect(environment.workers.pairs).toEqual([]);
  });
});

describe("Translator", () => {
  it("translates, with and without details", async () => {
    const environment = fakeEnvironment();
    const translator = await Translator.create(PAIR, environment);
    expect(await translator.translate("Guten Tag")).toBe("GUTEN TAG");
    const { text, alignment } = await translator.translateDetailed("Guten Tag");
    expect(text).toBe("GUTEN TAG");
    expect(alignment?.links).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(pairOf(environment, 0).language.posted.at(-1)).toEqual({
      type: "translate",
      id: 2,
      request: { text: "Guten Tag", source: "de", target: "en", alignment: "hard", overlong: "wrap" },
    });
  });

  it("opens new workers for the call after a worker's death", async () => {
    const environment = fakeEnvironment();
    const translator = await Translator.create(PAIR, environment);
    pairOf(environment, 0).hold = true;
    const lost = translator.translate("eins");
    await vi.waitFor(() => {
      expect(pairOf(environment, 0).language.posted).toHaveLength(3);
    });
    environment.fakeLocks.release("engine-1");
    await expect(lost).rejects.toMatchObject({ code: "worker-gone" });
    expect(await translator.translate("zwei")).toBe("ZWEI");
    expect(environment.workers.pairs).toHaveLength(2);
  });

  it("aborts one call and no other", async () => {
    const environment = fakeEnvironment();
    const translator = await Translator.create(PAIR, environment);
    const pair = pairOf(environment, 0);
    pair.hold = true;
    const controller = new AbortController();
    const first = translator.translate("eins", { signal: controller.signal });
    const second = translator.translate("zwei");
    await vi.waitFor(() => {
      expect(pair.language.posted).toHaveLength(4);
    });
    controller.abort();
    await expect(first).rejects.toMatchObject({ name: "AbortError" });
    pair.release();
    expect(await second).toBe("ZWEI");
  });

  it("hands every option to the worker", async () => {
    const environment = fakeEnvironment();
    const translator = await Translator.create(PAIR, environment);
    await translator.translate("eins", { priority: "near", deadline: 60, whenFull: "wait", cache: false });
    const posted = pairOf(environment, 0).language.posted.at(-1);
    if (posted?.type !== "translate") throw new Error("no request was posted");
    const { deadline, ...others } = posted.request;
    expect(others).toEqual({
      ...{ text: "eins", source: "de", target: "en", alignment: "none", overlong: "wrap" },
      ...{ priority: "near", whenFull: "wait", cache: false },
    });
    expect(deadline).toBeGreaterThan(50); // What the way to the worker took is gone.
    expect(deadline).toBeLessThanOrEqual(60);
  });

  it("hands beam, alternatives and prefix to the worker", async () => {
    const environment = fakeEnvironment();
    const translator = await Translator.create(PAIR, environment);
    await translator.translateDetailed("eins", { beam: 8, alternatives: 3, prefix: "" });
    const posted = pairOf(environment, 0).language.posted.at(-1);
    expect(posted).toMatchObject({ type: "translate", request: { beam: 8, alternatives: 3, prefix: "" } });
  });

  it("refuses options that are none", async () => {
    const translator = await Translator.create(PAIR, fakeEnvironment());
    const options = { priority: "soon" as "near" };
    expect(() => translator.submit("eins", options)).toThrow(TypeError);
    await expect(translator.translate("eins", { deadline: 0 })).rejects.toThrow(RangeError);
    await expect(translator.translate("eins", { deadline: NaN })).rejects.toThrow(RangeError);
  });

  it("gives a hand on a request, before and after the worker has it", async () => {
    const environment = fakeEnvironment();
    const translator = await Translator.create(PAIR, environment);
    const pair = pairOf(environment, 0);
    pair.hold = true;
    const [first, second] = [translator.submit("eins", { priority: "background" }), translator.submit("zwei")];
    first.prioritize("near"); // It is not posted yet.
    second.cancel();
    await expect(second.result).rejects.toMatchObject({ name: "AbortError" });
    await vi.waitFor(() => {
      expect(pair.language.posted).toHaveLength(3);
    });
    first.prioritize("visible");
    expect(pair.language.posted.slice(2)).toMatchObject([
      { type: "translate", request: { text: "eins", priority: "near" } },
      { type: "prioritize", id: 1, priority: "visible" },
    ]);
    pair.release();
    expect((await first.result).text).toBe("EINS");
  });

  it("ends a request whose deadline is over before the workers are ready", async () => {
    const environment = fakeEnvironment();
    const translator = await Translator.create(PAIR, environment);
    environment.fakeLocks.release("engine-1"); // The next call opens new workers, which say nothing.
    const silent = environment.workers.spawn;
    await Promise.resolve();
    environment.spawn = () => {
      const pair = silent();
      pair.language.terminate();
      return pair;
    };
    await expect(translator.translate("eins", { deadline: 0.01 })).rejects.toMatchObject({
      code: "deadline",
      details: { deadline: 0.01, done: 0, total: 0 },
    });
  });

  it("hands on which engine is wanted", async () => {
    const environment = fakeEnvironment();
    await Translator.create({ ...PAIR, engine: "webgpu" }, environment);
    expect(environment.workers.pairs[0]?.language.posted[1]).toMatchObject({ type: "open", engine: "webgpu" });
  });

  it("keeps sentences for later visits when it is asked to, and forgets them", async () => {
    const environment = fakeEnvironment();
    const keeping = await Translator.create({ ...PAIR, persistentCache: true }, environment);
    expect((await keeping.statistics()).persistentCache).toEqual({ state: "on" });
    await keeping.clearCache();
    expect(pairOf(environment, 0).language.posted).toContainEqual({ type: "clear-cache", id: 2 });
    keeping.destroy();
    await expect(keeping.clearCache()).rejects.toMatchObject({ name: "AbortError" });
    const other = await Translator.create(PAIR, environment);
    expect((await other.statistics()).persistentCache).toEqual({ state: "off" });
  });

  it("gives statistics", async () => {
    const translator = await Translator.create(PAIR, fakeEnvironment());
    await translator.translate("eins");
    expect(await translator.statistics()).toMatchObject({ submitted: 1, done: 1, pending: 0, engines: [] });
    translator.destroy();
    await expect(translator.statistics()).rejects.toMatchObject({ name: "AbortError" });
  });

  it("takes the name of a file of whatever window it is", async () => {
    const environment = fakeEnvironment();
    const translator = await Translator.create(PAIR, environment);
    const file = Object.assign(new Blob(["ein brief"]), { name: "brief.txt" });
    expect(await (await translator.translateDocument(file)).file.text()).toBe("EIN BRIEF");
    await translator.translateDocument(new File(["ein brief"], "a.txt"), { name: "b.md" });
    await translator.translateDocument(new Blob(["ein brief"]));
    const { posted } = pairOf(environment, 0).language;
    const names = posted.map((message) => (message.type === "document" ? message.file.name : undefined)).filter((name) => name !== undefined);
    expect(names).toEqual(["brief.txt", "b.md", ""]);
  });

  it("counts characters, not code units", async () => {
    const translator = await Translator.create(PAIR, fakeEnvironment());
    expect(await translator.measureInputUsage("Tag 😊")).toBe(5);
    expect(await translator.measureInputUsage("\ud83d")).toBe(1);
    expect(await translator.measureInputUsage("")).toBe(0);
  });

  it("rejects everything once it is destroyed", async () => {
    const environment = fakeEnvironment();
    const translator = await Translator.create(PAIR, environment);
    pairOf(environment, 0).hold = true;
    const open = translator.translate("eins");
    await vi.waitFor(() => {
      expect(pairOf(environment, 0).language.posted).toHaveLength(3);
    });
    translator.destroy();
    translator.destroy();
    await expect(open).rejects.toMatchObject({ name: "AbortError" });
    await expect(translator.translate("zwei")).rejects.toMatchObject({ name: "AbortError" });
    await expect(translator.measureInputUsage("zwei")).rejects.toMatchObject({ name: "AbortError" });
    expect(environment.workers.pairs).toHaveLength(1);
  });
});
