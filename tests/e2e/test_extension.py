"""The built extension, in clean profiles, with no network but the page's own server.

`make extension` builds it. Where DRAGOMAN_PICTURES names a folder, pages are pictured there.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Playwright

from conftest import browser_path
from extension_hosts import BUILT, ChromiumHost, FirefoxHost, Host, wait_until
from pages import ROOT
from test_pages import SAVED, SNAPSHOT, serve

PAGES = ROOT / "tests" / "fixtures" / "pages"
DIFFERENCES = f"""
  const now = ({SNAPSHOT})();
  return window.before.length === now.length && window.before.every(([node, text, children], at) =>
    node === now[at][0] && text === now[at][1] && children.every((c, i) => c === now[at][2][i]));
"""


@pytest.fixture(params=["chromium", "firefox"])
def host(
    request: pytest.FixtureRequest, playwright: Playwright, tmp_path: Path
) -> Iterator[ChromiumHost | FirefoxHost]:
    if not BUILT.is_dir():
        pytest.fail(f"{BUILT} is not built: run `make extension`")
    path = browser_path(request.param)
    profile = tmp_path / "profile"
    running = (
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


def translate(host: Host) -> dict[str, Any]:
    """Two clicks: the button in the toolbar, and "Translate"; what the panel then says."""
    host.click_button()
    wait_until(lambda: host.in_panel("return document.querySelector('#source')?.value") == "de")
    host.in_panel("document.querySelector('#translate').click()")
    wait_until(lambda: status(host).startswith("Translated"))
    error = host.in_panel("return document.querySelector('#error').textContent")
    return {"status": status(host), "error": error}


def status(host: Host) -> str:
    return str(host.in_panel("return document.querySelector('#status').textContent"))


def test_two_clicks_translate_a_page_and_one_gives_it_back(host: Host, site: str) -> None:
    host.goto(f"{site}/article.html")
    host.evaluate(f"window.before = ({SNAPSHOT})()")
    assert translate(host) == {"status": "Translated.", "error": ""}
    text = host.evaluate("return document.body.innerText")
    assert "We drink coffee." in text
    assert "Dieser Satz bleibt deutsch." in text
    assert "This sentence was English all along." in text
    assert "wetter --morgen" in text
    assert "Gestern" not in text
    assert host.evaluate("return document.documentElement.lang") == "en"
    host.in_panel("document.querySelector('#restore').click()")
    wait_until(lambda: host.evaluate("return document.documentElement.lang") == "de")
    assert wait_until(lambda: host.evaluate(DIFFERENCES), 20) is True


def test_every_frame_of_the_site(host: Host, site: str) -> None:
    host.goto(f"{site}/frames.html")
    assert translate(host)["status"] == "Translated."
    text = host.evaluate(
        """return [...document.querySelectorAll("iframe")]
             .map((frame) => frame.contentDocument.body.innerText).join(" ")"""
    )
    assert "Innen" not in text
    assert "zweiten" not in text


def test_the_panel_speaks_of_a_page_that_it_may_not_touch(host: Host) -> None:
    host.goto("about:license" if isinstance(host, FirefoxHost) else "chrome://version")
    host.click_button()
    error = "return document.querySelector('#error')?.textContent"
    assert wait_until(lambda: host.in_panel(error)).startswith("This page cannot be translated.")


def test_the_engine_is_isolated_where_the_browser_lets_it_be(host: Host, site: str) -> None:
    if not isinstance(host, ChromiumHost):
        pytest.skip("Firefox isolates no page of an extension")
    host.goto(f"{site}/frame.html")
    translate(host)
    assert host.in_engine_page("return crossOriginIsolated") is True


@pytest.fixture
def chromium(host: Host) -> ChromiumHost:
    if not isinstance(host, ChromiumHost):
        pytest.skip("only Chromium lets a test choose in a menu of the browser")
    return host


def test_a_selection_is_translated_beside_it(chromium: ChromiumHost, site: str) -> None:
    chromium.goto(f"{site}/article.html")
    chromium.click_button()  # Gives the tab.
    chromium.evaluate("getSelection().selectAllChildren(document.querySelector('.box > div'))")
    chromium.choose_in_menu("translate-selection")
    text = wait_until(lambda: "coffee" in chromium.overlay_text() and chromium.overlay_text())
    assert "We drink coffee ." in text.replace("  ", " ")
    assert "German to English" in text
    assert "Wir trinken Kaffee." in chromium.evaluate("return document.body.innerText")
    chromium.page.keyboard.press("Escape")
    assert wait_until(lambda: chromium.overlay_text() == "") is True


def test_what_is_typed_is_translated_into_the_field(chromium: ChromiumHost, site: str) -> None:
    chromium.goto(f"{site}/forms.html")
    chromium.click_button()
    field = chromium.page.locator("textarea")
    field.fill("")
    field.focus()
    chromium.choose_in_menu("translate-typing")
    wait_until(lambda: "Type in the field." in chromium.overlay_text())
    field.press_sequentially("Wir trinken Kaffee.")
    assert wait_until(lambda: "We drink coffee." in chromium.overlay_text()) is True
    chromium.click_in_overlay("Put into the field")
    assert wait_until(lambda: field.input_value() == "We drink coffee.") is True
    chromium.page.keyboard.press("Control+z")
    assert wait_until(lambda: field.input_value() == "Wir trinken Kaffee.") is True


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


def test_pages_in_another_language_are_offered(allowed: ChromiumHost, site: str) -> None:
    allowed.goto(f"{site}/article.html")
    assert allowed.overlay_text() == ""
    allowed.click_button()
    wait_until(lambda: allowed.in_panel("return document.querySelector('#source')?.value") == "de")
    allowed.in_panel("document.querySelector('#offer').click()")
    wait_until(lambda: allowed.in_panel("return document.querySelector('#offer').checked"))
    allowed.page.wait_for_timeout(500)  # The script is registered.
    allowed.goto(f"{site}/article.html?again")
    offer = wait_until(lambda: allowed.overlay_text(), 30)
    assert "This page is in German. Translate it into English?" in offer
    allowed.click_in_overlay("Translate")
    wait_until(lambda: "We drink coffee." in allowed.evaluate("return document.body.innerText"))
    allowed.goto(f"{site}/article.html?third")
    wait_until(lambda: allowed.overlay_text(), 30)
    allowed.click_in_overlay("Never on this site")
    allowed.goto(f"{site}/article.html?fourth")
    allowed.page.wait_for_timeout(1500)
    assert allowed.overlay_text() == ""


PICTURES = os.environ.get("DRAGOMAN_PICTURES")
REAL = [path.name for path in sorted(SAVED.glob("de_*.html"))[:4]]


@pytest.mark.skipif(not PICTURES, reason="DRAGOMAN_PICTURES names no folder")
@pytest.mark.parametrize("name", ["article.html", "inline.html", *REAL])
def test_pictures_before_after_and_restored(host: Host, name: str) -> None:
    folder = Path(PICTURES or ".")
    folder.mkdir(parents=True, exist_ok=True)
    running = serve(PAGES if (PAGES / name).exists() else SAVED)
    browser = "firefox" if isinstance(host, FirefoxHost) else "chromium"
    picture = folder / f"{Path(name).stem}-{browser}"
    try:
        host.goto(f"http://127.0.0.1:{running.server_address[1]}/{name}")
        picture.with_name(f"{picture.name}-1-before.png").write_bytes(host.screenshot())
        translate(host)
        picture.with_name(f"{picture.name}-2-after.png").write_bytes(host.screenshot())
        host.in_panel("document.querySelector('#restore').click()")
        wait_until(lambda: host.evaluate("return document.documentElement.lang") != "en", 20)
        picture.with_name(f"{picture.name}-3-restored.png").write_bytes(host.screenshot())
        host.errors.clear()  # Of the saved pages' own scripts, which miss what was not saved.
    finally:
        running.shutdown()
