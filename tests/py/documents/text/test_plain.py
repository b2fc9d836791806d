from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents import read, written


def test_parts_are_whole_lines_of_16_000_characters_at_most() -> None:
    line = "a" * 9_999 + "\n"
    lengths = [len(passage.text) for passage in read("txt", line * 3).passages]
    assert lengths == [10_000, 10_000, 10_000]
    assert [len(passage.text) for passage in read("txt", "a" * 16_000).passages] == [16_000]


def test_a_longer_line_is_a_part() -> None:
    parts = read("txt", "a\n" + "b" * 20_000 + "\n" + "c" * 20_000).passages
    assert [(passage.text[:1], len(passage.text)) for passage in parts] == [
        ("a", 2),
        ("b", 20_001),
        ("c", 20_000),
    ]


@given(st.lists(st.integers(0, 20_000), max_size=5))
def test_parts_are_all_of_the_text(lengths: list[int]) -> None:
    text = "\n".join("x" * length for length in lengths)
    assert "".join(passage.text for passage in read("txt", text).passages) == text


def test_parts_are_written_side_by_side() -> None:
    line = "a" * 15_999 + "\n"
    assert written("txt", line * 2, "eins\n", "zwei\n") == "eins\nzwei\n"
