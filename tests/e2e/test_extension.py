"""The built extension, in clean profiles, with no network but the page's own server.

`make extension` builds it. Where DRAGOMAN_PICTURES names a folder, pages are pictured there.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Playwright

from dragoman.models.measures.in_browser import browser_path
from tests.support.extension_hosts import BUILT, ChromiumHost, FirefoxHost, Host, wait_until
from tests.support.paths import ROOT
from tests.support.sites import SAVED, SNAPSHOT, serve

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
    running: ChromiumHost | FirefoxHost = (
        ChromiumHost(playwright, path, profile)
        if request.param == "chromium"
        else FirefoxHost(path, profile)
    )
    yield running
    running.close()
    assert running.errors == []


# What the embedded model makes of "Wir trinken Kaffee."
COFFEE = "We're drinking coffee."
IN_CHROMIUM = pytest.mark.parametrize("host", ["chromium"], indirect=True)


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
    assert COFFEE in text
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


GERMAN, ENGLISH = "This page seems to be in German.", "This page seems to be in English."


@IN_CHROMIUM  # Firefox takes the tab back with every page
def test_an_open_panel_goes_along_within_a_site(
    host: ChromiumHost, two_pages: Callable[[], str]
) -> None:
    host.goto(f"{two_pages()}/de.html")
    assert translate(host)["status"] == "Translated."
    assert panel(host) == [GERMAN, "restore"]
    host.evaluate("setTimeout(() => { location.href = 'en.html'; })")
    assert wait_until(lambda: panel(host) == [ENGLISH, "translate"], 20), panel(host)
    host.evaluate("setTimeout(() => history.back())")
    wait_until(lambda: panel(host)[0] == GERMAN, 20)
    host.page.reload()
    assert wait_until(lambda: panel(host) == [GERMAN, "translate"], 20), panel(host)
    # Nothing tells that the panel has seen the new page yet, which takes the button away meanwhile.
    click = "document.querySelector('#form:not([hidden]) #translate:enabled')?.click()"
    text = "return document.body.innerText"

    def is_translated() -> bool:
        host.in_panel(click)
        return COFFEE in host.evaluate(text)

    assert wait_until(is_translated) is True
    assert wait_until(lambda: panel(host) == [GERMAN, "restore"]) is True


def test_an_open_panel_says_that_the_tab_went_elsewhere(
    host: Host, two_pages: Callable[[], str]
) -> None:
    host.goto(f"{two_pages()}/de.html")
    assert translate(host)["status"] == "Translated."
    host.evaluate(f"setTimeout(() => {{ location.href = '{two_pages()}/en.html'; }})")
    error = "return document.querySelector('#error').textContent"
    said = wait_until(lambda: host.in_panel(error), 20)
    assert said == "The tab shows another page now. Click Dragoman's button once more."
    assert host.in_panel("return document.querySelector('#translate').disabled") is True
    assert panel(host) == ["", "translate"]
    if isinstance(host, FirefoxHost):  # Chromium's panel is a toggle: a click closes it
        host.click_button()
        assert wait_until(lambda: panel(host) == [ENGLISH, "translate"], 20), panel(host)


def panel(host: Host) -> list[str]:
    """What the panel says of the page's language, and the button that it offers."""
    return list(
        host.in_panel(
            """const said = document.querySelector("#detected").textContent;
               const button = document.querySelector("#running").hidden ? "translate" : "restore";
               return [said, button];"""
        )
    )


@IN_CHROMIUM  # Firefox isolates no page of an extension
def test_the_engine_is_isolated_where_the_browser_lets_it_be(host: ChromiumHost, site: str) -> None:
    host.goto(f"{site}/frame.html")
    translate(host)
    assert host.in_engine_page("return crossOriginIsolated") is True


STRICT = "default-src 'none'; frame-ancestors 'none'; sandbox allow-same-origin allow-scripts"


@pytest.fixture
def strict_site() -> Iterator[str]:
    """The same pages, which may load nothing and have no style of their own."""
    running = serve(PAGES, STRICT)
    yield f"http://127.0.0.1:{running.server_address[1]}"
    running.shutdown()
    running.server_close()


