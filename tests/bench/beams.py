"""What beams and alternatives cost: natively and in Chromium (built files), one thread, no cache.

    batch   32 sentences of 9 to 15 words at a time, by beam; ratio to greedy search
    alone   one sentence of some 20 words: with 3 alternatives; with a prefix and 4 of them; what a
            click on its middle word asks for in the demo (web/demo/choices/search.ts): other
            translations, and other words there, both at once

Greedy search and each beam take turns on the same sentences; figures are medians of milliseconds,
natively of the processor's. Ends with a line of JSON, which build/beams.json keeps. What beams give
is `dragoman model evaluate --beam`.

    .venv/bin/python -m tests.bench.beams --data ../shared/data [--rounds 5] [--only native]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from dragoman.models.measures.in_browser import launch
from dragoman.native.bundles import load_parts
from dragoman.native.translator import Translator
from tests.bench.texts import made_up, of_data
from tests.support.pages import Server
from tests.support.paths import ROOT

ROWS, WORDS, LONG = 32, (9, 15), (19, 21)
Options = dict[str, Any]
BATCH: dict[str, list[Options]] = {
    "greedy": [{"beam": 1}],
    "beam 2": [{"beam": 2}],
    "beam 4": [{"beam": 4}],
    "beam 8": [{"beam": 8}],
    "beam 4, 3 alternatives": [{"beam": 4, "alternatives": 3}],
}
ALONE: dict[str, list[Options]] = {
    "greedy": [{"beam": 1}],
    "as its bundle says": [{}],
    "3 alternatives": [{"alternatives": 3}],
    "a prefix, 4 alternatives": [{"prefix": "The ", "alternatives": 4}],
}
# Each text with each of the options, all at once.
Case = tuple[list[str], list[Options]]

_OPEN = """async () => {
  const { Translator } = await import("/dragoman.js");
  const pair = { sourceLanguage: "de", targetLanguage: "en" };
  globalThis.translator = await Translator.create({ ...pair, threads: 1, engine: "wasm" });
}"""
_TIME = """async ([texts, ways]) => {
  const shared = ways.map((options) => ({ ...options, cache: false, priority: "background" }));
  const start = performance.now();
  await Promise.all(texts.flatMap((text) =>
    shared.map((options) => translator.translateDetailed(text, options))));
  return performance.now() - start;
}"""


def sentences(data: Path | None, words: tuple[int, int], count: int) -> list[str]:
    texts = of_data(data) if data else made_up()
    return [text for text in texts if words[0] <= len(text.split()) <= words[1]][:count]


def turns(measure: Callable[[Case], float], cases: dict[str, Case], rounds: int) -> dict[str, Any]:
    """Medians by name, and what they are of the first; a round more is not counted."""
    took: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            milliseconds = measure(case)
            if number:
                took[name].append(milliseconds)
    medians = {name: statistics.median(times) for name, times in took.items()}
    greedy = medians["greedy"]
    return {
        name: {"ms": round(median, 1), "ratio": round(median / greedy, 2)}
        for name, median in medians.items()
    }


def click(sentence: str) -> list[Options]:
    """What a click on the middle word of a sentence's translation asks for."""
    with Translator(load_parts(ROOT / "models" / "de-en", threads=1)) as translator:
        response = translator.translate(sentence)
    words = response.alignment.target_words
    prefix = response.text[: words[len(words) // 2].start]
    return [{"alternatives": 3}, {"alternatives": 4, "prefix": prefix}]


def both(measure: Callable[[Case], float], data: Path | None, rounds: int) -> dict[str, Any]:
    batch, alone = sentences(data, WORDS, ROWS), sentences(data, LONG, 1)
    cases = ALONE | {"a click on the middle word": click(*alone)}
    return {
        "batch": turns(measure, {name: (batch, ways) for name, ways in BATCH.items()}, rounds),
        "alone": turns(measure, {name: (alone, ways) for name, ways in cases.items()}, 4 * rounds),
    }


def native(data: Path | None, rounds: int) -> dict[str, Any]:
    with Translator(load_parts(ROOT / "models" / "de-en", threads=1)) as translator:

        def measure(case: Case) -> float:
            texts, ways = case
            start = time.process_time()
            submitted = [
                translator.submit(text, cache=False, when_full="wait", **how)
                for text in texts
                for how in ways
            ]
            for submission in submitted:
                submission.result()
            return (time.process_time() - start) * 1000

        return both(measure, data, rounds)


def in_chromium(data: Path | None, rounds: int) -> dict[str, Any]:
    server = Server()
    server.start()
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, "chromium")
            tab = browser.new_context(service_workers="block").new_page()
            tab.goto(f"{server.url}/models/index.json")
            tab.evaluate(_OPEN)
            found = both(lambda case: float(tab.evaluate(_TIME, list(case))), data, rounds)
            browser.close()
    finally:
        server.stop()
    return found


HOSTS = {"native": native, "chromium": in_chromium}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=HOSTS)
    options = parser.parse_args()
    found = {
        name: measure(options.data, options.rounds)
        for name, measure in HOSTS.items()
        if options.only in (None, name)
    }
    for host, parts in found.items():
        for part, rows in parts.items():
            for name, row in rows.items():
                print(f"{host:9} {part:6} {name:26} {row['ms']:8.1f} ms  {row['ratio']:5.2f}")
    line = json.dumps(found)
    (ROOT / "build" / "beams.json").write_text(f"{line}\n", encoding="utf-8")
    print(line)


if __name__ == "__main__":
    main()
