"""Translation memories in the demo: brought as files, used, marked, switched off, removed."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import FilePayload, Page

from tests.support.pages import OpenPage, download, translated_anew, wait_until_ready

SENTENCES = b"de\ten\nGuten Morgen!\tGood morning to you!\nDas Wetter ist heute gut.\tFine day.\n"
TEXT = "Guten Morgen! Das Wetter ist heute schön."


def with_memory(page: Page) -> None:
    wait_until_ready(page)
    page.locator("#open-memory").click()
    file: FilePayload = {"name": "saetze.tsv", "mimeType": "text/plain", "buffer": SENTENCES}
    page.locator("#memory input[type=file]").set_input_files(file)
    page.wait_for_selector("#memory .memories .facts")


def test_a_memory_is_used_marked_offered_and_switched_off(open_page: OpenPage) -> None:
    page = open_page().page
    with_memory(page)
    assert page.locator("#memory .facts").inner_text() == "2 sentences, German to English"
    assert translated_anew(page, TEXT).startswith("Good morning to you!")
    marked = page.locator("#output .remembered")
    assert marked.all_inner_texts() == ["Good", "morning", "to", "you", "!"]
    assert marked.first.get_attribute("title") == "from your memory"
    assert page.locator("#remembered").is_visible()
    page.locator("#output .word", has_text="weather").click()
    page.wait_for_selector("#choices .sentences[aria-busy='false']")
    near = page.locator("#choices .sentences .choice").first.inner_text()
    assert near == "Fine day. from your memory, 83% alike: “Das Wetter ist heute gut.”"
    page.keyboard.press("Escape")
    page.locator("#open-memory").click()
    page.get_by_label("Use saetze.tsv").uncheck()
    page.wait_for_function("() => !document.querySelector('#output .remembered')")


def test_what_is_brought_stays_is_given_out_and_removed(
    open_page: OpenPage, downloads: Path
) -> None:
    watched = open_page()
    page = watched.page
    with_memory(page)
    watched.reload()
    wait_until_ready(page)
    page.locator("#open-memory").click()
    assert page.locator("#memory .memories .name").inner_text() == "saetze.tsv"
    name, content = download(page.get_by_label("Export saetze.tsv as TSV"), downloads)
    assert (name, content) == ("saetze.tsv", SENTENCES)
    name, content = download(page.get_by_label("Export saetze.tsv as TMX"), downloads)
    assert name == "saetze.tmx"
    assert b"<seg>Fine day.</seg>" in content
    page.get_by_label("Remove saetze.tsv").click()
    page.wait_for_selector("#memory .none")


def test_a_file_that_is_none_is_said_to_be_none(open_page: OpenPage) -> None:
    page = open_page(locale="de-DE").page
    wait_until_ready(page)
    page.locator("#open-memory").click()
    file: FilePayload = {"name": "leer.tmx", "mimeType": "text/xml", "buffer": b"<tmx/>"}
    page.locator("#memory input[type=file]").set_input_files(file)
    problem = page.locator("#memory .problem")
    problem.wait_for()
    assert problem.inner_text() == (
        "Die Datei ist kein brauchbares Gedächtnis. "
        "Nötig ist TSV oder TMX mit Sätzen in den beiden gewählten Sprachen."
    )
