"""What is never cut."""

from __future__ import annotations

import pytest

from dragoman.graphemes import extends, inside_graphemes, joins
from dragoman.types import Span


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("", set()),
        ("ab", set()),
        ("a\u0308b", {1}),
        ("\r\n\n", {1}),
        ("👍🏽!", {1}),
        ("👩\u200d👧.", {1, 2}),
        ("❤\ufe0f", {1}),
        ("🇩🇪🇫🇷", {1, 3}),  # flags come in pairs
        ("🇩🇪🇫", {1}),
        ("\u1112\u1161\u11ab", {1, 2}),  # 한, of three jamo
        ("\u0915\u094d\u0937", {1, 2}),  # a conjunct: virama and the consonant after it
    ],
)
def test_offsets_inside_graphemes(text: str, inside: set[int]) -> None:
    assert inside_graphemes(text, Span(0, len(text))) == inside


def test_only_the_span_is_looked_at() -> None:
    assert inside_graphemes("a\u0308b\u0308c\u0308", Span(2, 4)) == {3}


def test_what_joins_its_neighbour() -> None:
    assert joins("\u200d", "👧")
    assert not joins("\u200d", "a")
    assert joins("a", "\u0301")
    assert not joins("a", "b")
    assert not joins("\r", "a")
    assert [character for character in "a\u0301🏽\u200d\u200c-" if extends(character)] == [
        "\u0301", "🏽", "\u200d", "\u200c",
    ]  # fmt: skip
