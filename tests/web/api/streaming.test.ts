import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { DragomanError } from "../../../web/src/wire/errors.ts";
import type { StreamPiece } from "../../../web/src/wire/protocol.ts";
import type { StreamInput } from "../../../web/src/api/streaming.ts";
import { Translator } from "../../../web/src/api/translator.ts";
import { fakeEnvironment } from "../support/fakes.ts";

const PAIR = { sourceLanguage: "de", targetLanguage: "en" };

async function open() {
  const environment = fakeEnvironment();
  const translator = await Translator.create(PAIR, environment);
  const [pair] = environment.workers.pairs;
  if (!pair) throw new Error("no pair was spawned");
  const posted = (type: string) => pair.language.posted.filter((message) => message.type === type);
  return { environment, translator, pair, posted };
}

async function all<T>(stream: ReadableStream<T>): Promise<T[]> {
  const pieces: T[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return pieces;
    pieces.push(value);
  }
}

/** A text that does not end, and what became of it. */
function endless() {
  const ended = vi.fn<(reason: unknown) => void>();
  let sent = 0;
  const input = new ReadableStream<string>({
    pull(controller) {
      controller.enqueue(`Satz ${++sent}.`);
    },
    cancel: ended,
  });
  return { input, ended };
}

const INPUTS: Record<string, () => StreamInput> = {
  "a text": () => "Ja. Nein. Gut",
  "a stream": () =>
    new ReadableStream<string>({
      start(controller) {
        for (const chunk of ["Ja. N", "", "ein. Gut"]) controller.enqueue(chunk);
        controller.close();
      },
    }),
  "an array": () => ["Ja", ". Nein. ", "Gut"],
  "a generator": async function* () {
    yield "Ja. Nein";
    await Promise.resolve();
    yield ". Gut";
  },
};

