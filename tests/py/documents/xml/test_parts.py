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
    yield from _inside(elements, None)


def _inside(elements: Sequence[Any], parent: int | None) -> Iterator[Any]:
    for index, element in enumerate(elements):
        atom = element.kind in (ElementKind.OPAQUE, ElementKind.VOID)
        if element.parent == parent:
            yield PlacedElement(index, None if atom else tuple(_inside(elements, index)))


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


def test_a_template_with_macros_is_a_text() -> None:
    sample = BY_NAME["letter.docx"]
    changed = _changed_part(
        sample.content,
        "[Content_Types].xml",
        lambda said: said.replace(
            "vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
            "vnd.ms-word.template.macroEnabledTemplate.main+xml",
        ),
    )
    assert changed != sample.content
    before, after = (
        [passage.text for passage in read_document(content, sample.options).passages]
        for content in (sample.content, changed)
    )
    assert after == before


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


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("letter.docx", "word/document.xml", "<w:bidi/>"),
        ("letter.docx", "word/document.xml", "<w:rtl/>"),
        ("letter.docx", "word/styles.xml", 'w:bidi="he"'),
        ("slides.pptx", "ppt/slides/slide1.xml", 'rtl="1"'),
        ("libreoffice.odt", "styles.xml", 'style:writing-mode="rl-tb"'),
        ("libreoffice.odt", "styles.xml", 'style:language-complex="he"'),
    ],
)
def test_a_document_says_the_direction_of_its_language(name: str, part: str, said: str) -> None:
    sample = BY_NAME[name]
    document = read_document(sample.content, sample.options)
    translations = [
        Translated("שלום", (Span(0, 4), *_inside(passage.elements, None)))
        for passage in document.passages
    ]
    changed = dict(parts_of(document.write(translations, "he")))[part].decode()
    assert said in changed
    again = read_document(document.write(translations, "he"), sample.options)
    assert [passage.text for passage in again.passages][:1] == ["שלום"]
    english = [Translated("Neu!", each.content) for each in translations]
    assert said not in dict(parts_of(document.write(english, "en")))[part].decode()


def test_styles_say_the_language_where_their_own_text_stays() -> None:
    """Headers and footers stand in the part of the styles."""
    sample = BY_NAME["text.odt"]
    span = '<style:text-properties fo:language="de" fo:country="DE"/>'
    style = f'<style:style style:name="A" style:family="text">{span}</style:style>'
    header = "<style:header><text:p>Dragoman</text:p></style:header>"
    master = f'<style:master-page style:name="B">{header}</style:master-page>'
    changed = _changed_part(
        sample.content,
        "styles.xml",
        lambda said: (
            said.replace("<office:styles/>", f"<office:styles>{style}</office:styles>")
            .replace("<office:automatic-styles/>", "")
            .replace(
                "</office:document-styles>",
                f"<office:master-styles>{master}</office:master-styles></office:document-styles>",
            )
        ),
    )
    document = read_document(changed, sample.options)
    translations = [
        Translated("Neu", tuple(_placed(passage.elements))) for passage in document.passages
    ]
    translations[[passage.text for passage in document.passages].index("Dragoman")] = Translated(
        "Dragoman"
    )
    styles = dict(parts_of(document.write(translations, "en")))["styles.xml"].decode()
    assert 'fo:language="en"' in styles


COMMENT = "<p:cm authorId='0' idx='1'><p:pos x='1' y='1'/><p:text>{}</p:text></p:cm>"
THREAD = (
    "<x:cm><x:txBody><a:bodyPr/><a:p><a:r><a:t>{}</a:t></a:r></a:p></x:txBody><x:replyLst><x:reply>"
    "<x:txBody><a:p><a:r><a:t>Ja</a:t></a:r></a:p></x:txBody></x:reply></x:replyLst></x:cm>"
)


@pytest.mark.parametrize(
    ("kind", "comment", "answers"),
    [
        ("vnd.openxmlformats-officedocument.presentationml.comments+xml", COMMENT, []),
        ("vnd.ms-powerpoint.comments+xml", THREAD, ["Ja"]),
    ],
)
def test_comments_of_slides_are_translated(kind: str, comment: str, answers: list[str]) -> None:
    sample = BY_NAME["slides.pptx"]
    override = f'<Override PartName="/ppt/comments/c1.xml" ContentType="application/{kind}"/>'
    spaces = (
        'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:x="urn:x" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    )
    changed = _changed_part(
        sample.content,
        "[Content_Types].xml",
        lambda said: said.replace("</Types>", f"{override}</Types>"),
    )
    out = io.BytesIO(changed)
    with zipfile.ZipFile(out, "a") as archive:
        content = comment.format("Stimmt das &amp; gut?")
        archive.writestr("ppt/comments/c1.xml", f"<p:cmLst {spaces}>{content}</p:cmLst>")
    document = read_document(out.getvalue(), sample.options)
    texts = [passage.text for passage in document.passages]
    assert texts[: 1 + len(answers)] == ["Stimmt das & gut?", *answers]
    translations = [
        Translated("Neu", tuple(_placed(passage.elements))) for passage in document.passages
    ]
    translations[0] = Translated("A < B")
    changed = document.write(translations, "en")
    said = dict(parts_of(changed))["ppt/comments/c1.xml"].decode()
    assert ">A &lt; B</" in said
    assert "Stimmt" not in said


def test_a_script_is_no_region() -> None:
    sample = BY_NAME["libreoffice.odt"]
    document = read_document(sample.content, sample.options)
    translations = [
        Translated("Neu", tuple(_placed(passage.elements))) for passage in document.passages
    ]
    styles = dict(parts_of(document.write(translations, "zh-Hans")))["styles.xml"].decode()
    assert 'fo:language="zh"' in styles
    assert "Hans" not in styles
