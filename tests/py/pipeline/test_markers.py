"""The number of an item is copied, and its words are translated without it."""

from __future__ import annotations

import pytest

from dragoman.engines.fake import EchoEngine
from dragoman.pipeline.markers import is_marker, with_marker_apart, without_marker
from dragoman.text.abbreviations import rules_for
from dragoman.types import (
    Element,
    MemoryEntry,
    Span,
    TranslationMemory,
)
from tests.support.helpers import assert_covers, request, service


def parts(text: str, language: str = "de", start: int = 0) -> list[str]:
    found = with_marker_apart(text, Span(start, len(text)), rules_for(language))
    return [part.of(text) for part in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. Wasser kochen", ["1.", "Wasser kochen"]),
        ("10. Fertig!", ["10.", "Fertig!"]),
        ("1.) Öffnen", ["1.)", "Öffnen"]),
        ("2) Öffnen", ["2)", "Öffnen"]),
        ("2) öffnen", ["2)", "öffnen"]),
        ("(3)\tÖffnen", ["(3)", "Öffnen"]),
        ("b) „Öffnen“", ["b)", "„Öffnen“"]),
        ("(A) Öffnen", ["(A)", "Öffnen"]),
        ("## Zutaten", ["##", "Zutaten"]),
        ("#Zutaten # Mehl", ["#Zutaten # Mehl"]),
        ("- Mehl", ["-", "Mehl"]),
        ("• „Mehl“", ["•", "„Mehl“"]),
        ("- [x] Mehl holen", ["- [x]", "Mehl holen"]),
        ("- 5 Eier", ["- 5 Eier"]),
        ("-Mehl", ["-Mehl"]),
        # ordinals
        ("1. Mai ist Feiertag.", ["1. Mai ist Feiertag."]),
        ("1. Mai-Kundgebung", ["1. Mai-Kundgebung"]),
        ("2. Weltkrieg", ["2. Weltkrieg"]),
        ("1. FC Köln", ["1. FC Köln"]),
        ("1. OG", ["1. OG"]),
        ("2. Vorsitzende", ["2. Vorsitzende"]),
        ("3. und 4. Klasse", ["3. und 4. Klasse"]),
        ("3) Platz", ["3)", "Platz"]),
        # no markers
        ("A. Merkel", ["A. Merkel"]),
        ("1. 000", ["1. 000"]),
        ("3.5 Prozent", ["3.5 Prozent"]),
        ("1.", ["1."]),
        ("1.Öffnen", ["1.Öffnen"]),
        ("2024. Ende", ["2024. Ende"]),
        ("(2) bezieht sich darauf", ["(2) bezieht sich darauf"]),
        ("1." + " " * 40 + "Öffnen", ["1." + " " * 40 + "Öffnen"]),
    ],
)
def test_german_sentences(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


def test_other_languages_have_no_such_ordinals() -> None:
    assert parts("1. Platz", "en") == ["1.", "Platz"]
    assert parts("1. places", "en") == ["1. places"]


def test_a_bracket_that_closes_what_was_before() -> None:
    assert parts("(Bonn 1998. 34) das Halbfinale", start=12) == ["34) das Halbfinale"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1.", True), ("(2)", True), ("b)", True), ("A.", False), ("", False), ("1. Ja", False)],
)
def test_a_marker_alone(text: str, expected: bool) -> None:
    assert is_marker(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Ja.\n1. ", "Ja.\n"), ("(2)\t", ""), ("im Jahr 12. ", "im Jahr "), ("Ende. ", "Ende. ")],
)
def test_what_is_before_a_marker(text: str, expected: str) -> None:
    assert without_marker(text) == expected


async def test_a_list_keeps_its_markers() -> None:
    text = "1. Ja gut\n  a) Nein\n2. Weltkrieg\n"
    async with service(EchoEngine()) as made:
        response = await made.translate(request(text))
    assert response.text == text
    sources = [sentence.source.of(text) for sentence in response.sentences]
    assert sources == ["1.", "Ja gut", "a)", "Nein", "2. Weltkrieg"]
    assert response.warnings == ()
    assert_covers(response)


async def test_elements_span_a_marker_and_its_words() -> None:
    async with service(EchoEngine()) as made:
        bold = Element(Span(0, 9))
        response = await made.translate(request("1. Ja gut", elements=(bold,)))
    assert response.text == "1. Ja gut"
    assert_covers(response)


async def test_a_memory_that_has_the_marker_goes_first() -> None:
    memory = TranslationMemory((MemoryEntry("1. Ja gut", "No 1: yes"), MemoryEntry("Nein", "No")))
    async with service(EchoEngine()) as made:
        response = await made.translate(request("1. Ja gut\n2. Nein", memory=memory))
    assert response.text == "No 1: yes\n2. No"


async def test_with_a_prefix_all_is_one_sentence() -> None:
    async with service(EchoEngine()) as made:
        response = await made.translate(request("1. Ja gut", prefix="1. J"))
    assert response.text == "1. Ja gut"
    assert len(response.sentences) == 1
