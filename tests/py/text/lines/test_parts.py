"""Where long texts are cut."""

from __future__ import annotations

import pytest

from dragoman.text.lines.parts import lines_end


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("", ""),
        ("a b c", ""),
        ("a\nb\nc", "a\nb\n"),
        ("aaa\nbb\n\ncc\nd", "aaa\nbb\n"),
        ("aaa\r\nbb\r\n\r\ncc\r\nd", "aaa\r\nbb\r\n"),
        ("a\n\nbbbb\ncccc\ndddd", "a\n\nbbbb\ncccc\n"),
        ("a\n", "a\n"),
        ("aa\n\n", "aa\n"),
    ],
)
def test_whole_paragraphs_else_whole_lines(text: str, first: str) -> None:
    assert text[: lines_end(text, 0, len(text))] == first


def test_only_between_two_places() -> None:
    text = "a\nb\nc\nd\n"
    assert lines_end(text, 2, 7) == 6
    assert lines_end(text, 2, 3) == 2
