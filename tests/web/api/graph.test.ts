import { describe, expect, it, vi } from "vitest";
import { Translator } from "../../../web/src/api/translator.ts";
import { fakeEnvironment } from "../support/fakes.ts";

const PAIR = { sourceLanguage: "de", targetLanguage: "en" };

async function open() {
  const environment = fakeEnvironment();
  const translator = await Translator.create(PAIR, environment);
  const [pair] = environment.workers.pairs;
  if (!pair) throw new Error("no pair was spawned");
  return { environment, translator, pair };
}

describe("Translator.translateGraph", () => {
  it("feeds outputs to inputs, and tells of each", async () => {
    const { translator, pair } = await open();
    const onoutput = vi.fn();
    const { outputs } = await translator.translateGraph(
      {
        variables: { title: "ja" },
        requests: [
          { template: ["# ", { input: "title" }, { output: "heading" }], alignment: "none" },
          { template: [{ input: "heading" }, { output: "back" }], source: "en", target: "de", priority: "near" },
        ],
      },
      { onoutput },
    );
    expect(Object.keys(outputs)).toEqual(["heading", "back"]);
    expect(outputs["back"]).toMatchObject({ ok: true, response: { text: "# JA" } });
    expect(onoutput.mock.calls.map(([name]: unknown[]) => name)).toEqual(["heading", "back"]);
    expect(pair.language.posted.at(-1)).toEqual({
      type: "graph",
      id: 1,
      graph: {
        variables: { title: "ja" },
        requests: [
          {
            ...{ source: "de", target: "en", alignment: "none", overlong: "wrap" },
            template: ["# ", { input: "title" }, { output: "heading" }],
          },
          {
            ...{ source: "en", target: "de", alignment: "hard", overlong: "wrap", priority: "near" },
            template: [{ input: "heading" }, { output: "back" }],
          },
        ],
      },
    });
  });

  it("gives each output its own end", async () => {
    const { translator } = await open();
    const { outputs } = await translator.translateGraph({
      variables: { good: "ja", bad: "fail" },
      requests: [
        { template: [{ input: "bad" }, { output: "a" }] },
        { template: [{ input: "good" }, { output: "b" }] },
      ],
    });
    expect(outputs["a"]).toMatchObject({ ok: false, error: { code: "engine", name: "DragomanError" } });
    expect(outputs["b"]).toMatchObject({ ok: true });
  });

  it("is aborted as a whole by its signal", async () => {
    const { translator, pair } = await open();
    const controller = new AbortController();
    vi.spyOn(pair.language, "say").mockImplementation(() => undefined); // The worker is busy.
    const graph = { variables: { a: "x" }, requests: [{ template: [{ input: "a" }, { output: "b" }] }] };
    const running = translator.translateGraph(graph, { signal: controller.signal });
    await vi.waitFor(() => { expect(pair.language.posted.at(-1)?.type).toBe("graph"); });
    controller.abort();
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    expect(pair.language.posted.at(-1)).toEqual({ type: "cancel", id: 1 });
  });

  it("takes one output back, before and after the worker has the graph", async () => {
    const { translator, pair } = await open();
    vi.spyOn(pair.language, "say").mockImplementation(() => undefined);
    const graph = { requests: [{ template: ["x", { output: "b" }] }, { template: ["x", { output: "c" }] }] };
    const running = translator.submitGraph(graph);
    running.cancelOutput("b");
    await vi.waitFor(() => { expect(pair.language.posted).toHaveLength(4); });
    running.cancelOutput("c");
    expect(pair.language.posted.slice(3)).toEqual([
      { type: "cancel", id: 1, output: "b" },
      { type: "cancel", id: 1, output: "c" },
    ]);
    running.cancel("enough");
    await expect(running.result).rejects.toBe("enough");
  });

  it("settles when a worker dies", async () => {
    const { environment, translator, pair } = await open();
    vi.spyOn(pair.language, "say").mockImplementation(() => undefined);
    const running = translator.translateGraph({ requests: [{ template: ["x", { output: "b" }] }] });
    await vi.waitFor(() => { expect(pair.language.posted.at(-1)?.type).toBe("graph"); });
    environment.fakeLocks.release("language-1");
    await expect(running).rejects.toMatchObject({ code: "worker-gone" });
  });

  it("refuses a priority that is none", async () => {
    const { translator } = await open();
    const requests = [{ template: ["x", { output: "b" }], priority: "soon" as "near" }];
    expect(() => translator.submitGraph({ requests })).toThrow(TypeError);
    await expect(translator.translateGraph({ requests })).rejects.toThrow(TypeError);
  });
});
