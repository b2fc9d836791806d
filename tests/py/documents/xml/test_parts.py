from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
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


def _changed_part(content: bytes, name: str, change: Callable[[str], str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            said = old.read(info)
            new.writestr(info, change(said.decode()).encode() if info.filename == name else said)
    return out.getvalue()


def test_a_part_may_have_the_type_of_its_ending() -> None:
    """So writes Microsoft's Open XML SDK."""
    sample = BY_NAME["letter.docx"]
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"

    def change(said: str) -> str:
        said = re.sub(rf'<Override [^>]*ContentType="{re.escape(main)}"[^>]*/>', "", said)
        return re.sub(r'(<Default Extension="xml" ContentType=")[^"]*', rf"\g<1>{main}", said)

    changed = _changed_part(sample.content, "[Content_Types].xml", change)
    before, after = (
        [p.text for p in read_document(content, sample.options).passages]
        for content in (sample.content, changed)
    )
    assert before[0] in after


def test_a_space_where_no_line_ends_is_no_white_space_of_xml() -> None:
    sample = BY_NAME["letter.docx"]
    text = "<w:r><w:t>Siehe §\u00a0</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>5</w:t></w:r>"
    body = f"<w:body><w:p>{text}</w:p></w:body>"
    changed = _changed_part(
        sample.content,
        "word/document.xml",
        lambda said: re.sub(r"<w:body>.*</w:body>", body, said, flags=re.DOTALL),
    )
    assert "Siehe §\u00a05" in [p.text for p in read_document(changed, sample.options).passages]


def test_every_element_of_a_book_says_the_new_language() -> None:
    sample = BY_NAME["book.epub"]
    changed = _changed_part(
        sample.content,
        "O/c 1.xhtml",
        lambda said: said.replace("<body", '<body lang="de"').replace("<p>", '<p lang="fr">', 1),
    )
    document = read_document(changed, sample.options)
    translations = [
        Translated("Neu", tuple(_placed(passage.elements))) for passage in document.passages
    ]
    chapter = dict(parts_of(document.write(translations, "en")))["O/c 1.xhtml"].decode()
    assert '<body lang="en"' in chapter
    assert 'lang="de"' not in chapter


@pytest.mark.parametrize(
    ("language", "before", "root", "spine"),
    [
        ("ar", "", ' dir="rtl"', ' page-progression-direction="rtl"'),
        ("ar", ' dir="ltr"', ' dir="rtl"', ' page-progression-direction="rtl"'),
        ("en", ' dir="ltr"', ' dir="ltr"', ""),
    ],
)
def test_a_book_says_the_direction_of_its_language(
    language: str, before: str, root: str, spine: str
) -> None:
    sample = BY_NAME["book.epub"]
    chapter = "O/c 1.xhtml"
    changed = _changed_part(
        sample.content, chapter, lambda said: said.replace("<html", f"<html{before}", 1)
    )
    document = read_document(changed, sample.options)
    translations = [
        Translated("Neu", tuple(_placed(passage.elements))) for passage in document.passages
    ]
    parts = dict(parts_of(document.write(translations, language)))
    assert f"<html{root} xmlns" in parts[chapter].decode()
    assert parts[chapter].decode().count("dir=") == len(root) // 10
    assert f"<spine{spine}" in parts["O/b.opf"].decode()


def test_a_script_is_no_region() -> None:
    sample = BY_NAME["libreoffice.odt"]
    document = read_document(sample.content, sample.options)
    translations = [
        Translated("Neu", tuple(_placed(passage.elements))) for passage in document.passages
    ]
    styles = dict(parts_of(document.write(translations, "zh-Hans")))["styles.xml"].decode()
    assert 'fo:language="zh"' in styles
    assert "Hans" not in styles