def test_a_selection_is_translated_beside_it_whatever_the_page_forbids(
    host: Host, strict_site: str
) -> None:
    host.goto(f"{strict_site}/article.html")
    host.click_button()  # Gives the tab.
    host.evaluate("getSelection().selectAllChildren(document.querySelector('.box > div'))")
    host.choose_in_menu("translate-selection", ".box > div")
    said = "return box.textContent"
    assert wait_until(lambda: COFFEE in (host.overlay(said) or "")), host.overlay(said)
    assert "German to English" in host.overlay(said)
    assert host.overlay("return getComputedStyle(box).position") == "fixed"
    host.point_at_word("coffee")
    lit = "return [...box.querySelectorAll('.lit')].map((word) => word.textContent)"
    assert wait_until(lambda: host.overlay(lit), 10) == ["coffee", "Kaffee"]
    assert "Wir trinken Kaffee." in host.evaluate("return document.body.innerText")
    close = "[...box.querySelectorAll('button')].at(-1).click()"
    host.overlay(close)
    assert wait_until(lambda: host.overlay(said) is None, 10) is True
    host.errors.clear()  # The page's own style and script, which it forbids.


def test_the_shortcut_translates_and_gives_back(host: Host, site: str) -> None:
    host.goto(f"{site}/frame.html")
    if isinstance(host, ChromiumHost):
        host.click_button()  # Gives the tab, as the keys would.
    language = "return document.documentElement.lang"
    text = "return document.body.innerText"
    host.press_shortcut()
    assert wait_until(lambda: "Innen" not in host.evaluate(text)) is True
    host.press_shortcut()
    assert wait_until(lambda: host.evaluate(language) == "de", 20) is True
    assert "Innen steht auch ein Satz." in host.evaluate(text)


REFUSALS = {
    "french": "This is in French. There is no model for that language here",
    "english": "This is in English, your own language",
}
SAID = "return box.querySelector('p')?.textContent ?? null"


@pytest.mark.parametrize("page", ["french", "english"])
def test_a_page_without_a_model_or_of_the_reader_is_named_and_left(
    host: Host, site: str, page: str
) -> None:
    host.goto(f"{site}/{page}.html")
    before = host.evaluate("return document.body.innerText")
    if isinstance(host, ChromiumHost):
        host.click_button()  # Gives the tab, as the keys would.
    host.press_shortcut()
    said = wait_until(lambda: host.overlay(SAID))
    assert str(said).startswith(REFUSALS[page])
    assert host.evaluate("return document.body.innerText") == before
    if PICTURES:
        keep(host.screenshot(), f"refused-{page}.html", host, "said")


def test_the_panel_names_a_language_without_a_model_and_preselects_none(
    host: Host, site: str
) -> None:
    host.goto(f"{site}/french.html")
    host.click_button()
    said = wait_until(
        lambda: host.in_panel("return document.querySelector('#detected')?.textContent || null")
    )
    assert str(said).startswith(REFUSALS["french"])
    assert host.in_panel("return document.querySelector('#source').value") == ""
    assert host.in_panel("return document.querySelector('#translate').disabled") is True
    if PICTURES:
        keep(host.panel_screenshot(), "panel-french.html", host, "panel")


def test_a_background_that_was_ended_comes_again(host: Host, site: str) -> None:
    host.goto(f"{site}/frame.html")
    translate(host)
    host.end_background()
    host.evaluate("document.body.insertAdjacentHTML('beforeend', '<p>Wir trinken Kaffee.</p>')")
    text = "return document.body.innerText"
    assert wait_until(lambda: COFFEE in host.evaluate(text)) is True
    host.goto(f"{site}/frame.html?again")
    assert translate(host)["status"] == "Translated."


