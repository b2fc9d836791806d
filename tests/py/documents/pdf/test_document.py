"""PDFs as they are translated: what programs print, written as a page in HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from dragoman.config import DocumentLimits
from dragoman.documents.passage import Translated
from dragoman.documents.pdf.document import read_pdf
from dragoman.errors import DocumentError
from dragoman.native.translator import Translator
from tests.support.documents import capital_parts, pdf_samples
from tests.support.pdf import lines_pdf, pages_pdf, show

BY_NAME = {sample.name: sample.content for sample in pdf_samples()}
PARAGRAPH = (
    "Heute Morgen bin ich früh aufgestanden und mit dem Hund in den Park gegangen, obwohl es "
    "regnete und die Donaudampfschifffahrtsgesellschaft streikte. Vor- und Nachteile gibt es "
    "überall, <auch> hier. Später schien die Sonne"
)


@pytest.fixture(scope="module")
def shout() -> Iterator[Translator]:
    with Translator(capital_parts()) as translator:
        yield translator


def test_what_libreoffice_prints() -> None:
    passages = [passage.text for passage in read("libreoffice.pdf")]
    chapter = [
        f"{PARAGRAPH}.",
        "Das fanden alle schön, auch der Hund, der lange neben dem Brunnen in der Wiese lag.",
        "• Erstens ein langer Punkt, der über mehrere Zeilen geht.",
        "• Zweitens kurz.",
    ]
    assert passages == [
        "Ein Morgen im Park",
        *["Kapitel 1", *chapter, "Kapitel 2", *chapter, "Kapitel 3", *chapter],
        *["Ein Bericht", "Stand: Montag"],
    ]


def test_what_chromium_prints() -> None:
    passages = [passage.text for passage in read("chromium.pdf")]
    letters = (
        f"{PARAGRAPH}, und die Krankenversicherungsgesellschaften schickten freundliche Briefe."
    )
    assert passages[:3] == ["Ein Morgen im Park", "Kapitel 1", letters]
    assert passages.count(letters) == 4
    assert passages[-2:] == ["Ein Morgen", "Seite 1 von 3"]


def read(name: str) -> Sequence[Any]:
    return read_pdf(BY_NAME[name], DocumentLimits()).passages


def test_it_is_written_as_a_page(shout: Translator) -> None:
    content = pages_pdf(
        [
            show("Der Titel & mehr", 50, 500, 20)
            + show("Ein Satz & noch", 50, 450)
            + show("einer.", 50, 438)
        ]
    )
    written = shout.translate_document(content, name="a.pdf", target="en").content.decode()
    head, _, body = written.partition("</head>\n")
    assert head.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert "<title>DER TITEL &amp; MEHR</title>" in head
    assert body == (
        '<body dir="auto">\n<h1>DER TITEL &amp; MEHR</h1>\n<p>EIN SATZ &amp; NOCH EINER.</p>\n'
        "</body>\n</html>\n"
    )


def test_headers_and_footers_come_last() -> None:
    pages = [
        show("Kopf", 50, 580) + show(f"Absatz {letter}.", 50, 300) + show("Fuß", 50, 20)
        for letter in "abc"
    ]
    document = read_pdf(pages_pdf(pages), DocumentLimits())
    same = [Translated(passage.text) for passage in document.passages]
    assert document.write(same, "en").endswith(
        b"<footer>\n<p>Kopf</p>\n<p>Fu\xc3\x9f</p>\n</footer>\n</body>\n</html>\n"
    )


@pytest.mark.parametrize("content", [pages_pdf([]), pages_pdf([b""]), lines_pdf(["1", "2 3"])])
def test_what_has_no_text_says_what_would_help(content: bytes) -> None:
    with pytest.raises(DocumentError, match="OCR") as caught:
        read_pdf(content, DocumentLimits())
    assert caught.value.reason == "no-text"
