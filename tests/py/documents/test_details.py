"""What single readers and writers do: worked cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dragoman.documents.kinds import DocumentKind
from dragoman.documents.passage import Document, PassageBuilder, Translated, translated_name
from dragoman.documents.read import DocumentOptions, read_document
from dragoman.documents.text.lines import balanced, wrapped
from dragoman.documents.text.tagged import tagged, untagged
from dragoman.documents.xml.intervals import nested
from dragoman.types import ElementKind, PlacedElement, Span
from tests.support.documents import parts_of, samples

BY_NAME = {sample.name: sample for sample in samples()}


def read(kind: str, text: str, **options: Any) -> Document:
    return read_document(text.encode(), DocumentOptions(DocumentKind(kind), "de", **options))


def written(kind: str, text: str, *translations: str | Translated) -> str:
    document = read(kind, text)
    made = [Translated(t) if isinstance(t, str) else t for t in translations]
    return document.write(made, "en").decode()


# --- passages ----------------------------------------------------------------------------------


def test_a_passage_knows_its_own_events() -> None:
    builder = PassageBuilder[str]()
    builder.text("Ein ")
    builder.open("b", ElementKind.STYLE)
    builder.text("Haus")
    builder.atom("note")
    builder.close()
    marked = builder.built()
    assert marked.passage.text == "Ein Haus"
    assert [(event.kind, event.text or event.mark) for event in marked.source_events()] == [
        ("text", "Ein "),
        ("open", "b"),
        ("text", "Haus"),
        ("atom", "note"),
        ("close", "b"),
    ]
    content = (Span(0, 4), PlacedElement(0, (Span(4, 8), PlacedElement(1))))
    assert not marked.changed(Translated("Ein Haus", content))
    assert marked.changed(Translated("Ein Haus", (PlacedElement(1), *content)))


@pytest.mark.parametrize(
    ("name", "source", "result"),
    [
        ("brief.docx", "de", "brief.en.docx"),
        ("brief.de.docx", "de", "brief.en.docx"),
        ("brief.DE.docx", "de", "brief.en.docx"),
        ("brief", "de", "brief.en"),
        (".brief", "de", ".brief.en"),
        ("a.b.md", "", "a.b.en.md"),
    ],
)
def test_names(name: str, source: str, result: str) -> None:
    assert translated_name(name, source, "en") == result


def test_names_of_what_is_written_as_another_kind() -> None:
    assert translated_name("bericht.de.pdf", "de", "en", "html") == "bericht.en.html"
    assert translated_name("bericht", "de", "en", "html") == "bericht.en.html"


@pytest.mark.parametrize(
    ("intervals", "result"),
    [
        ([], {}),
        ([(0, 1, 4), (2, 2, 3)], {0: (1, 4), 2: (2, 3)}),
        ([(0, 0, 3), (2, 2, 5)], {0: (0, 3)}),  # they cross
        ([(1, 1, 2), (0, 3, 5)], {0: (3, 5)}),  # a field in the instruction of a field
        ([(0, 0, 1), (3, 3, 4)], {0: (0, 1), 3: (3, 4)}),
    ],
)
def test_what_crosses_is_no_element(
    intervals: list[tuple[int, int, int]], result: dict[int, tuple[int, int]]
) -> None:
    assert nested(intervals) == result


# --- Markdown ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("translation", "result"),
    [
        ("a * b_c_ [x] <y> `z` \\", "a \\* b_c\\_ \\[x\\] \\<y> \\`z\\` \\\\"),
        ("1. One", "1\\. One"),
        ("- minus", "\\- minus"),
        ("# five", "\\# five"),
        ("#five", "#five"),
        ("&amp; & c", "\\&amp; & c"),
        ("https://a.de/_b_c_", "https://a.de/\\_b_c\\_"),
        ("__init__", "\\_\\_init\\_\\_"),
    ],
)
def test_what_would_be_markup_is_escaped(translation: str, result: str) -> None:
    text = written("md", "Ein Satz\n", translation)
    assert text == result + "\n"
    (inline,) = [t for t in MarkdownIt("commonmark").parse(text) if t.type == "inline"]
    assert "".join(child.content for child in inline.children or ()) == translation


@given(st.text("ab *_[]<>&;`\\#-+.1~!()\"'", min_size=1, max_size=20).filter(str.strip))
def test_any_translation_is_read_as_it_was_meant(translation: str) -> None:
    meant = " ".join(translation.split(" ")).strip()
    tokens = MarkdownIt("commonmark").parse(written("md", "Ein Satz\n", meant))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert "".join(child.content for child in tokens[1].children or ()) == meant


def test_spaces_go_out_of_a_style_and_a_style_in_a_word_is_a_tag() -> None:
    content = (PlacedElement(0, (Span(0, 4),)), Span(4, 8))
    source = "**fett** und\n"
    assert written("md", source, Translated("bold and", content)) == ("**bold** and\n")
    spaced = (PlacedElement(0, (Span(0, 5),)), Span(5, 8))
    assert written("md", source, Translated("bold and", spaced)) == "**bold** and\n"
    inside = (Span(0, 1), PlacedElement(0, (Span(1, 4),)), Span(4, 5))
    assert written("md", source, Translated('a"b"c', inside)) == 'a<strong>"b"</strong>c\n'


def test_a_reference_keeps_its_name() -> None:
    source = "Siehe [Anhang].\n\n[Anhang]: https://example.org\n"
    content = (Span(0, 4), PlacedElement(0, (Span(4, 9),)), Span(9, 10))
    assert written("md", source, Translated("See annex.", content)) == (
        "See [annex][Anhang].\n\n[Anhang]: https://example.org\n"
    )


# --- lines and subtitles -----------------------------------------------------------------------


def test_lines() -> None:
    assert wrapped("aa bb cc", 5) == ["aa bb", "cc"]
    assert wrapped("long", 2) == ["long"]
    assert balanced("aa bb cc dd", 20, 2) == ["aa bb", "cc dd"]
    assert balanced("aa bb cc dd", 5, 1) == ["aa bb", "cc dd"]
    assert balanced("", 5, 1) == [""]


_CUES = """1
00:00:01,000 --> 00:00:02,000
Das ist der Anfang

