from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dragoman.edits import Edit, Stretch, edited


def replaced(start: int, end: int, text: str) -> Edit:
    return Edit(start, end, lambda _: text)


def around(start: int, end: int) -> Edit:
    return Edit(start, end, lambda write: f"<{write(start, end)}>")


def test_edits_beside_each_other_in_any_order() -> None:
    source = "eins zwei drei"
    edits = [replaced(10, 14, "three"), replaced(0, 4, "one")]
    assert edited(source, edits) == "one zwei three"
    assert edited(source, []) == source


def test_an_edit_inside_of_another_one_is_written_by_it() -> None:
    assert edited("abcdef", [around(1, 5), replaced(2, 3, "X"), around(3, 5)]) == "a<bX<de>>f"


def test_what_an_edit_leaves_out_is_not_written() -> None:
    assert edited("abcdef", [replaced(1, 5, "-"), replaced(2, 3, "X")]) == "a-f"


def test_an_insertion_takes_nothing_away() -> None:
    assert edited("abc", [replaced(1, 1, "-"), replaced(2, 3, "!")]) == "a-b!"


def test_insertions_at_both_ends() -> None:
    assert edited("abc", [replaced(0, 0, "<"), replaced(3, 3, ">")]) == "<abc>"
    assert edited("abc", [around(0, 3), replaced(3, 3, "!")]) == "<abc>!"
    assert edited("abc", [around(1, 3), replaced(2, 3, "C"), replaced(3, 3, "!")]) == "a<bC>!"
    assert edited("", [replaced(0, 0, "new")]) == "new"


def test_a_stretch_is_written_where_an_edit_wants_it() -> None:
    def turned(write: Stretch) -> str:
        return write(2, 4) + write(0, 2)

    assert edited("abcd", [Edit(0, 4, turned), replaced(0, 1, "X"), replaced(3, 4, "Y")]) == "cYXb"


@st.composite
def sources_and_cuts(draw: st.DrawFn) -> tuple[str, Sequence[int]]:
    source = draw(st.text(min_size=1, max_size=30))
    cuts = draw(st.lists(st.integers(0, len(source)), max_size=10))
    return source, sorted(set(cuts))


@given(sources_and_cuts())
def test_edits_that_write_what_was_there_change_nothing(given_: tuple[str, Sequence[int]]) -> None:
    source, cuts = given_
    whole = Edit(0, len(source), lambda write: write(0, len(source)))
    parts = [
        Edit(a, b, lambda write, a=a, b=b: write(a, b))  # type: ignore[misc]
        for a, b in pairwise(cuts)
    ]
    assert edited(source, [*parts, whole]) == source
