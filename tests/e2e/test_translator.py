"""The JavaScript API of the built dragoman.js: bad input, ranges, cancelling, dying workers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.pages import OpenPage

BAD_INPUT = {
    "empty": "",
    "spaces": " \t  \n ",
    "long word": "Donaudampfschifffahrt" * 240,
    "lone surrogates": "Guten \ud83d Morgen \ude00.",
    "NUL and controls": "Guten\x00 Morgen\x07, \x1b[31mWelt\x7f.",
    "emoji": "Ich liebe 👩‍👩‍👧‍👦 und 🇩🇪 sehr! 😀",
    "combining": "U\u0308ber die Bru\u0308cke.",
    "right to left": "שלום עולם. مرحبا بالعالم.",
    "Chinese": "今天天气很好。我们去公园吧。",
    "markup": "<script>alert(1)</script> <b>Hallo & Welt",
}

CHECK = """async ({ texts }) => {
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create(PAIR);
  const reports = [];
  for (const text of texts) {
    const { text: target, sentences, alignment } = await translator.translateDetailed(text);
    const problems = [];
    let read = 0;
    let written = 0;
    for (const sentence of sentences) {
      const gap = text.slice(read, sentence.source[0]);
      if (gap !== target.slice(written, sentence.target[0])) problems.push("gap differs");
      if (gap.trim() !== "") problems.push("gap is not white space");
      [read, written] = [sentence.source[1], sentence.target[1]];
    }
    if (text.slice(read) !== target.slice(written)) problems.push("end differs");
    const halves = /^[\\udc00-\\udfff]|[\\ud800-\\udbff]$/;
    for (const [words, whole] of [[alignment.sourceWords, text], [alignment.targetWords, target]]) {
      let end = 0;
      for (const [start, stop] of words) {
        const word = whole.slice(start, stop);
        if (start < end || stop <= start || /\\s/.test(word)) problems.push(`word ${word}`);
        if (whole.isWellFormed() && halves.test(word)) problems.push(`half a pair in ${word}`);
        end = stop;
      }
    }
    reports.push({ target, problems });
  }
  translator.destroy();
  return reports;
}"""


def run(page: Page, script: str, argument: Any = None) -> Any:
    pair = '{ sourceLanguage: "de", targetLanguage: "en" }'
    return page.evaluate(script.replace("PAIR", pair), argument)


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page().page


def test_bad_input_gives_sensible_output(page: Page) -> None:
    texts = list(BAD_INPUT.values())
    script = f"() => ({CHECK})({{ texts: JSON.parse({json.dumps(json.dumps(texts))}) }})"
    reports = dict(zip(BAD_INPUT, run(page, script), strict=True))
    assert {name: report["problems"] for name, report in reports.items()} == {
        name: [] for name in BAD_INPUT
    }
    assert reports["empty"]["target"] == ""
    assert reports["spaces"]["target"] == BAD_INPUT["spaces"]
    assert reports["Chinese"]["target"] == BAD_INPUT["Chinese"]
    assert reports["right to left"]["target"] == BAD_INPUT["right to left"]
    assert reports["long word"]["target"] != ""


def test_over_the_limit_is_a_quota_error_with_both_figures(page: Page) -> None:
    outcome = run(
        page,
        """async () => {
          const { Translator } = await import("/dragoman.js");
          const translator = await Translator.create(PAIR);
          try {
            await translator.translate("x".repeat(2 ** 20));
          } catch (error) {
            return { requested: error.requested, quota: error.quota };
          } finally {
            translator.destroy();
          }
        }""",
    )
    assert outcome["requested"] == 1_048_576
    assert outcome["quota"] == 500_000


def test_aborting_ends_in_an_abort_error(page: Page) -> None:
    names = run(
        page,
        """async () => {
          const { Translator } = await import("/dragoman.js");
          const translator = await Translator.create(PAIR);
          const name = (promise) => promise.then(() => "resolved", (error) => error.name);
          const early = name(translator.translate("Hallo.", { signal: AbortSignal.abort() }));
          const running = new AbortController();
          const long = "Das ist ein Satz. ".repeat(400);
          const onprogress = () => running.abort();
          const options = { signal: running.signal, onprogress };
          const late = name(translator.translateDetailed(long, options));
          const after = name(translator.translate("Guten Morgen."));
          const names = [await early, await late, await after];
          const left = name(translator.translate(long));
          translator.destroy();
          return [...names, await left];
        }""",
    )
    assert names == ["AbortError", "AbortError", "resolved", "AbortError"]


def test_many_requests_at_once_each_get_their_own_text(page: Page) -> None:
    kept = run(
        page,
        """async () => {
          const { Translator } = await import("/dragoman.js");
          const translator = await Translator.create(PAIR);
          const numbers = Array.from({ length: 40 }, (_, n) => 1000 + n);
          const texts = await Promise.all(numbers.map((n) => translator.translate(`${n}\\n`)));
          translator.destroy();
          return texts.every((text, n) => text === `${1000 + n}\\n`);
        }""",
    )
    assert kept is True


THREADS = """async () => {
  const { Translator } = await import("/dragoman.js");
  const translator = await Translator.create({ ...PAIR, engine: "wasm" });
  const animals = ["Hund", "Hase", "Vogel", "Fisch", "Igel", "Fuchs", "Wolf", "Esel"];
  const kept = async () => (await caches.open("dragoman-engines")).keys();
  for (let round = 0; round < 60 && (await kept()).length === 0; round++) {
    const text = animals.map((name) => `${name} Nummer ${round} ist da.`).join(" ");
    await translator.translate(text, { cache: false });
  }
  translator.destroy();
  const cache = await caches.open("dragoman-engines");
  return Promise.all((await kept()).map(async ({ url }) => {
    const { choice, threads } = await (await cache.match(url)).json();
    return { question: new URL(url).pathname.split("/")[1], choice, threads };
  }));
}"""


def test_the_number_of_threads_is_measured_and_remembered(page: Page) -> None:
    most = page.evaluate("Math.min(4, navigator.hardwareConcurrency)")
    found = run(page, THREADS)
    if most == 1:
        assert found == []
    else:
        (kept,) = found
        assert (kept["question"], kept["threads"]) == ("threads", most)
        assert kept["choice"] in {1, 2, most}
