import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DragomanError, QuotaError, Translator } from "../../web/src/index.ts";
import { fakeEnvironment, type FakeEnvironment } from "./support/fakes.ts";

const PAIR = { sourceLanguage: "de", targetLanguage: "en" };
const QUOTA = new QuotaError("text-too-long", "too long", { requested: 7, allowed: 5 });
let environment: FakeEnvironment;
/** What the polyfill gives. */
let standard: Pick<typeof Translator, "create">;

beforeEach(async () => {
  environment = fakeEnvironment({ isKept: () => Promise.resolve(true) });
  const create = Translator.create.bind(Translator);
  const availability = Translator.availability.bind(Translator);
  vi.spyOn(Translator, "create").mockImplementation((options) => create(options, environment));
  vi.spyOn(Translator, "availability").mockImplementation((pair) => availability(pair, environment));
  await import("../../web/src/polyfill.ts");
  standard = (globalThis as unknown as { Translator: typeof Translator }).Translator;
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** A translator whose texts all fail. */
async function failing(error: Error): Promise<Translator> {
  vi.spyOn(Translator.prototype, "translateDetailed").mockRejectedValue(error);
  vi.spyOn(Translator.prototype, "measureInputUsage").mockRejectedValue(error);
  vi.spyOn(Translator.prototype, "translateStreaming").mockImplementation(() => new ReadableStream({
    start(controller) {
      controller.error(error);
    },
  }));
  return standard.create(PAIR);
}

it("translates, streams and measures", async () => {
  const translator = await standard.create(PAIR);
  expect(await translator.translate("ja")).toBe("JA");
  const pieces: string[] = [];
  for await (const piece of translator.translateStreaming("ja. nein.")) pieces.push(piece);
  expect(pieces.join("")).toBe("JA. NEIN.");
  expect(await translator.measureInputUsage("ja")).toBe(2);
});

it("destroys a translator when the signal that it was created with is aborted", async () => {
  const control = new AbortController();
  const translator = await standard.create({ ...PAIR, signal: control.signal });
  const pair = environment.workers.pairs[0];
  if (pair) pair.hold = true;
  const waiting = expect(translator.translate("ja")).rejects.toMatchObject({ name: "AbortError" });
  control.abort();
  await waiting;
  await expect(translator.translate("ja")).rejects.toMatchObject({ name: "AbortError" });
  expect(pair?.language.terminated).toBe(true);
});

it("fails with the standard's errors", async () => {
  const translator = await failing(new DragomanError("network", "no"));
  const wanted = { name: "NetworkError", message: "no" };
  await expect(translator.translate("ja")).rejects.toMatchObject(wanted);
  await expect(translator.measureInputUsage("ja")).rejects.toMatchObject(wanted);
  const reader = translator.translateStreaming("ja").getReader();
  await expect(reader.closed).rejects.toMatchObject(wanted);
  await expect(reader.read()).rejects.toMatchObject(wanted);
  await expect(translator.translate("ja")).rejects.toBeInstanceOf(DOMException);
});

it("names a limit as the standard does, where the browser has no class for it", async () => {
  const translator = await failing(QUOTA);
  const found: unknown = await translator.translate("ja").catch((error: unknown) => error);
  expect(found).toBeInstanceOf(DOMException);
  expect(found).toMatchObject({ name: "QuotaExceededError", message: "too long" });
});

it("gives the figures of a limit in the browser's own class", async () => {
  class QuotaExceededError extends DOMException {
    readonly figures: unknown;
    constructor(message: string, figures: unknown) {
      super(message, "QuotaExceededError");
      this.figures = figures;
    }
  }
  vi.stubGlobal("QuotaExceededError", QuotaExceededError);
  const translator = await failing(QUOTA);
  const found: unknown = await translator.translate("ja").catch((error: unknown) => error);
  expect(found).toBeInstanceOf(QuotaExceededError);
  expect(found).toMatchObject({ figures: { requested: 7, quota: 5 } });
});

it("leaves what is not the standard's with errors of its own", async () => {
  const translator = await failing(QUOTA);
  await expect(translator.translateDetailed("ja")).rejects.toBe(QUOTA);
});
