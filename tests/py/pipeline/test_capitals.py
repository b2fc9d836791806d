"""A sentence or a label that begins with a capital is translated by one that does."""

from __future__ import annotations

import pytest

from dragoman.pipeline.capitals import first_letter, with_capital
from dragoman.types import DetokenizedText, Span


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Danke.", "thank you.", "Thank you."),
        ("„Gern!“", "“you're welcome!”", "“You're welcome!”"),
        ("Über uns.", "über us.", "Über us."),
        # an item of a list
        ("2. Tippen Sie auf OK.", "2. tap OK.", "2. Tap OK."),
        ("a) Klicken Sie.", "a) click.", "a) Click."),
        ("(10) „Los!“", "(10) “go!”", "(10) “Go!”"),
        ("1. FC Ulm siegt.", "1st FC Ulm wins.", "1st FC Ulm wins."),
        # a label
        ("Suche", "search", "Search"),
        ("Alle Cookies akzeptieren", "accept all cookies", "Accept all cookies"),
        ("Danke,", "thank you,", "Thank you,"),
        # neither
        ("suche", "search", "search"),
        ("danke.", "thank you.", "thank you."),
        ("Hund und Katze und Maus und", "dog and cat and mouse and", "dog and cat and mouse and"),
        ("Ja.", "", ""),
        ("Ja.", "!", "!"),
        # a word of the source, and a letter without a capital of one letter
        ("Mein iPhone fehlt.", "iPhone is missing.", "iPhone is missing."),
        ("So.", "ßo.", "ßo."),
        # letters of a word are no word
        ("Ein Haus", "a house", "A house"),
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


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "\nKatze", "Dog"),
        ("Katze\n", "\r\n", "Dog"),
        ("Katze\n", "  ", "Dog"),
        ("Katze\r", "\u2028Maus", "Dog"),
        ("Katze\t", "\tMaus", "Dog"),
        ("Katze\x85", "\fMaus", "Dog"),
        ("1. ", "\nKatze", "Dog"),
        ("Katze\n (b) ", "", "Dog"),
        ("Katze\n**", "**\n", "Dog"),
        ("", " bellt", "dog"),
        ("Der ", "", "dog"),
        ("Katze 1. ", "", "dog"),
        ("Ja. ", "", "dog"),
    ],
)
def test_a_label_has_a_line_for_itself(before: str, after: str, expected: str) -> None:
    label = Span(len(before), len(before) + 4)
    made = with_capital(f"{before}Hund{after}", label, DetokenizedText("dog", ()))
    assert made.text == expected


def test_a_term_stays_as_it_was_given() -> None:
    target = DetokenizedText("iPad is here.", ())
    assert with_capital("Tafel ist da.", Span(0, 13), target, ["iPad"]) == target


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hund", 0),
        (" „Hund“", 2),
        ("12 Hunde", 0),
        ("2. Hund", 3),
        ("(b) Hund", 4),
        ("2.5 Hunde", 0),
        ("2024. Hund", 0),
        ("1. ", 3),
        ("…", 1),
    ],
)
def test_where_a_sentence_begins(text: str, expected: int) -> None:
    assert first_letter(text) == expected
