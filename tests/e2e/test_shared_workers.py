"""Translators of one page share a pair of workers, and a translation of each is right meanwhile."""

from __future__ import annotations

from tests.support.pages import OpenPage, Server

# The second model is the first one once more: German, whatever its languages are called.
# What the page starts, and which of it is still there; threads are workers of the engine worker.
COUNT = """
  const running = [];
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    constructor(address, options) {
      super(address, options);
      running.push(this);
    }
    terminate() {
      super.terminate();
      running.splice(running.indexOf(this), 1);
    }
  };
  const { Translator } = await import("/dragoman.js");
  const there = { sourceLanguage: "de", targetLanguage: "en" };
  const onwards = { sourceLanguage: "en", targetLanguage: "fr" };
  const greet = (first, second) =>
    Promise.all([first.translate("Guten Morgen!"), second.translate("Gute Nacht.")]);
  // No two sentences are the same: each is translated.
  const houses = (count, before, after) =>
    Array.from({ length: count }, (_, n) => `${before} ${n} ${after}.`).join(" ");
  const told = ({ name, code }) => (name === "AbortError" ? name : code);
  const name = (promise) => promise.then(() => "resolved", told);
  // A translation, and when the engine has begun with it.
  const begun = (translator, text) => {
    const { promise: began, resolve: begin } = Promise.withResolvers();
    const onprogress = ({ state }) => { if (state === "running") begin(); };
    return { began, ended: name(translator.translateDetailed(text, { onprogress })) };
  };
"""

SHARED = f"""async () => {{
  {COUNT}
  const [first, second] = await Promise.all([Translator.create(there), Translator.create(onwards)]);
  const third = await Translator.create(there);
  const counts = [running.length];
  const both = await greet(first, second);
  const lost = begun(first, houses(400, "Das Haus hat", "Fenster"));
  const kept = second.translate(houses(40, "Das Haus hat", "Türen"));
  await lost.began;
  first.destroy();
  const sentences = (await kept).split(".").length - 1;
  const after = [await lost.ended, sentences, await third.translate("Guten Morgen!")];
  third.destroy();
  counts.push(running.length);
  const engines = async () => (await second.statistics()).engines.map(({{ bundle }}) => bundle);
  while ((await engines()).length > 1) await new Promise((resolve) => setTimeout(resolve, 20));
  const left = await engines();
  const again = await Translator.create(there);
  const same = await again.translate("Guten Morgen!");
  again.destroy();
  second.destroy();
  counts.push(running.length);
  return {{ both, after, left, same, counts }};
}}"""

CRASHED = f"""async () => {{
  {COUNT}
  const [first, second] = [await Translator.create(there), await Translator.create(onwards)];
  const before = await greet(first, second);
  const lost = [
    begun(first, houses(400, "Das Haus hat", "Fenster")),
    begun(second, houses(400, "Das Haus hat", "Türen")),
  ];
  await Promise.any(lost.map((each) => each.began));
  Plain.prototype.terminate.call(running[0]);
  const ends = await Promise.all(lost.map((each) => each.ended));
  const again = await greet(first, second);
  const count = running.length;
  first.destroy();
  second.destroy();
  return {{ ends, before, again, count, left: running.length }};
}}"""


def test_translators_share_workers_and_the_last_one_ends_them(
    open_page: OpenPage, two_models: Server
) -> None:
    found = open_page(f"{two_models.url}/blank.html").page.evaluate(SHARED)
    assert found["both"] == ["Good morning!", "Good night."]
    assert found["after"] == ["AbortError", 40, "Good morning!"]
    assert found["left"] == ["en-fr"]
    assert found["same"] == "Good morning!"
    assert found["counts"] == [2, 2, 0]


def test_a_crash_ends_the_calls_of_all_and_the_next_ones_share_again(
    open_page: OpenPage, two_models: Server
) -> None:
    opened = open_page(f"{two_models.url}/blank.html")
    opened.expect_error("uncaught: undefined")  # what Firefox may say of a worker that is ended
    found = opened.page.evaluate(CRASHED)
    assert found == {
        "ends": ["worker-gone", "worker-gone"],
        "before": ["Good morning!", "Good night."],
        "again": ["Good morning!", "Good night."],
        "count": 2,
        "left": 0,
    }
