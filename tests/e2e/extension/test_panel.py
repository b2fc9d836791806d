"""What the panel says of the page below it, and how it goes along with the tab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.firefox import FirefoxHost
from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import COFFEE, IN_CHROMIUM, panel, translate
from tests.support.extension.pictures import PICTURES, keep
from tests.support.sites import serve


def test_the_panel_speaks_of_a_page_that_it_may_not_touch(host: Host) -> None:
    host.goto("about:license" if isinstance(host, FirefoxHost) else "chrome://version")
    host.click_button()
    error = "return document.querySelector('#error')?.textContent"
    said = wait_until(lambda: host.in_panel(error))
    assert said == "This page belongs to the browser. No extension may translate it."


@pytest.mark.parametrize("host", ["firefox"], indirect=True)  # Chromium's viewer needs a window
def test_the_panel_says_that_a_pdf_stays_as_it_is(host: FirefoxHost, tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n")
    running = serve(tmp_path)
    host.goto(f"http://127.0.0.1:{running.server_address[1]}/letter.pdf")
    host.click_button()
    error = "return document.querySelector('#error')?.textContent"
    assert str(wait_until(lambda: host.in_panel(error), 30)).startswith("This is a PDF.")
    running.shutdown()


def test_the_panel_offers_the_model_of_an_unknown_language(host: Host, site: str) -> None:
    host.goto(f"{site}/french.html")
    host.click_button()
    what = "return document.querySelector('#fetching:not([hidden]) #fetch-what')?.textContent"
    said = wait_until(lambda: host.in_panel(what))
    assert str(said) == "French to English: 26 MB"
    detected = "return document.querySelector('#detected').textContent"
    assert host.in_panel(detected) == "This page seems to be in French."
    assert host.in_panel("return document.querySelector('#source').value") == "fr"
    assert host.in_panel("return document.querySelector('#translate').hidden") is True
    if PICTURES:
        keep(host.panel_screenshot(), "panel-french.html", host, "panel")


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
