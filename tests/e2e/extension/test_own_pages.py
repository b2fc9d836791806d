"""The welcome and the settings; all of our pages in German, in the dark, and narrow."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from dragoman.models.measures.in_browser import browser_path
from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import COFFEE
from tests.support.extension.pictures import PICTURES, keep


def test_settings_are_kept_and_used(host: Host, site: str) -> None:
    host.goto(f"{site}/frame.html")
    host.click_button()
    wait_until(lambda: host.in_panel("return document.querySelector('#source')?.value") == "de")
    host.in_panel("document.querySelector('#neverSites').click()")
    host.open_own_page("options.html")
    sites = "return document.querySelector('#neverSites').textContent"
    assert wait_until(lambda: "127.0.0.1" in host.in_panel(sites), 20) is True
    models = "return document.querySelector('#models').textContent"
    assert wait_until(lambda: "German to English" in host.in_panel(models), 30) is True
    host.in_panel("document.querySelector('#neverSites button').click()")
    assert wait_until(lambda: "127.0.0.1" not in host.in_panel(sites), 20) is True
    host.in_panel("document.querySelector('#hover').click()")
    host.open_own_page("options.html?again")
    kept = (
        "return document.querySelector('#models').textContent && document.querySelector('#hover')"
    )
    assert wait_until(lambda: host.in_panel(f"{kept}.checked === false"), 20) is True


def test_the_welcome_translates_what_is_typed(host: Host) -> None:
    host.open_own_page("welcome.html")
    field = "return document.querySelector('#text')?.value"
    wait_until(lambda: host.in_panel(field), 30)
    assert host.in_panel(field).startswith("Good morning!")
    translation = "return document.querySelector('#translation').textContent"
    assert host.in_panel(translation) == ""
    host.in_panel(
        """const field = document.querySelector("#text");
           field.value = "Wir trinken Kaffee.";
           document.querySelector("#try").click();"""
    )
    assert wait_until(lambda: host.in_panel(translation) == COFFEE) is True
    shortcut = host.in_panel("return document.querySelector('#shortcut').textContent")
    assert "Alt+Shift+D" in shortcut


# Elements whose content is wider than they are, and what stands out of the window.
CUT_OFF = """
  const cut = ({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1;
  const out = (element) => element.getBoundingClientRect().right > innerWidth + 1;
  const pen = document.createElement("canvas").getContext("2d");
  const arrow = 36;
  const tight = (element) => {
    if (element.localName !== "select") return false;
    pen.font = getComputedStyle(element).font;
    const { width } = pen.measureText(element.selectedOptions[0]?.text ?? "");
    return width + arrow > element.clientWidth;
  };
  const isCut = (element) => out(element) || cut(element) || tight(element);
  return [...document.querySelectorAll("body, body *")]
    .filter((element) => element.checkVisibility() && isCut(element))
    .map(({ localName, id, className }) => `${localName}#${id}.${className}`);
"""


@pytest.mark.parametrize(("language", "dark"), [("en", False), ("de", True)])
def test_nothing_is_cut_off_in_our_own_pages(
    playwright: Playwright, tmp_path: Path, site: str, language: str, dark: bool
) -> None:
    path = browser_path("chromium")
    host = ChromiumHost(playwright, path, tmp_path / "profile", language=language, dark=dark)
    for name in ("welcome", "options"):
        host.open_own_page(f"{name}.html")
        wait_until(lambda: host.in_panel("return document.querySelector('h1').textContent"), 30)
        if name == "options":
            wait_until(lambda: host.in_panel("return document.querySelectorAll('li').length > 90"))
        for width in (320, 500, 1000):
            host.page.set_viewport_size({"width": width, "height": 900})
            assert host.in_panel(CUT_OFF) == [], (name, width)
            if PICTURES:
                shot = host.page.screenshot(full_page=True)
                keep(shot, f"{name}.html", host, f"{language}-{width}")
    host.goto(f"{site}/french.html")
    host.click_button()
    source = "return document.querySelector('#source')?.value"
    wait_until(lambda: host.in_panel(source) == "fr", 30)
    host.in_panel("document.querySelector('details').open = true")
    assert host.in_panel(CUT_OFF) == []
    if PICTURES:
        keep(host.panel_screenshot(), "panel.html", host, language)
    host.close()


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
