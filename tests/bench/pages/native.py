"""German pages through the built extension, by the browser's engine and by that of this computer.

    python -m tests.bench.pages.native [--words 3000] [--pages 3] [--browser chromium]

One JSON line a page, no sentence of which is in another. The first page of an engine is "cold": the
engine starts and loads its model; the others are "warm". Seconds count from the click on
"Translate" until the panel says that all of the page is translated.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Playwright, sync_playwright

from tests.bench.pages.page import measure
from tests.bench.texts import Supply, words
from tests.support.extension.native import install_host, open_browser, switch_on
from tests.support.paths import ROOT
from tests.support.sites import serve


def write_page(path: Path, supply: Supply, count: int) -> int:
    """A page of about so many words; how many it has."""
    text = supply.page(count)
    paragraphs = "".join(f"<p>{html.escape(part)}</p>" for part in text.split("\n\n"))
    title = "<title>Eine lange Seite</title>"
    path.write_text(f"<!DOCTYPE html><html lang=de><meta charset=utf-8>{title}{paragraphs}")
    return words([text])


def rows(playwright: Playwright, name: str, count: int, pages: int) -> Iterator[dict[str, Any]]:
    """What a browser took for each page, by either engine."""
    supply = Supply(None)
    with tempfile.TemporaryDirectory() as folder:
        home, site = Path(folder) / "home", Path(folder) / "site"
        home.mkdir()
        site.mkdir()
        os.environ["HOME"] = str(home)
        install_host()
        running = serve(site)
        host = open_browser(name, playwright, home)
        for engine in ("browser", "computer"):
            if engine == "computer":
                switch_on(host)
            for number in range(pages):
                long = write_page(site / f"{engine}-{number}.html", supply, count)
                address = f"http://127.0.0.1:{running.server_address[1]}/{engine}-{number}.html"
                figures = measure(host, address)
                speed = round(long / figures["total_seconds"])
                state = "warm" if number else "cold"
                row = {"bench": "native", "browser": name, "engine": engine, "state": state}
                yield {**row, "words": long, "words_per_second": speed, **figures}
        host.close()
        running.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--words", type=int, default=3_000)
    parser.add_argument("--pages", type=int, default=3)
    parser.add_argument("--browser", choices=("chromium", "firefox"), action="append")
    options = parser.parse_args()
    revision = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(revision, cwd=ROOT, capture_output=True, text=True, check=False)
    with sync_playwright() as playwright:
        for name in options.browser or ("chromium", "firefox"):
            for row in rows(playwright, name, options.words, options.pages):
                print(json.dumps({**row, "commit": commit.stdout.strip()}), flush=True)


if __name__ == "__main__":
    main()
