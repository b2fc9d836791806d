"""Streams and dependent requests through the built dragoman.js, in the browsers' own workers."""

from __future__ import annotations

import json

import pytest

from dragoman.native.translator import Translator
from tests.support.pages import OpenPage, Server
from tests.support.paths import ROOT

BLANK = "/blank.html"  # The demo's page has workers of its own.

TEXT = (
    "Guten Morgen! 😀 Um ca. 8 Uhr fährt z. B. der Zug.\n\nDas ist \ud83d ein Haus. 你好。 Und das "
    "ist 👩‍👩‍👧 noch ein Satz ohne Punkt"
)

# `text` is JSON: a lone surrogate survives in it.
STREAM = """async (text) => {
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
  text = JSON.parse(text);
  const whole = await translator.translateDetailed(text);
  const all = async (input) => {
    const pieces = [];
    const reader = translator.translateStreamingDetailed(input).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return pieces;
      pieces.push({ ...value, timings: null });
    }
  };
  const units = await all(text.split(""));
  const once = await all(text);
  const strings = [];
  const write = (piece) => { strings.push(piece); };
  await translator.translateStreaming(text).pipeTo(new WritableStream({ write }));
  const { pending, open_requests } = await translator.statistics();
  translator.destroy();
  return JSON.stringify({
    ...{ units, once, strings, pending, open_requests },
    whole: { ...whole, timings: null },
  });
}"""


def test_one_unit_at_a_time_gives_the_same_as_the_whole(
    open_page: OpenPage, two_models: Server
) -> None:
    opened = open_page(two_models.url + BLANK)
    found = json.loads(opened.page.evaluate(STREAM, json.dumps(TEXT)))
    whole, units = found["whole"], found["units"]
    assert units == found["once"]
    assert "".join(found["strings"]) == "".join(piece["text"] for piece in units) == whole["text"]
    assert [one for piece in units for one in piece["sentences"]] == whole["sentences"]
    for side in "sourceWords", "targetWords":
        words = [word for piece in units for word in piece["alignment"][side]]
        assert words == whole["alignment"][side]
    assert (found["pending"], found["open_requests"]) == (0, 0)
    # The native host cuts the text in the same way.
    with Translator.load("de", "en", [ROOT / "models"], threads=1) as native:
        response = native.translate(TEXT)
    sentences = [piece["source"] for piece in units if piece["sentences"]]
    assert len(sentences) == len(response.sentences) == len(whole["sentences"])


LIVE = """async () => {
  const codeOf = (error) => error.name === "DragomanError" ? error.code : error.name;
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
  const name = (promise) => promise.then(() => "resolved", codeOf);
  const { readable, writable } = new TransformStream();
  const writer = writable.getWriter();
  const reader = translator.translateStreaming(readable).getReader();
  await writer.write("Guten Morgen! Wie geht es");
  const early = (await reader.read()).value;
  await writer.write(" dir?");
  await writer.close();
  const late = (await reader.read()).value;
  const end = (await reader.read()).done;

  const cancelled = [];
  const endless = () => new ReadableStream({
    pull: (controller) => { controller.enqueue("Das ist ein Satz. "); },
    cancel: (reason) => { cancelled.push(codeOf(reason)); },
  });
  const control = new AbortController();
  const aborted = translator.translateStreaming(endless(), { signal: control.signal }).getReader();
  await aborted.read();
  control.abort();
  const abort = await name(aborted.read());
  const after = await translator.translate("Guten Morgen!");
  const { open_requests } = await translator.statistics();
  translator.destroy();
  return { early, late, end, abort, cancelled, open_requests, after };
}"""


def test_sentences_come_while_the_text_arrives_and_an_abort_ends_all(
    open_page: OpenPage, two_models: Server
) -> None:
    found = open_page(two_models.url + BLANK).page.evaluate(LIVE)
    assert found["early"].strip()
    assert found["late"].strip()
    assert found["end"] is True
    assert (found["abort"], found["cancelled"]) == ("AbortError", ["AbortError"])
    assert found["open_requests"] == 0
    assert found["after"]


