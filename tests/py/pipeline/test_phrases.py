"""A phrase that is said twice in a row is said once."""

from __future__ import annotations

import pytest

from dragoman.pipeline.phrases import repeated_phrases, steps_outside
from dragoman.types import DetokenizedText, Span


@pytest.mark.parametrize(
    ("text", "once"),
    [
        ("In this context, in this context we wait.", "In this context we wait."),
        ("We go to the to the go to the end.", "We go to the to the go to the end."),
        ("It is good it is good it is good.", "It is good."),
        ("He saw the old man – the old man left.", "He saw the old man left."),
        (
            "One two three four five six seven eight " * 2,
            "One two three four five six seven eight ",
        ),
        # a title
        ("Hello, Mr Mr Müller", "Hello, Mr Müller"),
        ("Mrs. Mrs. Smith came.", "Mrs. Smith came."),
        ("Ms Mr Smith", "Ms Mr Smith"),
        ("Dear Mr Mr", "Dear Mr Mr"),
        ("Mr Mrs Smith", "Mr Mrs Smith"),
        # two words are said twice by people too
        ("New York, New York", "New York, New York"),
        # a quotation mark or a full stop between them makes two sayings of it
        (
            'A "Hero of the Soviet Union", the Soviet Union\'s order',
            'A "Hero of the Soviet Union", the Soviet Union\'s order',
        ),
        ("It is so. It is so.", "It is so. It is so."),
        ("", ""),
    ],
)
def test_repeated_phrases(text: str, once: str) -> None:
    left, at = "", 0
    for span in repeated_phrases(text, "Der Mann ging."):
        left, at = left + text[at : span.start], span.end
    assert left + text[at:] == once


def test_what_the_source_says_twice_is_said_twice() -> None:
    text = "We will win, we will win!"
    assert repeated_phrases(text, "Wir siegen, wir siegen!") == []
    assert repeated_phrases(text, "Wir werden siegen!") == [Span(11, 24)]


def test_titles_that_the_source_says_twice() -> None:
    assert repeated_phrases("Dr. Dr. Meier", "Dr. Dr. Meier") == []
    assert repeated_phrases("Dr Dr Meier", "Dr. med. Dr. phil. Meier") == []
    assert repeated_phrases("Dr. Dr. Meier", "Doktor Meier") == [Span(3, 7)]


def test_pieces_of_what_is_taken_out_go() -> None:
    text = DetokenizedText(
        "a b c, a b c d", tuple(Span(*at) for at in ((0, 3), (3, 5), (5, 6), (6, 12), (12, 14)))
    )
    assert steps_outside(text, [Span(5, 12)]) == [0, 1, 4]
    assert steps_outside(text, []) == [0, 1, 2, 3, 4]
