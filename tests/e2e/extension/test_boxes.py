"""The boxes over a page: for a selection, for what is typed, and the button beside a selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.host import Host, wait_until
from tests.support.extension.panel import COFFEE, IN_CHROMIUM, PAGES
from tests.support.extension.pictures import PICTURES, keep
from tests.support.sites import serve

STRICT = "default-src 'none'; frame-ancestors 'none'; sandbox allow-same-origin allow-scripts"

OVERLAYS = "return document.querySelectorAll('dragoman-overlay').length"
BOLD = """<!doctype html><html lang=de><link rel=icon href=data:,>
<p>Wir trinken <b>Kaffee</b> und lesen die Zeitung, denn heute ist Sonntag.</p>"""
FORMATTED = "return !box.getRootNode().querySelector('[translate=yes]')"
SAID = "return box.textContent"
TYPED = """const field = document.querySelector("textarea");
field.focus();
field.value = %s;
field.dispatchEvent(new InputEvent("input", { bubbles: true }))"""


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
    lit = "return [...box.querySelectorAll('.own, .linked')].map((word) => word.textContent)"
    assert wait_until(lambda: host.overlay(lit), 10) == ["coffee", "Kaffee"]
    assert "Wir trinken Kaffee." in host.evaluate("return document.body.innerText")
    close = "[...box.querySelectorAll('button')].at(-1).click()"
    host.overlay(close)
    assert wait_until(lambda: host.overlay(said) is None, 10) is True
    host.errors.clear()  # The page's own style and script, which it forbids.


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
    said = "return box.textContent"
    assert wait_until(lambda: "Wir trinken Kaffee." in host.overlay(said)) is True
    host.click_in_overlay("Put into the field")
    assert wait_until(lambda: field.input_value() == "Wir trinken Kaffee.") is True
    host.page.keyboard.press("Control+z")
    assert wait_until(lambda: field.input_value() == "We drink coffee.") is True


def test_a_button_beside_what_is_selected_can_be_switched_off(
    free_host: Host, two_pages: Callable[[], str]
) -> None:
    host, page = free_host, f"{two_pages()}/de.html"
    said = "return box.textContent"

    def said_beside(address: str) -> Any:
        """Loaded anew each time: nothing tells when pages get our script, or no longer do."""
        host.goto(address)
        host.evaluate("getSelection().selectAllChildren(document.querySelector('p'))")
        return wait_until(lambda: host.overlay(said), 4)

    assert wait_until(lambda: said_beside(page), 60) == "Translate"
    if PICTURES:
        keep(host.screenshot(), "selection.html", host, "button")
    host.overlay("box.querySelector('button').click()")
    assert wait_until(lambda: COFFEE in (host.overlay(said) or "")) is True
    # What is selected rests, and may be told anew: the button does not come beside its box.
    host.evaluate("document.dispatchEvent(new Event('selectionchange'))")
    assert wait_until(lambda: host.evaluate(OVERLAYS) > 1, 2) is False
    if PICTURES:
        keep(host.screenshot(), "selection.html", host, "box")
    host.open_own_page("options.html")
    checked = "return document.querySelector('#selection')?.checked"
    wait_until(lambda: host.in_panel(checked), 30)
    host.in_panel("document.querySelector('#selection').click()")
    assert wait_until(lambda: said_beside(f"{page}?again") is None, 60) is True


def _open_box(host: Host, address: str) -> None:
    host.goto(address)
    host.click_button()
    host.evaluate("getSelection().selectAllChildren(document.querySelector('p'))")
    host.choose_in_menu("translate-selection", "p")
    assert wait_until(lambda: "coffee" in (host.overlay("return box.textContent") or "").lower())


def test_what_is_copied_keeps_its_formatting(host: Host, tmp_path: Path) -> None:
    (tmp_path / "bold.html").write_text(BOLD, encoding="utf-8")
    outer = serve(tmp_path)
    _open_box(host, f"http://127.0.0.1:{outer.server_address[1]}/bold.html")
    # It is there once it stands beside the box no more.
    assert wait_until(lambda: host.overlay(FORMATTED), 20)
    host.click_in_box("button", "Copy")
    assert wait_until(lambda: "Copied" in host.overlay(SAID))
    assert "coffee</b>" in host.copied_html()
    outer.shutdown()


def test_what_is_typed_in_another_language_is_asked_about(host: Host, site: str) -> None:
    host.goto(f"{site}/forms.html")
    host.click_button()
    host.evaluate(TYPED % '""')
    host.choose_in_menu("translate-typing", "textarea")
    assert wait_until(lambda: "Type in the field." in (host.overlay(SAID) or "")) is True
    host.evaluate(TYPED % '"Wir trinken heute zusammen einen Kaffee und lesen die Zeitung."')
    other = "This looks like German, not English, so it was not translated."
    assert wait_until(lambda: other in host.overlay(SAID)) is True, host.overlay(SAID)
    if PICTURES:
        keep(host.screenshot(), "forms.html", host, "other-language")
    host.click_in_box("button", "Translate anyway")
    assert wait_until(lambda: other not in host.overlay(SAID)) is True
    host.evaluate(TYPED % '"We drink coffee together and read the paper."')
    assert wait_until(lambda: "Kaffee" in host.overlay(SAID)) is True
    anyway = "return [...box.querySelectorAll('button')].at(-2).hidden"
    assert host.overlay(anyway) is True
