"""Runs of stops, and which of them end a sentence; texts are in `tests/golden/split.jsonl`."""

from __future__ import annotations

import pytest

from dragoman.text.abbreviations import rules_for
from dragoman.text.marks import BREATH
from dragoman.text.stops import sentence_ends


def ended(item: str, language: str = "en", begin: int = 0) -> list[str]:
    """The text up to each end, without what an earlier one has."""
    at, parts = 0, []
    for end in sentence_ends(item, rules_for(language), begin):
        if end is not None:
            parts.append(item[at:end])
            at = end
    return parts


@pytest.mark.parametrize(
    ("item", "first"),
    [
        ("Yes. No.", "Yes."),
        ("Yes?! No.", "Yes?!"),
        ("Yes... No.", "Yes..."),
        ('He said "yes." No.', 'He said "yes."'),
        ("So it was true.1 Another one.", "So it was true.1"),
        ("So it was.[12] Another one.", "So it was.[12]"),
        ("Fine :) Yes! 😀 No.", "Fine :) Yes! 😀"),
        ("It is **vital.** And now", "It is **vital.**"),
        ('He said "yes."_ No.', 'He said "yes."_'),
        ("Free for all.* Not you.", "Free for all.*"),
        ("¡Ay! ¡qué pena!", "¡Ay!"),
        ("你好！我是她。", "你好！"),
        ("你好!我是她。", "你好!"),
        ("「はい。」そして。", "「はい。」"),
    ],
)
def test_the_first_sentence_ends(item: str, first: str) -> None:
    assert ended(item)[:1] == [first]


@pytest.mark.parametrize(
    "item",
    [
        "The last one ends with the item.",
        "It costs 3.50 dollars",
        "See example.org for more",
        "All *.* Files are gone",
        '"Is it late?" (Brown 2004)',
        "He left (why?) at once",
        "He said [...] Nothing",
        "「はい。」と言った",
        "我（是吗？）去",
        "３．１４",
        "Yes . , no",
    ],
)
def test_no_sentence_ends_within(item: str) -> None:
    assert ended(item) == []


def test_an_end_before_the_beginning_is_not_told() -> None:
    assert ended("One. Two. Three.") == ["One.", " Two."]
    assert ended("One. Two. Three.", begin=5) == ["One. Two."]


def test_who_does_it_bit_by_bit_gets_a_moment() -> None:
    item = "a.b " * BREATH
    assert list(sentence_ends(item, rules_for("en"), 0)) == [None]
