from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from dragoman.documents.passage import Translated
from dragoman.types import ElementKind, PlacedElement, Span
from tests.support.documents import read, written


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


@pytest.mark.parametrize(
    "beyond",
    [
        "$\\alpha_1 + \\beta^{2}$", "$x$", "[[Andere Seite]]", "![[Bild.png]]", "[-@smith2020]",
        "[@smith2020, S. 5]",
    ],
)  # fmt: skip
def test_formulas_names_of_pages_and_citations_stay(beyond: str) -> None:
    document = read("md", f"Siehe {beyond} dazu.\n")
    (passage,) = document.passages
    assert {element.kind for element in passage.elements} <= {ElementKind.OPAQUE, ElementKind.VOID}
    placed = (Span(0, 4), PlacedElement(0), Span(4, 10))
    assert document.write([Translated("See  also.", placed)], "en").decode() == (
        f"See {beyond} also.\n"
    )


def test_prices_are_no_formula() -> None:
    (passage,) = read("md", "Von $5 auf $6 und US$ 7.\n").passages
    assert (passage.text, passage.elements) == ("Von $5 auf $6 und US$ 7.", ())


@pytest.mark.parametrize(
    ("source", "translation", "result"),
    [
        ("Ein [Wort]{.rot} hier.", "A [word]", "A [word]{.rot}"),
        ("Text^[Eine Notiz.]", "Text^[A note.]", "Text^[A note.]"),
        ("Ein \\[Wort\\] hier.", "A [word]", "A \\[word\\]"),
    ],
)
def test_brackets_stay_as_bare_as_they_were(source: str, translation: str, result: str) -> None:
    (passage,) = read("md", source).passages
    elements = tuple(map(PlacedElement, range(len(passage.elements))))
    placed = Translated(translation, (Span(0, len(translation)), *elements))
    assert written("md", source, placed) == result


def test_imports_are_no_text() -> None:
    text = "import Tabs from '@theme/Tabs';\nimport X from \"./x\"\n\nEin Text.\n"
    assert [passage.text for passage in read("md", text).passages] == ["Ein Text."]


@pytest.mark.parametrize("name", ["@name", "[1]", "@types/node"])
def test_a_link_may_have_a_name_in_brackets(name: str) -> None:
    """Its address was translated, as text behind a citation."""
    (passage,) = read("md", f"Von [{name}](https://example.org/ein-haus) gemacht.\n").passages
    assert passage.text == f"Von {name} gemacht."


def test_amounts_alone_in_a_cell_are_passages() -> None:
    table = "| Preis | Nr. |\n|---|---|\n| 12,50 € | 17 |\n| 12,5 % | 1.234 |\n"
    passages = read("md", table).passages
    assert [passage.text for passage in passages] == ["Preis", "Nr.", "12,50 €", "12,5 %"]


def test_highlights_are_elements() -> None:
    (passage,) = read("md", "Das ist **nicht** ==erlaubt==.\n").passages
    assert passage.text == "Das ist nicht erlaubt."
    assert [element.span for element in passage.elements] == [Span(8, 13), Span(14, 21)]
    moved = (Span(0, 8), PlacedElement(1, (Span(8, 17),)), PlacedElement(0, (Span(17, 22),)))
    made = written(
        "md", "Das ist **nicht** ==erlaubt==.\n", Translated("That is forbidden, not", moved)
    )
    assert made == "That is ==forbidden==**, not**\n"


@pytest.mark.parametrize("text", ["Wenn a == b gilt.", "Wenn a==b gilt.", "Es ist a === b."])
def test_signs_of_equality_are_no_highlights(text: str) -> None:
    (passage,) = read("md", text + "\n").passages
    assert (passage.text, passage.elements) == (text, ())


def test_half_a_highlight_stays() -> None:
    (passage,) = read("md", "Das ==ist es.\n").passages
    assert passage.text == "Das ist es."
    placed = Translated("That is it.", (Span(0, 5), PlacedElement(0), Span(5, 11)))
    assert written("md", "Das ==ist es.\n", placed) == "That ==is it.\n"
