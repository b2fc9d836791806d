"""Real pages before, translated and restored, and our own pages, as pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from dragoman.models.measures.in_browser import browser_path
from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.firefox import FirefoxHost
from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import PAGES, translate
from tests.support.extension.pictures import PICTURES, keep
from tests.support.sites import SAVED, serve

# Past the menus: saved pages have lost their styles, and menus fill the window.
TO_THE_TEXT = """
  window.text = [...document.querySelectorAll("p")].find((p) => p.innerText.length > 150);
  window.text?.scrollIntoView();
"""
REAL = [path.name for path in sorted(SAVED.glob("de_*.html"))]


@pytest.mark.skipif(not PICTURES, reason="DRAGOMAN_PICTURES names no folder")
@pytest.mark.parametrize("name", ["article.html", "inline.html", *REAL])
def test_pictures_before_after_and_restored(host: Host, name: str) -> None:
    running = serve(PAGES if (PAGES / name).exists() else SAVED)
    try:
        host.goto(f"http://127.0.0.1:{running.server_address[1]}/{name}")
        host.evaluate(TO_THE_TEXT)
        keep(host.screenshot(), name, host, "1-before")
        translate(host)
        keep(host.panel_screenshot(), name, host, "panel")
        host.evaluate("window.text?.scrollIntoView()")
        keep(host.screenshot(), name, host, "2-after")
        host.in_panel("document.querySelector('#restore').click()")
        wait_until(lambda: host.evaluate("return document.documentElement.lang") != "en", 20)
        host.evaluate("window.text?.scrollIntoView()")
        keep(host.screenshot(), name, host, "3-restored")
        host.errors.clear()  # Of the saved pages' own scripts, which miss what was not saved.
    finally:
        running.shutdown()


@pytest.mark.skipif(not PICTURES, reason="DRAGOMAN_PICTURES names no folder")
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_pictures_of_the_panel(
    playwright: Playwright, tmp_path: Path, site: str, browser: str, dark: bool
) -> None:
    path, profile = browser_path(browser), tmp_path / "profile"
    host: ChromiumHost | FirefoxHost = (
        ChromiumHost(playwright, path, profile, dark=dark)
        if browser == "chromium"
        else FirefoxHost(path, profile, dark=dark)
    )
    host.goto(f"{site}/article.html")
    host.click_button()
    wait_until(lambda: host.in_panel("return document.querySelector('#source')?.value") == "de")
    host.in_panel("document.querySelector('details').open = true")
    keep(host.panel_screenshot(), "panel", host, "dark" if dark else "light")
    host.open_own_page("options.html")
    wait_until(lambda: host.in_panel("return document.querySelector('#models').textContent"))
    keep(host.screenshot(), "options", host, "dark" if dark else "light")
    host.close()
