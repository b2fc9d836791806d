"""Documents in the demo: chosen or dropped, followed, cancelled, downloaded."""

from __future__ import annotations

import base64
from pathlib import Path

from playwright.sync_api import FilePayload, Locator, Page

import dragoman
from tests.support.documents import parts_of, samples
from tests.support.pages import OpenPage, download, wait_until_ready
from tests.support.pdf import lines_pdf, pages_pdf

BY_NAME = {sample.name: sample.content for sample in samples()}
WALK = "Heute Morgen bin ich früh aufgestanden und mit dem Hund in den Park gegangen. "
DROP = """([files]) => {
  const transfer = new DataTransfer();
  for (const { name, content } of files) {
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    transfer.items.add(new File([bytes], name));
  }
  for (const type of ["dragover", "drop"]) {
    const event = new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event);
  }
}"""


def choose(page: Page, *files: tuple[str, bytes]) -> None:
    payloads = [FilePayload(name=name, mimeType="", buffer=content) for name, content in files]
    page.locator("#documents .files").set_input_files(payloads)


def job(page: Page, name: str, state: str) -> Locator:
    """The row of a document, once it is in a state."""
    row = page.locator(".jobs li", has_text=name)
    page.locator(f".jobs li[data-state='{state}']", has_text=name).wait_for()
    return row


def test_a_document_is_chosen_and_its_translation_downloaded(
    open_page: OpenPage, downloads: Path
) -> None:
    page = open_page(accept_downloads=True).page
    choose(page, ("Mein Brief.docx", BY_NAME["letter.docx"]))
    row = job(page, "Mein Brief.docx", "done")
    link = row.get_by_role("link", name="Download Mein Brief.en.docx")
    name, written = download(link, downloads)
    assert name == "Mein Brief.en.docx"
    with dragoman.load("de", "en") as native:
        expected = native.translate_document(BY_NAME["letter.docx"], name="letter.docx")
    assert dict(parts_of(written)) == dict(parts_of(expected.content))
    row.get_by_role("button", name="Remove Mein Brief.docx from the list").click()
    assert page.locator(".jobs li").count() == 0


def test_documents_are_dropped_anywhere_and_what_cannot_be_read_says_why(
    open_page: OpenPage,
) -> None:
    page = open_page().page
    wait_until_ready(page)
    dropped = [
        ("plan.pdf", b"%PDF-1.7"),
        ("damaged.docx", b"nonsense"),
        ("morning.txt", b"Guten Morgen!"),
    ]
    encoded = [{"name": n, "content": base64.b64encode(c).decode()} for n, c in dropped]
    page.evaluate(DROP, [encoded])
    assert (
        "It is damaged, or not what its name says" in job(page, "plan.pdf", "failed").inner_text()
    )
    assert "damaged" in job(page, "damaged.docx", "failed").locator(".status").inner_text()
    assert "Translated, 1 sentence" in job(page, "morning.txt", "done").inner_text()


def test_of_a_pdf_one_gets_the_text(open_page: OpenPage, downloads: Path) -> None:
    page = open_page(accept_downloads=True).page
    choose(page, ("morgen.pdf", lines_pdf(["Guten Mor-", "gen!"])))
    row = job(page, "morgen.pdf", "done")
    assert "A PDF does not keep its layout: this is its text" in row.inner_text()
    name, written = download(row.get_by_role("link"), downloads)
    assert name == "morgen.en.html"
    assert b"\n<p>Good morning!</p>\n" in written


def test_a_pdf_without_text_says_what_would_help(open_page: OpenPage) -> None:
    page = open_page().page
    choose(page, ("scan.pdf", pages_pdf([b""])))
    assert "(OCR)" in job(page, "scan.pdf", "failed").inner_text()


def test_a_table_is_asked_about_its_columns(open_page: OpenPage, downloads: Path) -> None:
    page = open_page(accept_downloads=True).page
    choose(page, ("artikel.csv", b"id,Titel\nHaus,Guten Morgen!\n"))
    row = job(page, "artikel.csv", "columns")
    row.get_by_label("Titel").check()
    row.get_by_role("button", name="Translate them").click()
    row = job(page, "artikel.csv", "done")
    saved = download(row.get_by_role("link"), downloads)
    assert saved == ("artikel.en.csv", b"id,Titel\nHaus,Good morning!\n")


def test_a_document_in_another_language_is_asked_about(open_page: OpenPage) -> None:
    page = open_page().page
    english = b"This is a letter that was written in English, and nobody asked for German here."
    choose(page, ("letter.txt", english))
    row = job(page, "letter.txt", "doubt")
    assert "This looks like English." in row.inner_text()
    row.get_by_role("button", name="Switch to English").click()
    job(page, "letter.txt", "done")
    assert page.locator("#source-language").input_value() == "en"


def test_ten_megabytes_are_followed_and_cancelled_while_one_types(open_page: OpenPage) -> None:
    page = open_page().page
    wait_until_ready(page)
    # As a person's file would come: made in the page, for it need not go through the test.
    page.evaluate(
        """([sentence]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([sentence.repeat(10e6 / sentence.length)], "roman.txt"));
      const event = new DragEvent("drop", { dataTransfer: transfer, bubbles: true });
      document.body.dispatchEvent(event);
    }""",
        [f"{WALK}\n"],
    )
    row = job(page, "roman.txt", "translating")
    assert "of 10,0" in row.locator(".status").inner_text() or "of 9,9" in row.inner_text()
    page.locator("#source").fill("Guten Morgen!")
    page.wait_for_function("() => /morning/i.test(document.querySelector('#output').textContent)")
    row.get_by_role("button", name="Cancel roman.txt").click()
    assert "Cancelled" in job(page, "roman.txt", "cancelled").inner_text()
    choose(page, ("morning.txt", b"Guten Morgen!"))
    job(page, "morning.txt", "done")
