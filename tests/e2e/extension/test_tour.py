"""A tour of the demo and the extension in German and English: `make tour`, into build/tour."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, Playwright

from dragoman.models.measures.in_browser import browser_path, launch
from tests.support.extension.chromium import ChromiumHost
from tests.support.extension.host import wait_until
from tests.support.extension.panel import status, text_of
from tests.support.pages import READY_MS, Server, wait_until_ready
from tests.support.pdf import lines_pdf
from tests.support.tour import TOUR, Tour

pytestmark = pytest.mark.skipif(not TOUR, reason="DRAGOMAN_TOUR names no folder")
LANGUAGES = pytest.mark.parametrize("language", ["de", "en"])
MORNING = "Heute Morgen bin ich früh aufgestanden und mit dem Hund in den Park gegangen."
NONSENSE = (
    "Wir trinken Kaffee. Der Knorks zwirbelt den Schnurpel dideldum in die Trallalaplumpse hinein."
)
ENGLISH = "This is a letter that was written in English, and nobody asked for German here."
SETTLED = "#target-pane[aria-busy='false']:not([data-stale])"
SAYS = "(said) => new RegExp(said, 'i').test(document.querySelector('#output').textContent)"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    made.start()
    yield made
    made.stop()


@LANGUAGES
def test_tour_of_the_demo(playwright: Playwright, server: Server, language: str) -> None:
    tour = Tour(Path(TOUR or "."), f"demo-{language}")
    browser = launch(playwright, "chromium", "--disable-background-networking")
    context = browser.new_context(locale=language, viewport={"width": 1200, "height": 900})
    context.set_default_timeout(READY_MS)
    page = context.new_page()
    page.goto(server.url)
    wait_until_ready(page)
    tour.keep(page.screenshot(), "The page as it opens")
    _type(page, MORNING, "I got up")
    tour.keep(page.screenshot(), "A text is translated while one types")
    page.locator("#swap").click()
    page.wait_for_function(SAYS, arg="^Ich bin")
    page.wait_for_selector(SETTLED)
    tour.keep(page.screenshot(), "Languages swapped: the translation is what is translated")
    page.locator("#swap").click()
    _type(page, NONSENSE, "We.re drinking")
    tour.keep(page.screenshot(), "A sentence whose translation is to be doubted is marked")
    page.locator("#source").fill(ENGLISH)
    page.wait_for_selector("#language-notice", state="visible")
    tour.keep(page.screenshot(), "A text in another language than was chosen is asked about")
    page.locator("#source").fill("Good day")
    page.wait_for_selector("#language-notice", state="visible")
    page.wait_for_selector(SETTLED)
    tour.keep(page.screenshot(), "Of a short text it is not sure, and says so")
    _type(page, MORNING, "I got up")
    _choose(page, "bericht.pdf", lines_pdf(["Guten Mor-", "gen!"]))
    tour.keep(page.screenshot(full_page=True), "A document; of a PDF one gets the text")
    page.emulate_media(color_scheme="dark")
    tour.keep(page.screenshot(full_page=True), "The same in the dark")
    page.emulate_media(color_scheme="light")
    page.locator("#open-history").click()
    tour.keep(page.screenshot(), "The history, on this machine only")
    page.keyboard.press("Escape")
    page.locator("#open-library").click()
    page.wait_for_selector("#library[open]")
    tour.keep(page.screenshot(), "Languages: which models are here, and which could be fetched")
    page.keyboard.press("Escape")
    page.wait_for_selector("#offline[data-state='ready']", state="visible")
    server.stop()
    page.reload()
    wait_until_ready(page)
    _type(page, "Guten Morgen!", "Good morning")
    tour.keep(page.screenshot(), "Without a network: the server is stopped, the page loaded again")
    browser.close()
    assert tour.count == 11


def _type(page: Page, text: str, said: str) -> None:
    """Wait until the translation begins so."""
    page.locator("#source").fill(text)
    page.wait_for_function(SAYS, arg=f"^{said}")
    page.wait_for_selector(SETTLED)


def _choose(page: Page, name: str, content: bytes) -> None:
    payload = FilePayload(name=name, mimeType="", buffer=content)
    page.locator("#documents .files").set_input_files([payload])
    page.locator(".jobs li[data-state='done']", has_text=name).wait_for()


@LANGUAGES
def test_tour_of_the_extension(
    playwright: Playwright, tmp_path: Path, site: str, language: str
) -> None:
    tour = Tour(Path(TOUR or "."), f"extension-{language}")
    path, profile = browser_path("chromium"), tmp_path / "profile"
    host = ChromiumHost(playwright, path, profile, language=language)
    host.goto(f"{site}/article.html")
    tour.keep(host.screenshot(), "A page as its author wrote it")
    host.click_button()
    wait_until(lambda: host.in_panel("return document.querySelector('#source')?.value") == "de")
    tour.keep(host.panel_screenshot(), "The button in the toolbar opens the panel")
    host.in_panel("document.querySelector('#translate').click()")
    assert wait_until(lambda: status(host).startswith(("Translated", "Übersetzt")))
    tour.keep(host.panel_screenshot(), "The page is translated")
    tour.keep(host.screenshot(), "The translated page: its links and pictures are where they were")
    host.in_panel("document.querySelector('#restore').click()")
    assert wait_until(lambda: "Gestern" in text_of(host))
    tour.keep(host.screenshot(), "Restored")
    host.evaluate("getSelection().selectAllChildren(document.querySelector('p'))")
    host.choose_in_menu("translate-selection", "p")
    assert wait_until(lambda: "Yesterday" in (host.overlay("return box.textContent") or ""))
    tour.keep(host.screenshot(), "A selection, translated in a box over the page")
    host.open_own_page("options.html")
    wait_until(lambda: host.in_panel("return document.querySelector('#models').textContent"))
    tour.keep(host.page.screenshot(full_page=True), "The settings")
    host.page.emulate_media(color_scheme="dark")
    tour.keep(host.page.screenshot(full_page=True), "The settings in the dark")
    host.close()
    assert tour.count == 8
