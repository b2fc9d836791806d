"""The engine of this computer translates where it is there and switched on; else the browser's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.firefox import FirefoxHost
from tests.support.extension.host import VERSION, wait_until
from tests.support.extension.native import install_host, open_browser, running_hosts, switch_on
from tests.support.extension.panel import COFFEE, status, text_of, translate
from tests.support.extension.pictures import PICTURES, keep

Browser = ChromiumHost | FirefoxHost
IN_USE = f"In use: Dragoman {VERSION} on this computer."
MISSING = "It was not found on this computer. Pages are translated in the browser as before."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a user who has nothing yet."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture(params=["chromium", "firefox"])
def start(
    request: pytest.FixtureRequest, playwright: Playwright, home: Path
) -> Iterator[Callable[[], Browser]]:
    """Starts the browser, once the test has made of the home what it wants."""
    running: list[Browser] = []

    def start_it() -> Browser:
        running.append(open_browser(request.param, playwright, home))
        return running[-1]

    yield start_it
    for browser in running:
        browser.close()
        assert browser.errors == []
    assert wait_until(lambda: not running_hosts(home), 30), "a host has outlived its browser"


def engine_of(browser: Browser) -> str:
    return str(browser.in_panel("return document.querySelector('#engine').textContent"))


def test_the_page_is_the_same_by_either_engine(
    start: Callable[[], Browser], home: Path, site: str
) -> None:
    install_host()
    browser = start()
    browser.goto(f"{site}/article.html")
    assert translate(browser) == {"status": "Translated.", "error": ""}
    assert engine_of(browser) == "By the engine in the browser."
    in_browser = text_of(browser)
    assert running_hosts(home) == []
    assert switch_on(browser) == IN_USE
    if PICTURES:
        keep(browser.screenshot(), "options.html", browser, "native")
    browser.goto(f"{site}/article.html")
    assert translate(browser) == {"status": "Translated.", "error": ""}
    if PICTURES:
        keep(browser.panel_screenshot(), "popup.html", browser, "native")
    assert engine_of(browser) == "By the engine of this computer."
    assert len(running_hosts(home)) == 1
    assert COFFEE in in_browser
    assert text_of(browser) == in_browser


def test_without_a_host_the_browser_translates(start: Callable[[], Browser], site: str) -> None:
    browser = start()
    assert switch_on(browser) == MISSING
    browser.goto(f"{site}/frame.html")
    assert translate(browser) == {"status": "Translated.", "error": ""}
    assert engine_of(browser) == "By the engine in the browser."


def test_a_host_that_goes_breaks_no_translation(
    start: Callable[[], Browser], home: Path, site: str
) -> None:
    install_host()
    browser = start()
    assert switch_on(browser) == IN_USE
    browser.goto(f"{site}/frame.html")
    assert translate(browser)["status"] == "Translated."
    (host,) = running_hosts(home)
    host.suspend()  # What it is asked from now on is under way when it goes.
    browser.evaluate("document.body.insertAdjacentHTML('beforeend', '<p>Wir trinken Kaffee.</p>')")
    wait_until(lambda: "Translated" not in status(browser), 30)
    install_host("--remove")
    host.kill()
    assert wait_until(lambda: COFFEE in text_of(browser)) is True
    assert wait_until(lambda: status(browser) == "Translated.") is True
    assert engine_of(browser) == "By the engine in the browser."


def test_switched_off_it_is_not_started(
    start: Callable[[], Browser], home: Path, site: str
) -> None:
    install_host()
    browser = start()
    assert switch_on(browser) == IN_USE
    browser.click("#native")
    assert wait_until(
        lambda: (
            browser.in_panel("return document.querySelector('#native-status').textContent") == ""
        )
    )
    browser.goto(f"{site}/frame.html")
    assert translate(browser)["status"] == "Translated."
    assert engine_of(browser) == "By the engine in the browser."
    assert running_hosts(home) == []
