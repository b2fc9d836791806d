import { beforeEach, describe, expect, it } from "vitest";
import type { Environment } from "../../../web/src/api/environment.ts";
import { Translator } from "../../../web/src/api/translator.ts";
import { PublishedStore } from "../../../web/src/published/store.ts";
import type { PublishedModel } from "../../../web/src/published/catalogue.ts";
import { fakeEnvironment, FakeShelf, publishedHost, SharedLocks, type FakeEnvironment } from "../support/fakes.ts";
import { ADDRESS, FakeMirror, lively } from "../support/mirror.ts";

const FR_DE = { sourceLanguage: "fr", targetLanguage: "de" };

let mirror: FakeMirror;
let shelf: FakeShelf;
let frEn: PublishedModel;
let enDe: PublishedModel;
let around: FakeEnvironment;

function environment(overrides: Partial<Environment> = {}): FakeEnvironment {
  const host = publishedHost({
    openShelf: () => Promise.resolve(shelf),
    fetch: mirror.fetch,
    locks: new SharedLocks().manager,
  });
  return fakeEnvironment({ published: new PublishedStore(host), catalogues: [`${ADDRESS}catalogue.json`], ...overrides });
}

const fetched = (): readonly string[] => mirror.asked.map(({ name }) => name).filter((name) => name !== "catalogue.json");

beforeEach(() => {
  mirror = new FakeMirror();
  shelf = new FakeShelf();
  const vocabulary = mirror.file("vocab", "pieces");
  frEn = mirror.model("fr", "en", [mirror.file("model", lively(1000)), vocabulary]);
  enDe = mirror.model("en", "de", [mirror.file("model", lively(500)), vocabulary]);
  mirror.list([frEn, enDe, mirror.model("de", "en", [mirror.file("model", lively(300)), vocabulary])]);
  around = environment();
});

describe("availability", () => {
  it("says what would have to be fetched, and fetches nothing of it", async () => {
    expect(await Translator.availability(FR_DE, around)).toBe("downloadable");
    expect(await Translator.availability({ sourceLanguage: "fr-CA", targetLanguage: "de-AT" }, around)).toBe("downloadable");
    expect(await Translator.availability({ sourceLanguage: "ja", targetLanguage: "de" }, around)).toBe("unavailable");
    expect(fetched()).toEqual([]);
    await Translator.download(FR_DE, around);
    expect(await Translator.availability(FR_DE, around)).toBe("available");
  });

  it("has nothing for two tags of one language", async () => {
    const pair = { sourceLanguage: "de", targetLanguage: "de-DE" };
    expect(await Translator.availability(pair, around)).toBe("unavailable");
    await expect(Translator.create(pair, around)).rejects.toMatchObject({ code: "language-pair" });
  });

  it("asks nobody before it is called", async () => {
    environment();
    await Promise.resolve();
    expect(mirror.asked).toEqual([]);
  });

  it("needs no mirror, and no network for what is kept", async () => {
    mirror.files.delete("catalogue.json");
    expect(await Translator.availability(FR_DE, around)).toBe("unavailable");
    expect(await Translator.availability({ sourceLanguage: "de", targetLanguage: "en" }, around)).toBe("downloadable");
    mirror.isReachable = false;
    expect(await Translator.availability({ sourceLanguage: "de", targetLanguage: "en" }, around)).toBe("downloadable");
  });

  it("takes a mirror that is named in place of the page's own, and says so where it cannot be read", async () => {
    const asked = { ...FR_DE, source: "https://mirror.example.org/models" };
    await expect(Translator.availability(asked, around)).rejects.toMatchObject({ code: "fetch-status" });
    expect(mirror.asked.length).toBe(1);
  });
});

describe("create", () => {
  it("fetches both legs and reports the sum, from 0 to 1", async () => {
    const seen: number[] = [];
    const translator = await Translator.create(
      {
        ...FR_DE,
        monitor: (monitor) => {
          monitor.addEventListener("downloadprogress", ({ loaded }) => seen.push(loaded));
        },
      },
      around,
    );
    expect(fetched().length).toBe(3);
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
    expect(seen.length).toBeGreaterThan(10);
    const [pair] = around.workers.pairs;
    expect(pair?.language.posted[1]).toMatchObject({
      type: "open",
      bundle: "published/fr-en",
      models: [{ bundle: "published/fr-en" }, { bundle: "published/en-de" }, { bundle: "de-en" }],
    });
    translator.destroy();
  });

  it("keeps what came before it was aborted", async () => {
    const stopping = new AbortController();
    mirror.onchunk = (sent) => {
      if (fetched().length && sent >= 300) stopping.abort();
    };
    await expect(Translator.create({ ...FR_DE, signal: stopping.signal }, around)).rejects.toThrow();
    expect(around.workers.pairs).toEqual([]);
    const [model] = (await Translator.models({}, around)).filter(({ fetched: bytes }) => bytes > 0);
    expect(model).toMatchObject({ sourceLanguage: "fr", fetched: 300, availability: "downloadable" });
  });

  it("asks the core in the tags of the models", async () => {
    const translator = await Translator.create({ sourceLanguage: "fr-CA", targetLanguage: "de-AT" }, around);
    expect(translator.sourceLanguage).toBe("fr-CA");
    await translator.translate("Bonjour.");
    const [pair] = around.workers.pairs;
    const asked = pair?.language.posted.find(({ type }) => type === "translate");
    expect(asked).toMatchObject({ request: { source: "fr", target: "de" } });
    translator.destroy();
  });

  it("prefers what was fetched to what the site has, and that to what would have to be fetched", async () => {
    const pair = { sourceLanguage: "de", targetLanguage: "en" };
    const bundleOf = async (): Promise<string> => {
      const fresh = environment({ isKept: () => Promise.resolve(true) });
      const translator = await Translator.create(pair, fresh);
      translator.destroy();
      const [, opened] = fresh.workers.pairs[0]?.language.posted ?? [];
      return opened?.type === "open" ? opened.bundle : "";
    };
    expect(await bundleOf()).toBe("de-en");
    expect(fetched()).toEqual([]);
    const [model] = (await around.published.catalogue(`${ADDRESS}catalogue.json`)).filter(({ source }) => source === "de");
    if (!model) throw new Error("no model");
    await around.published.fetch([model]);
    expect(await bundleOf()).toBe("published/de-en");
  });
});

describe("models", () => {
  it("lists what is there and what can be had, and deletes", async () => {
    await Translator.download({ sourceLanguage: "fr", targetLanguage: "en" }, around);
    const models = await Translator.models({}, around);
    expect(models.map(({ sourceLanguage, targetLanguage, kind, availability }) =>
      `${sourceLanguage}-${targetLanguage} ${kind} ${availability}`)).toEqual([
      "fr-en published available",
      "de-en built-in downloadable",
      "en-de published downloadable",
      "de-en published downloadable",
    ]);
    expect(models[0]).toMatchObject({
      installed: 1006,
      score: 0.8,
      attribution: { publisher: "Testers", licence: "MPL-2.0", home: "https://example.org" },
    });
    expect(models[0]?.fetched).toBe(models[0]?.download);
    await Translator.deleteModel({ sourceLanguage: "fr", targetLanguage: "en" }, around);
    expect((await Translator.models({}, around)).map(({ availability }) => availability)).not.toContain("available");
  });

  it("deletes nothing that the site has itself", async () => {
    mirror.list([frEn]);
    const pair = { sourceLanguage: "de", targetLanguage: "en" };
    await expect(Translator.deleteModel(pair, around)).rejects.toMatchObject({ code: "language-pair" });
  });
});
