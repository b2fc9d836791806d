"""Browsers with the built extension, in clean profiles, with no network but the page's own server.

`make extension` builds it. Where DRAGOMAN_PICTURES names a folder, pages are pictured there.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from dragoman.models.measures.in_browser import browser_path
from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.firefox import FirefoxHost
from tests.support.extension.host import BUILT, Host, wait_until
from tests.support.extension.panel import PAGES
from tests.support.sites import serve


@pytest.fixture(params=["chromium", "firefox"])
def host(
    request: pytest.FixtureRequest, playwright: Playwright, tmp_path: Path
) -> Iterator[ChromiumHost | FirefoxHost]:
    if not BUILT.is_dir():
        pytest.fail(f"{BUILT} is not built: run `make extension`")
    path = browser_path(request.param)
    profile = tmp_path / "profile"
    running: ChromiumHost | FirefoxHost = (
        ChromiumHost(playwright, path, profile)
        if request.param == "chromium"
        else FirefoxHost(path, profile)
    )
    yield running
    running.close()
    assert running.errors == []


@pytest.fixture
def site() -> Iterator[str]:
    running = serve(PAGES)
    yield f"http://127.0.0.1:{running.server_address[1]}"
    running.shutdown()
    running.server_close()


@pytest.fixture
def two_pages(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Serves de.html and en.html; each call another site."""
    texts = {
        "de": "Gestern waren wir mit den Kindern in der Stadt am See. Wir trinken Kaffee.",
        "en": "Yesterday we went to the town by the lake with our children, and it was raining.",
    }
    folder = tmp_path / "two-pages"
    folder.mkdir()
    for language, text in texts.items():
        page = f"<!doctype html><html lang={language}><link rel=icon href=data:,><p>{text}"
        (folder / f"{language}.html").write_text(page)
    sites = []

    def serve_them() -> str:
        sites.append(serve(folder))
        return f"http://127.0.0.1:{sites[-1].server_address[1]}"

    yield serve_them
    for each in sites:
        each.shutdown()
        each.server_close()


@pytest.fixture
def allowed(playwright: Playwright, tmp_path: Path) -> Iterator[ChromiumHost]:
    """Chromium whose user has given the permission for all sites: no test answers its prompt."""
    folder = tmp_path / "extension"
    shutil.copytree(BUILT / "chrome", folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["host_permissions"] = manifest.pop("optional_host_permissions")
    (folder / "manifest.json").write_text(json.dumps(manifest))
    running = ChromiumHost(playwright, browser_path("chromium"), tmp_path / "profile", folder)
    yield running
    running.close()


@pytest.fixture(params=["chromium", "firefox"])
def free_host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    """A browser whose user has given the permission for all sites."""
    running: ChromiumHost | FirefoxHost
    if request.param == "chromium":
        running = request.getfixturevalue("allowed")
    else:
        running = FirefoxHost(browser_path("firefox"), tmp_path / "profile")
        running.open_own_page("options.html")
        allow = "return document.querySelector('#allow-all')?.textContent"
        assert wait_until(lambda: running.in_panel(allow) == "Allow on all pages", 30) is True
        running.click("#allow-all")
        assert wait_until(lambda: running.in_panel(allow) == "Allowed on all pages", 30) is True
    yield running
    if request.param == "firefox":
        running.close()