describe("Translator.translateStreaming", () => {
  it.each(Object.entries(INPUTS))("takes %s", async (_, input) => {
    const { translator, posted } = await open();
    const generated = input();
    const stream = translator.translateStreaming(typeof generated === "function" ? (generated as () => StreamInput)() : generated);
    expect(await all(stream)).toEqual(["JA.", " NEIN.", " GUT"]);
    expect(posted("stream")).toEqual([
      { type: "stream", id: 1, options: { source: "de", target: "en", alignment: "none", overlong: "wrap" } },
    ]);
    expect((await translator.statistics()).pending).toBe(0);
  });

  it("gives a sentence while the text is still arriving", async () => {
    const { translator } = await open();
    const { readable, writable } = new TransformStream<string, string>();
    const writer = writable.getWriter();
    const reader = translator.translateStreaming(readable).getReader();
    await writer.write("Ja. Und");
    expect(await reader.read()).toEqual({ done: false, value: "JA." });
    await writer.write(" dann");
    await writer.close();
    expect(await reader.read()).toEqual({ done: false, value: " UND DANN" });
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  it("gives ranges in the whole texts, and hands options on", async () => {
    const { translator, posted } = await open();
    const options = { alignment: "soft", overlong: "refuse", priority: "near", whenFull: "wait", cache: false } as const;
    const pieces = await all(translator.translateStreamingDetailed("Ja. Nein.", options));
    expect(pieces.map(({ text, source, target }) => [text, source, target])).toEqual([
      ["JA.", [0, 3], [0, 3]],
      [" NEIN.", [3, 9], [3, 9]],
    ]);
    expect(posted("stream")).toMatchObject([{ options: { source: "de", target: "en", ...options } }]);
    expect(() => translator.translateStreaming("Ja.", { priority: "soon" as "near" })).toThrow(TypeError);
  });

  it("reads no faster than the reader does", async () => {
    const { translator, pair, posted } = await open();
    pair.hold = true; // No piece comes, so none is asked for again.
    const reader = translator.translateStreaming(endless().input).getReader();
    await vi.waitFor(() => { expect(posted("feed")).toHaveLength(1); });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(posted("feed")).toHaveLength(1); // Its sentence waits, and leaves no room.
    expect(posted("pull")).toHaveLength(1);
    await reader.cancel();
  });

  it("sends the next part when there is room for it", async () => {
    const { translator, pair, posted } = await open();
    const say = pair.language.say.bind(pair.language);
    vi.spyOn(pair.language, "say").mockImplementation((message) => {
      if (message.type !== "fed") say(message);
    });
    const stream = translator.translateStreaming(["a", "b", "c"]);
    await vi.waitFor(() => { expect(posted("feed")).toHaveLength(1); });
    say({ type: "fed", id: 1, open: true });
    await vi.waitFor(() => { expect(posted("feed")).toHaveLength(2); });
    await stream.cancel();
  });

  it("cuts long parts", async () => {
    const { translator, posted } = await open();
    expect(await all(translator.translateStreaming("x".repeat(40_000)))).toEqual(["X".repeat(40_000)]);
    expect(posted("feed").map((message) => ("text" in message ? message.text.length : 0))).toEqual([16_384, 16_384, 7_232]);
  });

  it("fed one unit at a time gives the same as the whole text at once", async () => {
    const { translator } = await open();
    const text = fc.array(fc.oneof(fc.constantFrom("Ja.", " ", "nein", "😀", "\ud83d", "ü.")), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, async (words) => {
        const whole = words.join("");
        const pieces = await all(translator.translateStreamingDetailed(whole.split("")));
        expect(pieces).toEqual(await all(translator.translateStreamingDetailed(whole)));
        expect(pieces.map((piece: StreamPiece) => piece.text).join("")).toBe(whole.toUpperCase());
      }),
      { numRuns: 50 },
    );
  });
});

describe("The end of a stream", () => {
  it("comes at an abort, for the reader, the worker and the input", async () => {
    const { translator, posted } = await open();
    const { input, ended } = endless();
    const controller = new AbortController();
    const reader = translator.translateStreaming(input, { signal: controller.signal }).getReader();
    await reader.read();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(reader.read()).rejects.toBe(reason);
    expect(posted("cancel")).toEqual([{ type: "cancel", id: 1 }]);
    expect(ended).toHaveBeenCalledWith(reason);
    expect((await translator.statistics()).pending).toBe(0);
  });

  it("comes at once for a signal that is aborted already", async () => {
    const { translator, posted } = await open();
    const { input, ended } = endless();
    const stream = translator.translateStreaming(input, { signal: AbortSignal.abort() });
    await expect(all(stream)).rejects.toMatchObject({ name: "AbortError" });
    expect(posted("stream")).toEqual([]);
    expect(ended).toHaveBeenCalled();
  });

  it("comes when the reader cancels", async () => {
    const { translator, posted } = await open();
    const { input, ended } = endless();
    const stream = translator.translateStreaming(input);
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel("enough");
    expect(posted("cancel")).toEqual([{ type: "cancel", id: 1 }]);
    expect(ended).toHaveBeenCalledWith("enough");
  });

  it("comes with an error of the input", async () => {
    const { translator, posted } = await open();
    const reason = new Error("the microphone is gone");
    // eslint-disable-next-line @typescript-eslint/require-await -- an input that fails
    async function* input() {
      yield "Ja";
      throw reason;
    }
    await expect(all(translator.translateStreaming(input()))).rejects.toBe(reason);
    expect(posted("cancel")).toEqual([{ type: "cancel", id: 1 }]);
  });

  it("comes with a chunk that is no text", async () => {
    const { translator } = await open();
    const chunks = ["Ja.", 3, null] as unknown as string[];
    await expect(all(translator.translateStreaming(chunks))).rejects.toThrow(TypeError);
    expect(() => translator.translateStreaming(3 as unknown as string)).toThrow(TypeError);
    const locked = new ReadableStream<string>();
    locked.getReader();
    expect(() => translator.translateStreaming(locked)).toThrow(TypeError);
  });

  it("comes with the error of a sentence, which ends the input too", async () => {
    const { translator, pair } = await open();
    const { input, ended } = endless();
    const reader = translator.translateStreaming(input).getReader();
    await reader.read();
    const error = { code: "engine", message: "the engine failed", details: {} } as const;
    pair.hold = true;
    const next = (async () => { for (;;) await reader.read(); })();
    pair.language.say({ type: "ended", id: 1, error });
    await expect(next).rejects.toMatchObject({ code: "engine" });
    expect(ended).toHaveBeenCalledWith(expect.any(DragomanError));
  });

  it.each(["language", "engine"])("comes when the %s worker dies; the next stream has new workers", async (role) => {
    const { environment, translator } = await open();
    const { input, ended } = endless();
    const reader = translator.translateStreaming(input).getReader();
    await reader.read();
    environment.fakeLocks.release(`${role}-1`);
    await expect((async () => { for (;;) await reader.read(); })()).rejects.toMatchObject({ code: "worker-gone" });
    expect(ended).toHaveBeenCalled();
    expect(await all(translator.translateStreaming("Ja. Nein."))).toEqual(["JA.", " NEIN."]);
    expect(environment.workers.pairs).toHaveLength(2);
  });

  it("comes when the translator is destroyed", async () => {
    const { translator } = await open();
    const reader = translator.translateStreaming(endless().input).getReader();
    await reader.read();
    translator.destroy();
    await expect((async () => { for (;;) await reader.read(); })()).rejects.toMatchObject({ name: "AbortError" });
    await expect(all(translator.translateStreaming("Ja."))).rejects.toMatchObject({ name: "AbortError" });
  });
});
