"""Published shapes in browsers: how long a model takes to load, how fast it is, and what it says.

    .venv/bin/python -m tests.bench.published.browser --json
    .venv/bin/python -m tests.bench.published.browser --browser firefox --sentences 300 --threads 2

Makes a site with random models of the published sizes, serves it with `dragoman serve`, and asks
the public API. Warm is a later visit: files come out of the Cache API, and are verified as ever.
The translations must be those that the kernel gives natively: all pieces are chosen among, as a
shortlist depends on what is translated together.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from dragoman.models.measures.in_browser import launch
from dragoman.native.bundles import load_parts
from dragoman.native.translator import Translator
from tests.bench.published.load import SHAPES
from tests.support.kernel.bundles import complete, write
from tests.support.paths import ROOT
from tests.support.published import make_model, sentences

LOAD = """async ([source, engine, threads]) => {
  const { Translator } = await import("/dragoman.js");
  const began = performance.now();
  const pair = { sourceLanguage: source, targetLanguage: "en" };
  window.translator = await Translator.create({ ...pair, engine, threads, shortlist: false });
  const ready = performance.now();
  await window.translator.translate("bade figo kula.");
  return { create_ms: Math.round(ready - began), first_ms: Math.round(performance.now() - ready) };
}"""
SPEED = """async ([texts, rounds]) => {
  const translate = (text) => window.translator.translate(text, { cache: false });
  const all = () => Promise.all(texts.map(translate));
  const said = await all();
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await all();
    best = Math.min(best, performance.now() - began);
  }
  return { said, ms: best };
}"""
LANGUAGES = dict(zip(("fr", "de", "es", "pt", "it", "nl", "pl", "cs", "sv"), SHAPES, strict=True))


def site(folder: Path, shapes: list[str]) -> Path:
    """The built site with models of these shapes, each from a language of its own."""
    models, web = folder / "models", folder / "web"
    models.mkdir()
    for language in shapes:
        sizes, source = SHAPES[LANGUAGES[language]]
        made = make_model(sizes, source_pieces=source)
        bundle = write(made, models / f"{language}-en")
        path = bundle / "manifest.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"source": language}))
        complete(made, bundle)
    command = ["node", "web/build.mjs", "--out", str(web), "--models", str(models)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return web


def measured(
    page: Page, url: str, language: str, threads: int, texts: list[str], rounds: int
) -> dict[str, Any]:
    found: dict[str, Any] = {"shape": LANGUAGES[language], "threads": threads}
    for visit in ("cold", "warm"):
        page.goto(f"{url}/models/index.json")
        times = page.evaluate(LOAD, [language, "wasm", threads])
        found |= {f"{visit}_{name}": value for name, value in times.items()}
    speed = page.evaluate(SPEED, [texts, rounds])
    words = sum(len(text.split()) for text in texts)
    found["words_s"] = round(words / speed["ms"] * 1000)
    return found | {"said": dict(zip(texts, speed["said"], strict=True))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, action="append")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--browser", default="chromium", choices=("chromium", "firefox"))
    parser.add_argument("--language", action="append", choices=LANGUAGES, help=str(LANGUAGES))
    parser.add_argument("--web", type=Path, help="A site made before, in place of one made now.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    languages = options.language or list(LANGUAGES)
    texts = sentences(options.sentences, seed=9)
    with tempfile.TemporaryDirectory() as folder:
        web = options.web or site(Path(folder), languages)
        os.environ["DRAGOMAN_TEST_WEB"] = str(web)
        from tests.support.pages import Server  # it reads the variable

        server = Server()
        server.start()
        try:
            with sync_playwright() as playwright:
                browser = launch(playwright, options.browser)
                for language in languages:
                    for threads in options.threads or [1, 2]:
                        page = browser.new_context().new_page()
                        page.set_default_timeout(600_000)
                        found = measured(page, server.url, language, threads, texts, options.rounds)
                        said = found.pop("said")
                        bundle = web / "models" / f"{language}-en"
                        with Translator(load_parts(bundle, threads=1, shortlist=False)) as native:
                            same = [native.translate(text).text == to for text, to in said.items()]
                        found |= {"sentences": len(same), "as_natively": sum(same)}
                        print(json.dumps(found) if options.json else found, flush=True)
                        page.context.close()
                browser.close()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
