"""The texts of a page, with their elements and the nodes that these are of."""

from __future__ import annotations

import justhtml
import pytest

from dragoman.html.units import Unit, units
from dragoman.types import Element, ElementKind, Span


def read(source: str) -> list[Unit]:
    root = justhtml.JustHTML(source, fragment=True, sanitize=False).root
    return list(units(root, "de"))


def test_elements_of_a_run_and_their_nodes() -> None:
    (unit,) = read("<p>Ja <b>gut <i>so</i></b></p>")
    assert unit.text == "Ja gut so"
    assert [element.span for element in unit.elements] == [Span(3, 9), Span(7, 9)]
    assert [element.parent for element in unit.elements] == [-1, 0]
    assert [node.name for node in unit.nodes] == ["b", "i"]
    assert unit.parent.name == "p"
    assert len(unit.run) == 2


def test_what_is_not_translated_is_one_word_or_a_place() -> None:
    (unit,) = read("<p>Ein <code>x = 1</code> und <img> Bild</p>")
    assert unit.text == "Ein x = 1 und  Bild"
    assert unit.elements == (
        Element(Span(4, 9), ElementKind.OPAQUE, -1),
        Element(Span(14, 14), ElementKind.VOID, -1),
    )


def test_an_inline_element_that_holds_a_block_is_in_no_unit() -> None:
    found = read("<div>Vorn <a>davor<p>drin</p>danach</a> hinten</div>")
    assert [unit.text for unit in found] == ["Vorn ", " hinten", "davor", "danach", "drin"]
    assert all(unit.elements == () for unit in found)


def test_attributes_are_units_without_a_run() -> None:
    found = read('<p title="Ein\nTitel">Text <img alt="Bild"></p>')
    assert [(unit.attribute, unit.text) for unit in found] == [
        ("title", "Ein Titel"),
        ("alt", "Bild"),
        ("", "Text "),
    ]
    assert (found[0].run, found[0].elements) == ((), ())


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>\n Ein\n\tWort \n</p>", "\n Ein  Wort \n"),  # the white space at its ends stays
        ("<pre>Ein\n Wort</pre>", "Ein\n Wort"),
        ("<p style='white-space: pre'>x\ny</p>", "x y"),
        ("<p>Ein<br>Wort</p>", "Ein\nWort"),
        ("<p>a&#13;b</p>", "a\rb"),
    ],
)
def test_line_breaks(source: str, text: str) -> None:
    (unit,) = read(source)
    assert unit.text == text


@pytest.mark.parametrize(
    "source", ["<p>\xad\u200b\ufeff</p>", "<p> <img> </p>", "<p><code>x</code></p>", "<p></p>"]
)
def test_what_has_no_text_is_no_unit(source: str) -> None:
    assert read(source) == []


def test_elements_nested_without_end() -> None:
    (unit,) = read("<i>" * 3_000 + "tief" + "</i>" * 3_000)
    assert (unit.text, len(unit.elements)) == ("tief", 3_000)
    assert unit.elements[-1] == Element(Span(0, 4), unit.elements[0].kind, 2_998)
