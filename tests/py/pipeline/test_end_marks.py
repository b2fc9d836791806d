"""A translation ends in as many marks as its source."""

from __future__ import annotations

import pytest

from dragoman.pipeline.end_marks import with_end_marks
from dragoman.types import DetokenizedText, Span


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Toll!!!", "Great!!", "Great!!!"),
        ("Toll!!!", "Great!", "Great!!!"),
        ("Toll!!", "Great!!!!", "Great!!"),
        ("Was?!", "What?", "What?!"),
        ("Was?!", "What!?", "What?!"),
        ("Ich gehe...", "I'll go..", "I'll go..."),
        ("Ich gehe...", "I'll go.", "I'll go..."),
        ("Ich gehe ...", "I'll go…", "I'll go..."),
        ("Ich gehe…", "I'll go...", "I'll go…"),
        ("„Toll!!“", "“Great!”", "“Great!!”"),
        ("(Toll!!)", "(Great!)", "(Great!!)"),
        # one mark is grammar, and another mark another sense
        ("Toll!", "Great!!", "Great!!"),
        ("Ja.", "Yes...", "Yes..."),
        ("Toll!!!", "Great.", "Great."),
        ("Toll...", "Great!", "Great!"),
        ("Toll??", "Great?!", "Great?!"),
        ("In the U.S.?", "In den USA?", "In den USA?"),
        ("Echt...?", "Really?", "Really...?"),
        ("Toll!!! Ja", "Great! Yes", "Great! Yes"),
        ("Toll!!!", "Great", "Great"),
        ("太好了！！", "Great!", "Great!"),
        ("", "", ""),
    ],
)
def test_ends(source: str, target: str, expected: str) -> None:
    assert with_end_marks(source, DetokenizedText(target, ())).text == expected


def test_pieces_keep_their_places() -> None:
    target = DetokenizedText("No!)", (Span(0, 2), Span(2, 3), Span(3, 4)))
    made = with_end_marks("(Nein!!!)", target)
    assert made == DetokenizedText("No!!!)", (Span(0, 2), Span(2, 5), Span(5, 6)))
