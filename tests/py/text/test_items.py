from __future__ import annotations

import pytest

from dragoman.text.abbreviations import rules_for
from dragoman.text.items import LineState, ListMarker, item_starts


def starts(line: str, language: str = "en", place: LineState = LineState()) -> list[int]:  # noqa: B008
    return [at for at in item_starts(line, rules_for(language), place) if at is not None]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1. Foo 2. Bar 3. Baz", [7, 14]),
        ("a) Foo b) Bar", [7]),
        ("(1) Foo", []),
        ("1. Foo 3. Bar", []),  # not the next
        ("1. Foo 2) Bar", []),  # another list
        ("1. Foo 2. bar", []),  # goes on in lower case
        ("Foo 1. Bar 2. Baz", []),  # no list begins with the line
        ("• Foo • Bar", [6]),
        ("Foo•Bar", []),
        ("Foo\tBar\t \tBaz", [4, 10]),
        ("\tFoo\t", [1, 5]),
        ("1.\tFoo 2.\tBar", [3, 7, 10]),
        ("Foo   Bar", []),  # a page's source may be indented so
        ("Nothing of a list.", []),
    ],
)
def test_items_begin_at_the_next_marker(line: str, expected: list[int]) -> None:
    assert starts(line) == expected


def test_many_tabs_let_others_have_their_turn() -> None:
    found = list(item_starts("a\t" * 1_000, rules_for("en"), LineState()))
    assert (found.count(None), len(found)) == (3, 1_003)


def test_an_ordinal_is_no_marker() -> None:
    line = "1. Das war am 2. Oktober 2. Und das danach"
    assert starts(line, "de") == [line.index("2. Und")]


def test_a_line_is_gone_on_with() -> None:
    line = "1. Foo 2. Bar 3. Baz"
    place = LineState(begin=7, item=7, marker=ListMarker("2", "."), scanned=10)
    assert starts(line, place=place) == [14]
    assert starts(line, place=LineState(begin=7, item=7, marker=None, scanned=10)) == []
