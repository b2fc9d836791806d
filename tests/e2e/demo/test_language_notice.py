"""What the demo says of a text that may not be in the language that was chosen."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.e2e.demo.holding import go_on, hold_languages
from tests.support.pages import OpenPage, translated, wait_until_ready

ENGLISH = "This is a letter that was written in English, and nobody asked for German here."
MIXED = "Ich habe gestern the whole cake gegessen and it was great."
DONE = "#target-pane[aria-busy='false']:not([data-stale])"


def _says(page: Page, text: str) -> str:
    """What stands below a text once it is translated."""
    page.locator("#source").fill(text)
    page.wait_for_selector("#language-notice", state="visible")
    return page.locator("#language-notice").inner_text().strip()


def test_another_language_is_asked_about_and_not_translated(open_page: OpenPage) -> None:
    page = open_page().page
    wait_until_ready(page)
    assert _says(page, ENGLISH) == "This looks like English. Switch to English Translate anyway"
    assert page.locator("#output").inner_text() == ""
    assert page.locator("#status").inner_text() == "Not translated"
    assert page.locator("#empty-hint").is_hidden()
    page.get_by_role("button", name="Switch to English").click()
    wait_until_ready(page)
    assert "Brief" in translated(page)
    assert page.locator("#source-language").input_value() == "en"
    assert page.locator("#language-notice").is_hidden()


def test_another_language_is_asked_about_once_there_is_one_to_choose(open_page: OpenPage) -> None:
    watched = open_page()
    page = watched.page
    wait_until_ready(page)
    hold_languages(page)
    watched.reload()
    page.locator("#source").fill(ENGLISH)
    page.wait_for_timeout(500)
    assert page.locator("#language-notice").is_hidden()
    go_on(page)
    page.wait_for_selector("#language-notice", state="visible")
    wait_until_ready(page)
    page.wait_for_selector(DONE)
    assert page.locator("#output").inner_text() == ""


def test_a_language_without_a_model_is_named_and_not_translated(open_page: OpenPage) -> None:
    page = open_page().page
    wait_until_ready(page)
    french = "Le chat est assis devant la porte et il attend son dîner depuis une heure."
    assert _says(page, french) == (
        "This looks like French. There is no model for it here. Translate anyway"
    )
    assert page.locator("#output").inner_text() == ""
    page.get_by_role("button", name="Translate anyway").click()
    assert translated(page) != ""


def test_short_and_mixed_text_is_translated_and_said_to_be_not_sure(open_page: OpenPage) -> None:
    page = open_page().page
    wait_until_ready(page)
    assert _says(page, "Hva er det?") == (
        "Not sure that this is German: translated as such. It may be Norwegian. "
        "There is no model for it here."
    )
    page.wait_for_selector(DONE)
    assert page.locator("#output").inner_text() != ""
    page.locator("#source").fill("Guten Morgen!")
    page.wait_for_selector("#language-notice", state="hidden")
    assert _says(page, MIXED) == (
        "Not sure that this is German: translated as such. It may be English. Switch to English"
    )
    page.locator("#page-language").select_option("de")
    assert page.locator("#language-notice").inner_text().strip() == (
        "Nicht sicher, ob das Deutsch ist: als solches übersetzt. Es könnte Englisch sein. "
        "Zu Englisch wechseln"
    )
    page.locator("#clear").click()
    page.wait_for_selector("#language-notice", state="hidden")
