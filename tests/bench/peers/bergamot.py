"""Both translators in Chromium, on one cross-origin isolated page: ours and the reference engine.

The reference is npm @browsermt/bergamot-translator, as published, with our model in its format.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from dragoman.models.marian.release import MarianFiles, marian_from_bundle
from dragoman.models.measures.in_browser import launch
from tests.bench.peers.isolated_site import Site
from tests.support.paths import ROOT

WEB = Path(os.environ.get("DRAGOMAN_TEST_WEB", ROOT / "build" / "web"))
BUNDLE = Path(os.environ.get("DRAGOMAN_TEST_BUNDLE", ROOT / "models" / "de-en"))
PACKAGE = ROOT / "node_modules" / "@browsermt" / "bergamot-translator"
TIMEOUT_MS = 3_600_000
ONE_SENTENCE = {"ssplit-mode": "sentence"}  # a text is a sentence: the splitters differ
PAGE = b"<!doctype html><meta charset=utf-8><title>bench</title><link rel=icon href=data:,>"


def peer_site(marian: MarianFiles) -> Site:
    """The built files, the other engine, our model in its format, and an empty page."""
    mounts: dict[str, Path | bytes] = {
        "/bench/index.html": PAGE,
        "/bench/peers.mjs": (Path(__file__).parent / "peers.mjs").read_bytes(),
        "/bergamot/": PACKAGE,
        "/marian/model.bin": marian.model.read_bytes(),
        "/marian/vocabulary.spm": marian.vocabulary.read_bytes(),
        "/marian/shortlist.bin": marian.shortlist.read_bytes() if marian.shortlist else b"",
        "/": WEB,
    }
    return Site(mounts)


# Chromium's compiler then takes no instructions of that family, as where there are none.
WITHOUT_VNNI = "--js-flags=--no-enable-avx-vnni --no-enable-avx-vnni-int8"


@dataclass
class Bench:
    """A page that can run both translators, and what it complained of."""

    page: Page
    browser: Browser
    site: Site
    marian: MarianFiles
    complaints: list[str]

    def call(self, function: str, argument: object = None) -> Any:
        """What an export of peers.mjs resolves to."""
        script = f"async (given) => (await import('/bench/peers.mjs')).{function}(given)"
        result = self.page.evaluate(script, argument)
        if self.complaints:
            raise RuntimeError("; ".join(self.complaints))
        return result

    def translate(
        self, peer: str, texts: Sequence[str], per_call: int, options: Mapping[str, object]
    ) -> list[str]:
        given = {"peer": peer, "texts": list(texts), "perCall": per_call, "options": options}
        found: list[str] = self.call("translateAll", given)
        return found


@contextmanager
def bench(
    playwright: Playwright | None = None, browser_name: str = "chromium", *flags: str
) -> Iterator[Bench]:
    """A browser on a page of its own; requests to other origins and errors are complaints."""
    if not (WEB / "dragoman.js").exists():
        raise SystemExit(f"{WEB} is not built: run `make build`")
    if playwright is None:
        with sync_playwright() as started, bench(started, browser_name, *flags) as inner:
            yield inner
        return
    with tempfile.TemporaryDirectory() as folder:
        marian = marian_from_bundle(BUNDLE, Path(folder))
        with peer_site(marian) as site:
            browser = launch(playwright, browser_name, *flags)
            page = browser.new_page()
            page.set_default_timeout(TIMEOUT_MS)
            complaints = watch(page, site.url)
            page.goto(f"{site.url}/bench/index.html")
            try:
                yield Bench(page, browser, site, marian, complaints)
            finally:
                browser.close()


def watch(page: Page, origin: str) -> list[str]:
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((origin, "blob:", "data:"))
            else complaints.append(f"request to another origin: {request.url}")
        ),
    )
    return complaints