DEATH = """async (role) => {
  const workers = [];
  const Native = Worker;
  self.Worker = class extends Native {
    constructor(url, options) {
      super(url, options);
      workers.push({ worker: this, name: options.name });
    }
  };
  const codeOf = (error) => error.name === "DragomanError" ? error.code : error.name;
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
  const sentence = (_, n) => `Das ist der Satz Nummer ${n}, der eine Weile braucht. `;
  const long = Array.from({ length: 400 }, sentence).join("");
  const name = (promise) => promise.then(() => "resolved", codeOf);
  const requests = [{ template: [{ input: "a" }, { output: "b" }] }];
  let began;
  const running = new Promise((resolve) => { began = resolve; });
  const onprogress = ({ state }) => { if (state === "running") began(); };
  const drain = async (stream) => { await stream.pipeTo(new WritableStream()); };
  const ends = [
    name(translator.translateDetailed(long, { onprogress })),
    name(translator.translateGraph({ variables: { a: long }, requests })),
    name(drain(translator.translateStreaming(long))),
    name(translator.statistics().then(() => running)),
  ];
  await running; // A mini-batch is in the engine.
  workers.find((one) => one.name.includes(role)).worker.terminate();
  const lost = await Promise.all(ends.slice(0, 3));
  const again = await translator.translate("Guten Morgen!");
  const streamed = [];
  await translator.translateStreaming("Guten Morgen! Ja.")
    .pipeTo(new WritableStream({ write: (piece) => { streamed.push(piece); } }));
  const { pending } = await translator.statistics();
  translator.destroy();
  return { lost, again, streamed, pending };
}"""


@pytest.mark.parametrize("role", ["language", "engine"])
def test_a_worker_killed_in_mid_batch(open_page: OpenPage, two_models: Server, role: str) -> None:
    """What was under way ends in a typed error; the next call has new workers, without a reload."""
    opened = open_page(two_models.url + BLANK)
    opened.expect_error("uncaught: undefined")  # what Firefox may say of a worker that is ended
    found = opened.page.evaluate(DEATH, role)
    assert found["lost"] == ["worker-gone"] * 3
    assert found["again"]
    assert len(found["streamed"]) == 2
    assert found["pending"] == 0


GRAPH = """async () => {
  const codeOf = (error) => error.name === "DragomanError" ? error.code : error.name;
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
  const outputs = async (graph, options) => {
    const found = (await translator.translateGraph(graph, options)).outputs;
    const told = (end) => end.ok ? end.response.text : codeOf(end.error);
    return Object.entries(found).map(([name, end]) => [name, told(end)]);
  };
  const heard = [];
  const template = (...chunks) => chunks;
  const round = await outputs({
    variables: { a: "Guten Morgen! 😀" },
    requests: [
      { template: template("# ", { input: "a" }, { output: "en" }) },
      { template: template({ input: "a" }, { output: "fr" }), target: "fr" },
      { source: "en", target: "fr", template: template({ input: "en" }, { output: "twice" }) },
    ],
  }, { onoutput: (name) => { heard.push(name); } });
  const direct = [await translator.translate("Guten Morgen! 😀")];
  const wrong = [];
  for (const graph of [
    { requests: [{ template: [{ input: "b" }, { output: "b" }] }] },
    { requests: [{ template: [{ input: "x" }, { output: "b" }] }] },
  ]) wrong.push(await outputs(graph).catch((error) => [error.code, error.details]));

  const sentence = (_, n) => `Das ist der Satz Nummer ${n}, der eine Weile braucht. `;
  const long = Array.from({ length: 200 }, sentence).join("");
  const running = translator.submitGraph({
    variables: { a: long, x: "Guten Abend!" },
    requests: [
      { template: [{ input: "a" }, { output: "b" }], priority: "background" },
      { template: [{ input: "b" }, { output: "c" }] },
      { template: [{ input: "x" }, { output: "y" }] },
    ],
  });
  running.cancelOutput("b");
  const ends = Object.fromEntries(Object.entries((await running.result).outputs)
    .map(([name, end]) => [name, end.ok || end.error.name]));
  const controller = new AbortController();
  const aborted = translator.translateGraph(
    { variables: { a: long }, requests: [{ template: [{ input: "a" }, { output: "b" }] }] },
    { signal: controller.signal },
  ).catch((error) => error.name);
  controller.abort();
  const abort = await aborted;
  await translator.translate("Ja.");
  const { pending, open_requests } = await translator.statistics();
  translator.destroy();
  return { round, direct, heard, wrong, ends, abort, pending, open_requests };
}"""


def test_graphs(open_page: OpenPage, two_models: Server) -> None:
    found = open_page(two_models.url + BLANK).page.evaluate(GRAPH)
    names = [name for name, _ in found["round"]]
    texts = dict(found["round"])
    assert sorted(names) == ["en", "fr", "twice"]
    assert names.index("en") < names.index("twice")
    assert sorted(found["heard"]) == ["en", "fr", "twice"]
    assert texts["en"] == "# " + found["direct"][0]
    assert texts["twice"].startswith("# ")
    assert texts["fr"] == texts["twice"].removeprefix("# ")  # the pivot is the same two legs
    assert [code for code, _ in found["wrong"]] == ["graph-cycle", "unbound-variable"]
    assert found["ends"] == {"b": "AbortError", "c": "AbortError", "y": True}
    assert found["abort"] == "AbortError"
    assert (found["pending"], found["open_requests"]) == (0, 0)