def test_settings_are_kept_and_used(host: Host, site: str) -> None:
    host.goto(f"{site}/frame.html")
    host.click_button()
    wait_until(lambda: host.in_panel("return document.querySelector('#source')?.value") == "de")
    host.in_panel("document.querySelector('#never-site').click()")
    host.open_own_page("options.html")
    sites = "return document.querySelector('#never-sites').textContent"
    assert wait_until(lambda: "127.0.0.1" in host.in_panel(sites), 20) is True
    models = "return document.querySelector('#models').textContent"
    assert "German to English" in host.in_panel(models)
    host.in_panel("document.querySelector('#never-sites button').click()")
    assert wait_until(lambda: "127.0.0.1" not in host.in_panel(sites), 20) is True
    host.in_panel("document.querySelector('#hover').click()")
    host.open_own_page("options.html?again")
    kept = (
        "return document.querySelector('#models').textContent && document.querySelector('#hover')"
    )
    assert wait_until(lambda: host.in_panel(f"{kept}.checked === false"), 20) is True


@IN_CHROMIUM  # only there may a test choose in a menu of the browser
def test_what_is_typed_is_translated_into_the_field(host: ChromiumHost, site: str) -> None:
    host.goto(f"{site}/forms.html")
    host.click_button()
    field = host.page.locator("textarea")
    field.fill("")
    field.focus()
    host.choose_in_menu("translate-typing", "textarea")
    wait_until(lambda: "Type in the field." in host.overlay_text())
    # A reader writes in their own language, into the page's.
    field.press_sequentially("We drink coffee.")
    assert wait_until(lambda: "Wir trinken Kaffee." in host.overlay_text()) is True
    host.click_in_overlay("Put into the field")
    assert wait_until(lambda: field.input_value() == "Wir trinken Kaffee.") is True
    host.page.keyboard.press("Control+z")
    assert wait_until(lambda: field.input_value() == "We drink coffee.") is True


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
    wait_until(lambda: COFFEE in allowed.evaluate("return document.body.innerText"))
    allowed.goto(f"{site}/article.html?third")
    wait_until(lambda: allowed.overlay_text(), 30)
    allowed.click_in_overlay("Never on this site")
    allowed.goto(f"{site}/article.html?fourth")
    allowed.page.wait_for_timeout(1500)
    assert allowed.overlay_text() == ""


def test_frames_of_other_sites_need_the_permission(
    allowed: ChromiumHost, site: str, tmp_path: Path
) -> None:
    (tmp_path / "outer.html").write_text(
        f"<html lang=de><p>Wir haben ein Haus am See.</p><iframe src={site}/frame.html></iframe>"
    )
    outer = serve(tmp_path)
    allowed.goto(f"http://127.0.0.1:{outer.server_address[1]}/outer.html")
    assert translate(allowed)["error"] == ""
    inner = allowed.page.frame_locator("iframe").locator("p")
    assert wait_until(lambda: "Innen" not in inner.inner_text()) is True
    allowed.in_panel("document.querySelector('#restore').click()")
    assert wait_until(lambda: inner.inner_text() == "Innen steht auch ein Satz.", 20) is True
    outer.shutdown()


def test_in_german_and_in_the_dark(playwright: Playwright, tmp_path: Path, site: str) -> None:
    """Chromium only: Firefox speaks German with a language pack alone."""
    path = browser_path("chromium")
    host = ChromiumHost(playwright, path, tmp_path / "profile", language="de", dark=True)
    host.goto(f"{site}/article.html")
    host.click_button()
    button = "return document.querySelector('#translate')?.textContent"
    assert wait_until(lambda: host.in_panel(button), 20) == "Übersetzen"
    assert wait_until(lambda: "Deutsch" in host.in_panel("return document.body.innerText"), 20)
    ground = "return getComputedStyle(document.body).backgroundColor"
    assert host.in_panel(ground) == "rgb(18, 23, 25)"
    host.evaluate("getSelection().selectAllChildren(document.querySelector('.box > div'))")
    host.choose_in_menu("translate-selection", ".box > div")
    assert wait_until(lambda: host.overlay("return getComputedStyle(box).backgroundColor"), 20) == (
        "rgb(36, 38, 43)"
    )
    host.close()


PICTURES = os.environ.get("DRAGOMAN_PICTURES")
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


def keep(picture: bytes, page: str, host: Host, state: str) -> None:
    folder = Path(PICTURES or ".")
    folder.mkdir(parents=True, exist_ok=True)
    browser = "firefox" if isinstance(host, FirefoxHost) else "chromium"
    (folder / f"{Path(page).stem}-{browser}-{state}.png").write_bytes(picture)
