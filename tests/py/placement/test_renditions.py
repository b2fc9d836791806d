"""What a model made of the stand-ins of a sentence."""

from __future__ import annotations

import pytest

from dragoman.placement.renditions import Renditions, renditions
from dragoman.types import Span
from tests.support.runs import aligned_words

Links = tuple[tuple[int, int], ...]


def said(source: str, places: list[int], target: str, *links: tuple[int, int]) -> list[str | None]:
    """Where in the target each "X1" went, as "start:word"; then what is left out."""
    made = renditions(
        [Span(at, at + 2) for at in places], source, aligned_words(source, target, *links)
    )
    return [
        None if span is None else f"{span.start}:{span.of(target)}"
        for span in (*made.targets, *made.spare)
    ]


def test_nothing_of_nothing() -> None:
    assert renditions([], "a", aligned_words("a", "b")) == Renditions((), ())


@pytest.mark.parametrize(
    ("source", "places", "target", "links", "expected"),
    [
        ("a X1 b", [2], "one X1 two", ((0, 0), (1, 1), (2, 2)), ["4:X1"]),
        # Linked to nothing, and still the word.
        ("a X1 b", [2], "X1 one two", (), ["0:X1"]),
        # Copies in the order of the links.
        ("X1 X1", [0, 3], "X1 X1", ((0, 1), (1, 0)), ["3:X1", "0:X1"]),
        # Written twice: the linked copy stays, the other is left out.
        ("a X1 b", [2], "X1 X1 one", ((1, 1), (0, 2)), ["3:X1", "0:X1"]),
        # Another word made of it, which is linked to it alone.
        ("a X1 b", [2], "one foo two", ((0, 0), (1, 1), (2, 2)), ["4:foo"]),
        # That word says something else too: dropped.
        ("a X1 b", [2], "one two", ((0, 0), (1, 0), (2, 1)), [None]),
        # It goes on counting: that is another word.
        ("a X1 b", [2], "one X12 two", ((0, 0), (2, 2)), [None]),
        # The text says the word by itself too: as often as it does, no copy is too many.
        ("X1 X1 b", [3], "X1 X1 one", ((0, 0), (1, 1), (2, 2)), ["3:X1"]),
    ],
)
def test_where_stand_ins_went(
    source: str, places: list[int], target: str, links: Links, expected: list[str | None]
) -> None:
    assert said(source, places, target, *links) == expected
