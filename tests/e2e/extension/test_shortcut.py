"""The keys translate a page, and say on it what they do or why not."""

from __future__ import annotations

import pytest

from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import IN_CHROMIUM, text_of
from tests.support.extension.pictures import PICTURES, keep


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
    "french": "This is in French. Its model (26 MB) was not fetched yet",
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


@IN_CHROMIUM  # where a test can read the badge
def test_the_shortcut_shows_how_far_it_is(host: ChromiumHost, site: str) -> None:
    host.goto(f"{site}/frame.html")
    host.click_button()
    host.press_shortcut()
    wait_until(lambda: "Translated." in host.overlay_text())
    assert "Show the original" in host.overlay_text()
    assert wait_until(lambda: host.badge() == "✓", 20) is True
    if PICTURES:
        keep(host.screenshot(), "frame.html", host, "bar")
    host.click_in_overlay("Show the original")
    assert wait_until(lambda: "Innen steht auch ein Satz." in text_of(host), 20) is True
    assert wait_until(lambda: host.badge() == "", 20) is True
    assert host.overlay_text() == ""