2
00:00:02,000 --> 00:00:03,000
eines Satzes.
"""


def test_a_sentence_over_two_cues_is_shared_out() -> None:
    document = read("srt", _CUES)
    (passage,) = document.passages
    assert passage.text == "Das ist der Anfang eines Satzes."
    moved = (PlacedElement(0, (Span(0, 4),)), Span(4, 5), PlacedElement(1, (Span(5, 12),)))
    assert document.write([Translated("This begins.", moved)], "en").decode() == _CUES.replace(
        "Das ist der Anfang", "This"
    ).replace("eines Satzes.", "begins.")
    # Where a cue would be left without words, they are shared out by the cues' lengths.
    text = "This is the start of one."
    alone = (PlacedElement(0, (Span(0, len(text)),)), PlacedElement(1, ()))
    assert document.write([Translated(text, alone)], "en").decode() == _CUES.replace(
        "Das ist der Anfang", "This is the start"
    ).replace("eines Satzes.", "of one.")


# --- programs' texts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "text", "kinds"),
    [
        ("Ja", "Ja", []),
        ("<b>%s</b> da", "%s da", ["style", "opaque"]),
        ("{n} von %(all)d, 100 % des", "{n} von %(all)d, 100 % des", ["opaque", "opaque"]),
        ("a <br> b", "a \n b", ["opaque"]),
        ("</i> lose <u>", " lose ", ["void", "void"]),
        ("1 < 2 > 0", "1 < 2 > 0", []),
        ("A&nbsp;B", "A&nbsp;B", ["opaque"]),
    ],
)
def test_tags_and_places(source: str, text: str, kinds: list[str]) -> None:
    marked = tagged(source)
    assert marked.passage.text == text
    assert [str(element.kind) for element in marked.passage.elements] == kinds


@given(st.text("ab <>/{}%s&;b\n", max_size=30))
def test_a_text_with_tags_comes_back(source: str) -> None:
    marked = tagged(source)
    elements = marked.passage.elements
    if all(element.kind in ("opaque", "void") for element in elements):
        content: list[Span | PlacedElement] = []
        at = 0
        for index, element in enumerate(elements):
            content += [Span(at, element.span.start), PlacedElement(index)]
            at = element.span.end
        content.append(Span(at, len(marked.passage.text)))
        assert untagged(marked, Translated(marked.passage.text, tuple(content))) == source


def test_strings_that_programs_read_are_left() -> None:
    text = '{"a": "Haus", "b": "a_b", "c": "icon.home", "d": "#ff0000", "e": "primaryColor", '
    text += '"type": "Haus", "f": "de-at", "g": "E-Mail", "scripts": {"x": "tu es"}}'
    assert [passage.text for passage in read("json", text).passages] == ["Haus", "E-Mail"]


def test_catalogues_are_wrapped_as_usual() -> None:
    long = "word " * 20
    text = written("po", 'msgid "Lang"\nmsgstr ""\n', long.strip())
    assert text.splitlines()[1] == 'msgstr ""'
    assert max(map(len, text.splitlines())) <= 79
    assert written("po", 'msgid "A\\n"\nmsgstr ""\n', 'B "c"\n') == (
        'msgid "A\\n"\nmsgstr "B \\"c\\"\\n"\n'
    )


# --- what a document says of its language ------------------------------------------------------


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
