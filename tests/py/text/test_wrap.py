from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.text.wrap import wrap
from dragoman.types import Span


def word_ends(text: str) -> list[int]:
    """A piece a word, its end before the white space."""
    return [word.end() for word in re.finditer(r"\S+", text)]


def wrapped(text: str, limit: int, ends: list[int] | None = None) -> list[str]:
    pieces = word_ends(text) if ends is None else ends
    return [part.of(text) for part in wrap(text, Span(0, len(text)), pieces, limit)]


@pytest.mark.parametrize(
    ("text", "ends", "parts"),
    [
        ("", [], []),
        (" ", [], []),
        (" ", [1], []),
        ("hi", [], ["hi"]),
        ("hi", [2], ["hi"]),
        (" hi ", [3], ["hi"]),
        ("abcdef", [2, 4, 6], ["ab", "cdef"]),
        ("ab, cdef", [2, 3, 6, 8], ["ab,", "cdef"]),
    ],
)
def test_worked_edge_cases(text: str, ends: list[int], parts: list[str]) -> None:
    assert wrapped(text, 2, ends) == parts


def test_short_enough_is_not_cut() -> None:
    assert wrapped("one, two; three and four", 5) == ["one, two; three and four"]


def test_strong_clause_before_weak_clause() -> None:
    assert wrapped("a b, c d; e f, g h i", 7) == ["a b, c d;", "e f, g h i"]


def test_clause_before_conjunction() -> None:
    assert wrapped("eins zwei und drei, vier fünf sechs sieben", 6) == [
        "eins zwei und drei,",
        "vier fünf sechs sieben",
    ]


def test_before_a_conjunction() -> None:
    assert wrapped("one two three and four five six", 5) == ["one two three", "and four five six"]


def test_after_a_spaced_dash() -> None:
    assert wrapped("one two – three four five", 4) == ["one two –", "three four five"]


def test_not_after_an_abbreviation() -> None:
    assert wrapped("so we met Dr. Brown there today", 5) == ["so we met", "Dr. Brown there today"]


def test_after_a_quoted_sentence() -> None:
    assert wrapped("he said “no thanks.” quite loudly to us", 6) == [
        "he said “no thanks.”",
        "quite loudly to us",
    ]


def test_parts_are_balanced() -> None:
    assert [len(part.split()) for part in wrapped("w " * 10 + "w", 10)] == [5, 6]
    assert [len(part.split()) for part in wrapped("w " * 29 + "w", 10)] == [10, 10, 10]


def test_no_remainder_of_one_word() -> None:
    assert wrapped("a b c d e f g, h", 7)[-1] != "h"


def test_comma_in_a_number_is_no_clause() -> None:
    text = "es sind 3,50 Euro oder mehr"
    ends = [2, 7, 9, 10, 12, 17, 22, 27]  # es| sind| 3|,|50| Euro| oder| mehr
    assert wrapped(text, 6, ends) == ["es sind 3,50 Euro", "oder mehr"]


def test_chinese_comma_needs_no_space() -> None:
    text = "我们今天去，你们明天来"
    assert wrapped(text, 8, list(range(1, len(text) + 1))) == ["我们今天去，", "你们明天来"]


@pytest.mark.parametrize(
    "grapheme",
    [
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "👍🏽",
        "❤\ufe0f",
        "🇩🇪",
        "1\ufe0f\u20e3",
        "क्ष",
        "\u1100\u1161\u11a8",
        "ｶﾞ",
    ],
)
def test_graphemes_stay_whole(grapheme: str) -> None:
    text = grapheme * 4
    assert wrapped(text, 1, list(range(1, len(text) + 1))) == [grapheme] * 4


def test_one_grapheme_over_the_limit_is_a_part() -> None:
    text = "a" + "e" + "\u0301" * 9 + "b"
    assert wrapped(text, 3, list(range(1, len(text) + 1))) == ["a", "e" + "\u0301" * 9, "b"]


def test_bytes_of_one_code_point_stay_together() -> None:
    assert wrapped("😀😁", 4, [1, 1, 1, 1, 2, 2, 2, 2]) == ["😀", "😁"]
    assert wrapped("😀😁", 3, [1, 1, 1, 1, 2, 2, 2, 2]) == ["😀", "😁"]


def test_offsets_are_those_of_the_text() -> None:
    text = "Ja. eins zwei drei vier Ende"
    assert wrap(text, Span(4, 23), word_ends(text), 2) == (Span(4, 13), Span(14, 23))


@pytest.mark.parametrize("limit", [0, -1])
def test_limit_must_be_positive(limit: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        wrap("a", Span(0, 1), [1], limit)


@st.composite
def overlong(draw: st.DrawFn) -> tuple[str, Span, list[int], int]:
    alphabet = st.sampled_from(
        [*"ab,;:.–é \u00a0\n", "\u0301", "\u200d", "👩", "🏽", "🇩", "你", "，"]
    )
    text = draw(st.text(st.one_of(alphabet, st.characters()), max_size=60))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, len(text)))
    ends = draw(st.lists(st.integers(0, len(text)), max_size=80))
    return text, Span(start, end), sorted(ends), draw(st.integers(1, 12))


@settings(deadline=None)
@given(overlong())
def test_parts_and_gaps_are_the_span(case: tuple[str, Span, list[int], int]) -> None:
    text, span, ends, limit = case
    position = span.start
    for part in wrap(text, span, ends, limit):
        assert position <= part.start < part.end <= span.end
        assert not text[position : part.start].strip()
        assert part.of(text) == part.of(text).strip()
        position = part.end
    assert not text[position : span.end].strip()


@settings(deadline=None)
@given(st.text(st.sampled_from("ab,;. und"), max_size=80), st.integers(1, 9))
def test_no_part_is_over_the_limit(text: str, limit: int) -> None:
    ends = list(range(1, len(text) + 1))
    for part in wrap(text, Span(0, len(text)), ends, limit):
        assert len(part) <= limit


@settings(deadline=None)
@given(overlong())
def test_no_part_begins_inside_a_grapheme(case: tuple[str, Span, list[int], int]) -> None:
    text, span, ends, limit = case
    for part in wrap(text, span, ends, limit)[1:]:
        if not text[part.start - 1].isspace():
            assert unicodedata.category(text[part.start])[0] != "M"
            assert text[part.start] != "🏽"
            assert "\u200d" not in text[part.start - 1 : part.start + 1]


@pytest.mark.parametrize("unit", ["word ", "e\u0301", "\u0301", "🇩", "a, b; ", "x"])
@pytest.mark.parametrize("limit", [1, 7, 500])
def test_time_is_linear(unit: str, limit: int) -> None:
    text = (unit * 50_000)[:50_000]
    start = time.process_time()
    wrap(text, Span(0, len(text)), list(range(1, len(text) + 1)), limit)
    assert time.process_time() - start < 5
