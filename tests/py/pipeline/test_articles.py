"""English says "a" or "an" by the sound that follows."""

from __future__ import annotations

import pytest

from dragoman.pipeline.articles import with_articles
from dragoman.types import DetokenizedText, Span


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in a apartment building", "in an apartment building"),
        ("A area of an single town", "An area of a single town"),
        ("(a unknown man) “a old one”", "(an unknown man) “an old one”"),
        ("an university and an European", "a university and a European"),
        ("a American in an German town", "an American in a German town"),
        ("an year, an new flat, an trial", "a year, a new flat, a trial"),
        # right as it is
        ("a university, a European, a one-off", "a university, a European, a one-off"),
        ("a useful euro, a unique user", "a useful euro, a unique user"),
        ("an hour, a house, an historic day", "an hour, a house, an historic day"),
        ("an mp3, an xml file, an sms", "an mp3, an xml file, an sms"),
        ("an FBI man, an X-ray, a UFO", "an FBI man, an X-ray, a UFO"),
        (
            "a unimportant, a uninhabited, a unidentified",
            "an unimportant, an uninhabited, an unidentified",
        ),
        ("A unintended effect. An uniform.", "An unintended effect. A uniform."),
        ("an unanimous vote, an unary sign, an union", "a unanimous vote, a unary sign, a union"),
        (
            "a unanimous vote, an unarmed man, a Ouija board",
            "a unanimous vote, an unarmed man, a Ouija board",
        ),
        # no article
        ("Hepatitis A infection, group A includes", "Hepatitis A infection, group A includes"),
        ("Minh An comes with Bo An lately.", "Minh An comes with Bo An lately."),
        ("plan a or b, vitamin a is", "plan a or b, vitamin a is"),
        ("1a apples, a: apples", "1a apples, a: apples"),
    ],
)
def test_a_text(text: str, expected: str) -> None:
    assert with_articles("", DetokenizedText(text, ())).text == expected


def test_what_the_source_has_stays() -> None:
    text = "the scheme “an der Wand” of an single page"
    made = with_articles("das Schema „an der Wand“", DetokenizedText(text, ()))
    assert made.text == "the scheme “an der Wand” of a single page"


def test_pieces_keep_their_words() -> None:
    pieces = (Span(0, 2), Span(2, 4), Span(4, 9))
    made = with_articles("", DetokenizedText("is a apple", (*pieces[:2], Span(4, 10))))
    assert made == DetokenizedText("is an apple", (Span(0, 2), Span(2, 5), Span(5, 11)))
