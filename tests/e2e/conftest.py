"""Real browsers on the built files, served by the command that people use.

A test fails on any console error, on any uncaught error, and on any request to another origin.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.support import pages
from tests.support.pages import READY_MS, WEB, OpenPage, Server, Watched, watch
from tests.support.pages import browser as browser
from tests.support.pages import downloads as downloads
from tests.support.pages import playwright as playwright
from tests.support.paths import ROOT
from tests.support.sites import PAGES, serve


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    if not (WEB / "index.html").exists():
        pytest.fail(f"{WEB} is not built: run `make build`")
    running = Server()
    running.start()
    yield running
    running.stop()


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that the test may stop."""
    running = Server()
    running.start()
    yield running
    running.stop()


@pytest.fixture
def two_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The site, with the German model a second time as if it went from English to French."""
    site = tmp_path / "web"
    shutil.copytree(WEB, site)
    (site / "blank.html").write_text('<!doctype html><title>-</title><link rel=icon href="data:,">')
    models = site / "models"
    shutil.copytree(models / "de-en", models / "en-fr")
    pair = {"source": "en", "target": "fr"}
    manifest = json.loads((models / "de-en" / "manifest.json").read_text())
    (models / "en-fr" / "manifest.json").write_text(json.dumps({**manifest, **pair}))
    index = json.loads((models / "index.json").read_text())
    (entry,) = [model for model in index["models"] if model["bundle"] == "de-en"]
    both = {"models": [entry, {**entry, **pair, "bundle": "en-fr"}]}
    (models / "index.json").write_text(json.dumps(both))
    monkeypatch.setattr(pages, "WEB", site)
    running = Server()
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Our own pages, built and served."""
    subprocess.run(["node", "tests/fixtures/pages/build.mjs"], cwd=ROOT, check=True)
    running = serve(PAGES)
    yield f"http://127.0.0.1:{running.server_address[1]}"
    running.shutdown()


@pytest.fixture
def open_page(browser: Browser, server: Server) -> Iterator[OpenPage]:
    """Open an address in a fresh profile, watched; checked when the test is over."""
    opened: list[tuple[BrowserContext, Watched]] = []

    def open_address(url: str = server.url + "/", **options: Any) -> Watched:
        context = browser.new_context(**options)
        context.set_default_timeout(READY_MS)
        watched = Watched(context.new_page())
        watch(watched, url)
        opened.append((context, watched))
        watched.page.goto(url)
        return watched

    yield open_address
    for context, _ in opened:
        context.close()
    assert [error for _, watched in opened for error in watched.unexpected()] == []
