from __future__ import annotations

import pytest

from dragoman.documents.passage import (
    PassageBuilder,
    Translated,
    has_words,
    is_said,
    translated_name,
)
from dragoman.types import Element, ElementKind, PlacedElement, Span


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


def test_elements_have_parents_and_kinds() -> None:
    builder = PassageBuilder[str]()
    builder.open("a")
    builder.atom("picture")
    builder.atom("code", "x = 1")
    builder.open("b", ElementKind.STYLE)
    builder.text("Ja")
    builder.close()
    builder.close()
    builder.text(".")
    built = builder.built()
    assert built.marks == ("a", "picture", "code", "b")
    assert built.passage.text == "x = 1Ja."
    assert built.passage.elements == (
        Element(Span(0, 7), ElementKind.INLINE),
        Element(Span(0, 0), ElementKind.VOID, 0),
        Element(Span(0, 5), ElementKind.OPAQUE, 0),
        Element(Span(5, 7), ElementKind.STYLE, 0),
    )


def test_texts_beside_each_other_are_one_event() -> None:
    builder = PassageBuilder[str]()
    builder.text("Ein Haus")
    events = builder.built().events(Translated("A house", (Span(0, 2), Span(2, 7))))
    assert [(event.kind, event.text) for event in events] == [("text", "A house")]


def test_has_words() -> None:
    assert has_words("3 m")
    assert not has_words("3,5 % – 12")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 m", True), ("12,50 €", True), ("$5", True), ("3,5 %", True), ("–", False),
        ("€", False), ("1.234,56", False), ("31.12.2026", False), ("", False),
    ],
)  # fmt: skip
def test_amounts_are_said_and_bare_figures_are_not(text: str, expected: bool) -> None:
    assert is_said(text) is expected


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
