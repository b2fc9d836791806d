"""Thousands of mixed requests to the built JavaScript API in Chromium, with a faulty engine.

The language worker is the real one (Pyodide, the core, the vocabulary of the model); in the place
of the engine worker stands `fake-engine.js`, which copies, and throws, hangs, gives nonsense or
dies now and then. Each request must settle exactly once, with its own text or a typed error, and
nothing may be left over.

Ends with a line of JSON, and fails unless nothing was lost, doubled or left over.

    .venv/bin/python -m tests.stress.browser [--requests 10000] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, sync_playwright

from dragoman.models.measures.in_browser import launch
from tests.support.pages import Server

HERE = Path(__file__).parent

HEADERS = {
    "Content-Type": "text/javascript",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def stress(page: Page, requests: int, seed: int, faults: float, dies_after: int) -> dict[str, Any]:
    """Run the stress in a page of the built site, which nothing else uses."""
    engine = f"const FAULTS = {faults}, DIES_AFTER = {dies_after};\n" + _read("fake-engine.js")

    def answer(content: str) -> Any:
        def fulfil(route: Route) -> None:
            route.fulfill(body=content, headers=HEADERS)

        return fulfil

    page.route("**/engine-*.js", answer(engine))
    page.route("**/stress.mjs", answer(_read("browser.mjs")))
    script = "async (given) => (await import('/stress.mjs')).stress(given)"
    found: dict[str, Any] = page.evaluate(script, {"requests": requests, "seed": seed})
    return found


def is_clean(report: dict[str, Any]) -> bool:
    lost_nothing = not (report["lost"] or report["doubled"] or report["wrong"])
    left_nothing = not any(report["leftovers"].values())
    return lost_nothing and left_nothing and report["settled"] == report["submitted"]


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--faults", type=float, default=0.03, help="share of the mini-batches")
    parser.add_argument("--dies-after", type=int, default=300, help="mini-batches; 0: never")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    server = Server()
    server.start()
    started = time.perf_counter()
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright, "chromium")
            # A page of the site without the demo on it, which would have workers of its own.
            page = browser.new_context(service_workers="block").new_page()
            page.goto(f"{server.url}/models/index.json")
            report = stress(page, given.requests, given.seed, given.faults, given.dies_after)
            browser.close()
    finally:
        server.stop()
    seconds = round(time.perf_counter() - started, 1)
    print(json.dumps({"host": "chromium", "seed": given.seed, "seconds": seconds} | report))
    if not is_clean(report):
        sys.exit("something was lost, doubled, wrong or left over")


if __name__ == "__main__":
    main()
