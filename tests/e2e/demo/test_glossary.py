"""A glossary in the demo: terms are typed and brought as files, used, shown, edited, given out."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import FilePayload, Page

from tests.support.pages import OpenPage, download, translated_anew, wait_until_ready

TEXT = "Der Rechner gehört Frau Habicht."


def add(page: Page, source: str, target: str | None) -> None:
    page.locator("#glossary .field input").first.fill(source)
    if target is None:
        page.get_by_label("Leave it as it is").check()
    else:
        page.locator("#glossary .field input").last.fill(target)
    page.keyboard.press("Enter")
    page.locator("#glossary .terms .name", has_text=source).wait_for()


def test_terms_are_typed_used_shown_edited_and_removed(open_page: OpenPage) -> None:
    watched = open_page()
    page = watched.page
    wait_until_ready(page)
    page.locator("#open-glossary").click()
    add(page, "Rechner", "zeppelin")
    add(page, "Habicht", None)
    assert page.locator("#glossary .terms .name").all_inner_texts() == [
        "Habicht",
        "Rechner → zeppelin",
    ]
    text = translated_anew(page, TEXT)
    assert "zeppelin" in text.lower()
    assert "Habicht" in text
    marked = page.locator("#output .term")
    assert "zeppelin" in [word.lower() for word in marked.all_inner_texts()]
    titles = [word.get_attribute("title") for word in marked.all()]
    assert "Rechner → zeppelin, from your glossary" in titles
    assert page.locator("#terms-used").is_visible()

    watched.reload()
    wait_until_ready(page)
    page.locator("#open-glossary").click()
    page.get_by_label("Edit Rechner").click()
    page.locator("#glossary .field input").last.fill("gondola")
    page.keyboard.press("Enter")
    page.locator("#glossary .terms .name", has_text="gondola").wait_for()
    text = translated_anew(page, TEXT)
    assert "gondola" in text.lower()
    assert "zeppelin" not in text.lower()
    page.locator("#open-glossary").click()
    page.get_by_label("Remove Rechner").click()
    page.get_by_label("Remove Habicht").click()
    page.wait_for_selector("#glossary .terms .none")
    page.wait_for_function("() => !document.querySelector('#output .term')")


def test_files_are_taken_given_out_and_refused_by_line(
    open_page: OpenPage, downloads: Path
) -> None:
    page = open_page(locale="de-DE").page
    wait_until_ready(page)
    page.locator("#open-glossary").click()
    files = page.locator("#glossary input[type=file]")
    tsv: FilePayload = {
        "name": "firma.tsv",
        "mimeType": "text/plain",
        "buffer": b"Rechner\tzeppelin\nHabicht\n",
    }
    files.set_input_files(tsv)
    page.locator("#glossary .terms .name", has_text="Habicht").wait_for()
    assert page.locator("#glossary .fine.faint").inner_text() == "2 Einträge hinzugefügt"
    tbx: FilePayload = {
        "name": "firma.tbx",
        "mimeType": "text/xml",
        "buffer": b"<tbx><conceptEntry>"
        b'<langSec xml:lang="de"><termSec><term>Zug</term></termSec></langSec>'
        b'<langSec xml:lang="en"><termSec><term>gondola</term></termSec></langSec>'
        b"</conceptEntry></tbx>",
    }
    files.set_input_files(tbx)
    page.locator("#glossary .terms .name", has_text="Zug → gondola").wait_for()
    name, content = download(page.get_by_text("Als TSV ausgeben"), downloads)
    assert (name, content) == ("de-en.tsv", b"Habicht\nRechner\tzeppelin\nZug\tgondola\n")
    problem = page.locator("#glossary .problem")
    files.set_input_files({**tsv, "buffer": "gut\tgood\n\n…\tworse\n".encode()})
    problem.wait_for()
    assert problem.inner_text().startswith(
        "Die Einträge sind nicht brauchbar. In Zeile 3 ist kein Eintrag"
    )
    many = "".join(f"Wort{number}\tword\n" for number in range(10_001)).encode()
    files.set_input_files({**tsv, "buffer": many})
    page.get_by_text("10.001 Einträge, erlaubt sind 10.000.").wait_for()


def test_documents_use_it(open_page: OpenPage, downloads: Path) -> None:
    page = open_page().page
    wait_until_ready(page)
    page.locator("#open-glossary").click()
    add(page, "Rechner", "zeppelin")
    page.keyboard.press("Escape")
    wait_until_ready(page)
    file: FilePayload = {"name": "brief.txt", "mimeType": "text/plain", "buffer": TEXT.encode()}
    page.locator("#documents input[type=file]").set_input_files(file)
    page.locator("#documents li[data-state=done]").wait_for(timeout=120_000)
    _, content = download(page.get_by_label("Download brief"), downloads)
    assert b"zeppelin" in content.lower()
