"""In Chromium and Firefox, through the public API, the answers are those of node to the last digit.

DRAGOMAN_TEST_WEB    the built files, in place of build/web; they must hold the bundle
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from dragoman.models.measures.in_browser import launch
from tests.parity.compare import compare
from tests.parity.native import Case
from tests.support.paths import ROOT

WEB = Path(os.environ.get("DRAGOMAN_TEST_WEB", ROOT / "build" / "web"))
CHUNK = 50

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OPEN = """async () => {
  const { Translator } = await import("/dragoman.js");
  window.translator = await Translator.create({ sourceLanguage: "de", targetLanguage: "en" });
  return crossOriginIsolated;
}"""

# JSON both ways: lone surrogates survive in it.
TRANSLATE = """async (casesJson) => {
  const { problems } = await import("/checks.mjs");
  const found = [];
  for (const { id, text, elements } of JSON.parse(casesJson)) {
    const options = { alignment: "soft", ...(elements && { elements }) };
    const response = await window.translator.translateDetailed(text, options);
    found.push({ id, outcome: { ok: true, response }, problems: problems(text, response) });
  }
  return JSON.stringify(found);
}"""


class Handler(SimpleHTTPRequestHandler):
    """The built files, an empty page, and the checks; cross-origin isolated."""

    def do_GET(self) -> None:
        if self.path == "/checks.mjs":
            self._send((Path(__file__).with_name("checks.mjs")).read_bytes(), "text/javascript")
        elif self.path == "/empty.html":
            self._send(b"<!doctype html><title>Parity</title>", "text/html")
        else:
            super().do_GET()

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


Handler.extensions_map = {**Handler.extensions_map, ".mjs": "text/javascript"}


@pytest.fixture(scope="session")
def address(bundle: Path) -> Iterator[str]:
    built = [path.read_bytes() for path in WEB.glob("models/*/manifest.json")]
    if (bundle / "manifest.json").read_bytes() not in built:
        pytest.fail(f"{WEB} is not built with {bundle}: run `make build`")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(WEB)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def page(request: pytest.FixtureRequest, address: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = launch(playwright, request.param)
        opened = browser.new_page()
        opened.set_default_timeout(600_000)
        opened.goto(f"{address}/empty.html")
        yield opened
        browser.close()


def test_browsers_answer_as_node_does(
    page: Page, cases: list[Case], answers: list[Case], say: Callable[[str], None]
) -> None:
    assert page.evaluate(OPEN) is True
    found: list[Case] = []
    for start in range(0, len(cases), CHUNK):
        chunk = json.dumps(cases[start : start + CHUNK])
        found += json.loads(page.evaluate(TRANSLATE, chunk))
    for answer in found:
        assert answer["problems"] == [], answer["id"]
    compared = compare(answers, found)
    assert page.context.browser is not None
    name = page.context.browser.browser_type.name
    say(f"{len(found)} texts in {name} and node: largest differences {compared.report()}")
    assert compared.unlike == []
    assert max(compared.largest.values()) == 0
