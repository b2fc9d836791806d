"""A click on a word of a box's translation: other words there, other translations of it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Playwright

from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.host import Host, wait_until
from tests.support.extension.native import install_host, open_browser, running_hosts, switch_on
from tests.support.extension.panel import COFFEE, IN_CHROMIUM
from tests.support.extension.pictures import PICTURES, keep

CHOICES = "const choices = box.getRootNode().querySelector('.choices');"


def select(host: Host, site: str) -> None:
    """The box of the page's "Wir trinken Kaffee.", translated."""
    host.goto(f"{site}/article.html")
    host.click_button()  # Gives the tab.
    host.evaluate("getSelection().selectAllChildren(document.querySelector('.box > div'))")
    host.choose_in_menu("translate-selection", ".box > div")
    assert wait_until(lambda: COFFEE in (host.overlay("return box.textContent") or "")) is True


def said(host: Host) -> str:
    return str(host.overlay("return box.querySelector('.opens').textContent"))


def is_shown(host: Host) -> bool:
    return host.overlay(f"{CHOICES} return choices.hidden") is False


def choices(host: Host, part: str) -> list[str]:
    """What can be chosen, once it is there, without remarks."""
    ready = f"return choices.querySelector('.{part}').getAttribute('aria-busy') === 'false'"
    assert wait_until(lambda: host.overlay(CHOICES + ready)) is True
    shown = f"""
      return [...choices.querySelectorAll('.{part} .choice')].map((choice) =>
        choice.textContent.replace(choice.querySelector('small')?.textContent, '').trim());"""
    return list(host.overlay(CHOICES + shown))


def test_a_chosen_word_changes_the_sentence_and_is_restored(host: Host, site: str) -> None:
    select(host, site)
    host.click_in_box(".word", "coffee")
    words, sentences = choices(host, "words"), choices(host, "sentences")
    assert len(words) == len({*words, "coffee."}) - 1 >= 2
    assert len(sentences) == len({*sentences, COFFEE}) - 1 >= 2
    title = f"{CHOICES} return choices.querySelector('h2').textContent"
    assert host.overlay(title) == "Instead of “coffee”"
    if PICTURES:
        keep(host.screenshot(), "alternatives.html", host, "open")
    host.click_in_box(".words .choice", words[0])
    assert wait_until(lambda: not is_shown(host), 10) is True
    assert said(host) == f"We're drinking {words[0]}"
    assert host.overlay("return box.querySelector('[role=status]').textContent") == (
        "The sentence was changed"
    )
    host.click_in_box(".word", "drinking")
    choices(host, "words")
    host.click_in_box(".restore", "Restore")
    assert wait_until(lambda: said(host) == COFFEE, 10) is True


def test_a_press_beside_it_closes_it_alone(host: Host, site: str) -> None:
    select(host, site)
    host.click_in_box(".word", "coffee")
    assert is_shown(host)
    host.click_in_box(".faint", "German to English")
    assert not is_shown(host)
    assert said(host) == COFFEE


@IN_CHROMIUM
def test_works_by_keys_and_escape_closes_one_after_the_other(host: ChromiumHost, site: str) -> None:
    select(host, site)
    keyboard = host.page.keyboard
    host.evaluate("addEventListener('keydown', ({ key }) => { window.heard = key; })")
    keyboard.press("Shift+Tab")  # From "Close", over the other buttons.
    for _ in range(3):
        if host.overlay("return box.getRootNode().activeElement.classList.contains('word')"):
            break
        keyboard.press("Shift+Tab")
    keyboard.press("End")
    keyboard.press("ArrowLeft")
    focused = "return box.getRootNode().activeElement.textContent"
    assert host.overlay(focused) == "coffee"
    keyboard.press("Enter")
    words = choices(host, "words")
    keyboard.press("ArrowDown")
    # A choice that is doubtful says so behind its text.
    assert str(host.overlay(focused)).removesuffix(" probably wrong") == words[0]
    keyboard.press("Escape")
    assert not is_shown(host)
    assert host.overlay(focused) == "coffee"
    keyboard.press(" ")
    sentences = choices(host, "sentences")
    keyboard.press("End")
    keyboard.press("Enter")
    assert said(host) == sentences[-1]
    assert host.evaluate("return window.heard") is None
    keyboard.press("Escape")
    assert wait_until(lambda: host.overlay("return true") is None, 10) is True


@IN_CHROMIUM  # only there may a test choose in a menu of the browser
def test_what_is_chosen_while_typing_is_put_into_the_field(host: ChromiumHost, site: str) -> None:
    host.goto(f"{site}/forms.html")
    host.click_button()
    field = host.page.locator("textarea")
    field.fill("")
    field.focus()
    host.choose_in_menu("translate-typing", "textarea")
    wait_until(lambda: "Type in the field." in host.overlay_text())
    field.press_sequentially("We drink coffee.")
    assert wait_until(lambda: said(host) == "Wir trinken Kaffee.") is True
    host.click_in_box(".word", "Kaffee")
    _, sentences = choices(host, "words"), choices(host, "sentences")
    host.click_in_box(".sentences .choice", sentences[0])
    assert wait_until(lambda: said(host) == sentences[0], 10) is True
    host.click_in_overlay("Put into the field")
    assert wait_until(lambda: field.input_value() == sentences[0]) is True


def test_the_engine_of_this_computer_finds_the_same(
    playwright: Playwright, tmp_path: Any, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    install_host()
    host = open_browser("chromium", playwright, tmp_path)
    select(host, site)
    host.click_in_box(".word", "coffee")
    in_browser = choices(host, "words"), choices(host, "sentences")
    assert switch_on(host).startswith("In use")
    select(host, site)
    host.click_in_box(".word", "coffee")
    assert (choices(host, "words"), choices(host, "sentences")) == in_browser
    assert len(running_hosts(tmp_path)) == 1
    host.close()
    assert host.errors == []


@pytest.mark.skipif(not PICTURES, reason="DRAGOMAN_PICTURES names no folder")
def test_pictures_in_the_dark_and_narrow(playwright: Playwright, tmp_path: Any, site: str) -> None:
    from dragoman.models.measures.in_browser import browser_path

    host = ChromiumHost(playwright, browser_path("chromium"), tmp_path / "profile", dark=True)
    for width in (1000, 340):
        host.page.set_viewport_size({"width": width, "height": 640})
        select(host, site)
        host.click_in_box(".word", "coffee")
        choices(host, "words")
        choices(host, "sentences")
        keep(host.screenshot(), "alternatives.html", host, f"dark-{width}")
    host.close()
