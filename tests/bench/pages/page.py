"""A German page of 3,000 words through the built extension in Chromium: when the reader sees it.

    python -m tests.bench.pages.page [--words 3000]

One JSON line a run. "cold": the browser has just started and the engine loads its model; "warm":
the next page. Seconds count from the click on "Translate".

    first_block_seconds   until the first text in sight has changed
    viewport_seconds      until all of it has
    total_seconds         until the panel says so
    longest_task_ms       of the page's thread, the content script's with it; 0: none reached 50 ms
"""

from __future__ import annotations

import argparse
import html
import itertools
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from dragoman.models.measures.in_browser import browser_path
from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.host import Host, wait_until
from tests.support.paths import ROOT
from tests.support.sites import serve

SENTENCES = ROOT / "tests" / "parity" / "sentences.txt"
PARAGRAPH = 4  # sentences

WATCH = """
  const inSight = (element) => {
    const { top, bottom, height } = element.getBoundingClientRect();
    return height > 0 && bottom > 0 && top < innerHeight;
  };
  const waiting = new Set([...document.querySelectorAll("h2, p")].filter(inSight));
  const seen = { first: null, viewport: null, tasks: [] };
  window.seen = seen;
  new MutationObserver((records) => {
    for (const { target } of records) {
      const block = target.parentElement?.closest("h2, p");
      if (!waiting.delete(block)) continue;
      seen.first ??= performance.now();
      if (waiting.size === 0) seen.viewport = performance.now();
    }
  }).observe(document.body, { subtree: true, characterData: true });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) seen.tasks.push([startTime, duration]);
  }).observe({ type: "longtask" });
"""


def page(words: int, first: int) -> str:
    """A page of so many words; no sentence of it is in a page with another `first`."""
    lines = [
        line
        for line in SENTENCES.read_text().splitlines()
        if re.match("[A-ZÄÖÜ].*[a-zäöü]{3}", line)
    ]
    parts = [
        "<!DOCTYPE html><html lang=de><meta charset=utf-8><title>Eine lange Seite</title><main>"
    ]
    count, number = 0, first
    for block in _paragraphs(lines):
        if count >= words:
            break
        sentences = []
        for line in block:
            number += 1
            sentences.append(f"{html.escape(line)} Das war Satz <b>Nummer {number}</b>.")
            count += len(line.split()) + 5
        parts.append(f"<h2>Absatz {number}</h2><p>{' '.join(sentences)}</p>")
    return "".join([*parts, "</main></html>"])


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    endless = itertools.cycle(lines)
    while True:
        yield list(itertools.islice(endless, PARAGRAPH))


def measure(host: Host, url: str) -> dict[str, Any]:
    """Translate a page and say when what was there."""
    host.goto(url)
    host.click_button()
    wait_until(lambda: host.in_panel("return document.querySelector('#source')?.value") == "de")
    host.evaluate(WATCH)
    start = host.evaluate("return performance.now()")
    host.in_panel("document.querySelector('#translate').click()")
    status = "return document.querySelector('#status').textContent"
    wait_until(lambda: str(host.in_panel(status)).startswith("Translated"), 900)
    end = host.evaluate("return performance.now()")
    seen = host.evaluate("return window.seen")
    tasks = [duration for began, duration in seen["tasks"] if began >= start]
    return {
        "first_block_seconds": round((seen["first"] - start) / 1000, 2),
        "viewport_seconds": seen["viewport"] and round((seen["viewport"] - start) / 1000, 2),
        "total_seconds": round((end - start) / 1000, 2),
        "longest_task_ms": round(max(tasks, default=0)),
        "elements": host.evaluate("return document.querySelectorAll('*').length"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--words", type=int, default=3_000)
    words = parser.parse_args().words
    revision = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(revision, cwd=ROOT, capture_output=True, text=True, check=False)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Path(folder) / "site"
        site.mkdir()
        for number, name in enumerate(("cold", "warm")):
            (site / f"{name}.html").write_text(page(words, number * 10_000))
        running = serve(site)
        host = ChromiumHost(playwright, browser_path("chromium"), Path(folder) / "profile")
        for name in ("cold", "warm"):
            figures = measure(host, f"http://127.0.0.1:{running.server_address[1]}/{name}.html")
            row = {"bench": "page", "browser": "chromium", "words": words, "state": name}
            print(json.dumps({**row, **figures, "commit": commit.stdout.strip()}))
        host.close()
        running.shutdown()


if __name__ == "__main__":
    main()
