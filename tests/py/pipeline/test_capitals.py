"""A sentence that begins with a capital is translated by one that does."""

from __future__ import annotations

import pytest

from dragoman.pipeline.capitals import with_capital
from dragoman.types import DetokenizedText, Span


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Danke.", "thank you.", "Thank you."),
        ("„Gern!“", "“you're welcome!”", "“You're welcome!”"),
        ("Über uns.", "über us.", "Über us."),
        # no sentence
        ("Hund", "dog", "dog"),
        ("danke.", "thank you.", "thank you."),
        ("Danke,", "thank you,", "thank you,"),
        ("Ja.", "", ""),
        ("Ja.", "!", "!"),
        # a word of the source, and a letter without a capital of one letter
        ("Mein iPhone fehlt.", "iPhone is missing.", "iPhone is missing."),
        ("So.", "ßo.", "ßo."),
    ],
)
def test_a_sentence(source: str, target: str, expected: str) -> None:
    spans = (Span(0, len(target)),)
    made = with_capital(source, Span(0, len(source)), DetokenizedText(target, spans))
    assert made == DetokenizedText(expected, spans)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("Ja. ", "Dogs bark."),
        ("Titel\n", "Dogs bark."),
        ("Ja, ", "dogs bark."),
        ("wo ", "dogs bark."),
    ],
)
def test_the_rest_of_a_long_sentence_is_none(before: str, expected: str) -> None:
    text = f"{before}Hunde bellen."
    sentence = Span(len(before), len(text))
    assert with_capital(text, sentence, DetokenizedText("dogs bark.", ())).text == expected


def test_a_term_stays_as_it_was_given() -> None:
    target = DetokenizedText("iPad is here.", ())
    assert with_capital("Tafel ist da.", Span(0, 13), target, ["iPad"]) == target
