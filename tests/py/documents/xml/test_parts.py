from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from dragoman.documents.passage import Translated
from dragoman.documents.read import read_document
from dragoman.types import ElementKind, PlacedElement, Span
from tests.support.documents import parts_of, samples

BY_NAME = {sample.name: sample for sample in samples()}


@pytest.mark.parametrize(
    ("name", "part", "before", "after"),
    [
        ("libreoffice.docx", "word/styles.xml", 'w:val="de-DE"', 'w:val="en"'),
        ("libreoffice.odt", "styles.xml", 'fo:language="de"', 'fo:language="en"'),
        ("book.epub", "O/b.opf", "<dc:language>de<", "<dc:language>en<"),
        ("book.epub", "O/c 1.xhtml", 'xml:lang="de"', 'xml:lang="en"'),
    ],
)
def test_the_new_language_is_said(name: str, part: str, before: str, after: str) -> None:
    sample = BY_NAME[name]
    document = read_document(sample.content, sample.options)
    assert before in dict(parts_of(sample.content))[part].decode()
    translations = [
        Translated("Neu", tuple(_placed(passage.elements))) for passage in document.passages
    ]
    changed = dict(parts_of(document.write(translations, "en")))[part].decode()
    assert (before in changed, after in changed) == (False, True)


def _placed(elements: Sequence[Any]) -> Iterator[Any]:
    """All elements, at the end of the text."""
    yield Span(0, 3)
    for index, element in enumerate(elements):
        atom = element.kind in (ElementKind.OPAQUE, ElementKind.VOID)
        if element.parent is None:
            inside = [i for i, child in enumerate(elements) if child.parent == index]
            yield PlacedElement(index, None if atom else tuple(map(PlacedElement, inside)))
