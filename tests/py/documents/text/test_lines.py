from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dragoman.documents.text.lines import balanced, wrapped


def test_lines() -> None:
    assert wrapped("aa bb cc", 5) == ["aa bb", "cc"]
    assert wrapped("long", 2) == ["long"]
    assert balanced("aa bb cc dd", 20, 2) == ["aa bb", "cc dd"]
    assert balanced("aa bb cc dd", 5, 1) == ["aa bb", "cc dd"]
    assert balanced("", 5, 1) == [""]
    assert balanced("aaa bbb ccc ddd", 7, 1) == ["aaa bbb", "ccc ddd"]  # full to the last place


def test_tags_take_no_room() -> None:
    def seen(text: str) -> int:
        return len(text.replace("<i>", "").strip())

    assert wrapped("aaaa <i> b", 4, seen) == ["aaaa <i>", "b"]


WORDS = st.lists(st.text("ab", min_size=1, max_size=9), min_size=1, max_size=12)


@given(WORDS, st.integers(1, 20), st.integers(1, 4))
def test_lines_are_the_words_in_their_order_none_too_long(
    words: list[str], width: int, count: int
) -> None:
    for lines in (wrapped(" ".join(words), width), balanced(" ".join(words), width, count)):
        assert " ".join(lines) == " ".join(words)
        assert all(len(line) <= width or " " not in line for line in lines)


@given(WORDS, st.integers(9, 20), st.integers(1, 4))
def test_as_many_lines_as_are_wanted_where_they_are_wide_enough(
    words: list[str], width: int, count: int
) -> None:
    fewest = len(wrapped(" ".join(words), width))
    assert len(balanced(" ".join(words), width, count)) <= max(count, fewest)
