"""Nothing of a private window is kept."""

from __future__ import annotations

from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import COFFEE, text_of, translate
from tests.support.extension.pictures import PICTURES, keep

# What may be chosen in the panel, and what is said of it.
SHOWN = """return [...document.querySelectorAll("details input, #private, #allow-frames")]
  .filter((element) => element.closest("[hidden]") === null).map((element) => element.id)"""
OFFERS = "return document.querySelector('#offer').checked"
OFFERED = """return [...box.querySelectorAll("button")].map((button) => button.textContent)"""
KEPT = """return Promise.all([chrome.storage.local.get(null), chrome.permissions.getAll()])
  .then(([settings, { origins }]) => JSON.stringify([settings, origins]))"""


def test_nothing_that_is_kept_names_what_was_read_in_a_private_window(
    free_host: Host, site: str
) -> None:
    host = free_host
    host.open_private_window()
    host.goto(f"{site}/article.html")
    assert translate(host)["error"] == ""
    assert COFFEE in text_of(host)
    assert host.in_panel(SHOWN) == ["private", "stay", "offer"]
    if PICTURES:
        host.in_panel("document.querySelector('summary').click()")
        keep(host.panel_screenshot(), "private", host, "panel")
    host.in_panel("document.querySelector('#offer').click()")
    assert wait_until(lambda: host.in_panel(OFFERS)) is True
    host.goto(f"{site}/article.html?again")
    assert wait_until(lambda: host.overlay(OFFERED), 30) == ["Translate", "Not now"]
    if PICTURES:
        keep(host.screenshot(), "private", host, "offer")
    host.click_in_box("button", "Translate")
    assert wait_until(lambda: COFFEE in text_of(host)) is True
    host.click_button()
    assert host.in_panel(KEPT) == '[{"offer":true},["<all_urls>"]]'
