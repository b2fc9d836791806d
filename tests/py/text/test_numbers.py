import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.numbers import with_numbers
from dragoman.types import DetokenizedText, Span


def characters(text):
    """A piece a character."""
    return DetokenizedText(text, tuple(Span(n, n + 1) for n in range(len(text))))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Er ist 42 Jahre alt.", "He is 89 years old.", "He is 42 years old."),
        ("Am 3.10.2024 um 14:30", "On 3.10.60 at 4:30", "On 3.10.2024 at 14:30"),
        ("19,99 Euro", "99 euros", "19,99 euros"),
        # the same number, written in another way
        ("1.250 Besucher", "1,250 visitors", "1,250 visitors"),
        ("um 14:30 Uhr", "at 2:30 pm", "at 2:30 pm"),
        ("am 24.12.2025", "on 12/24/2025", "on 12/24/2025"),
        ("die 1990er", "the 1990s", "the 1990s"),
        # as a word, left out, made up: nothing can be said
        ("Ich habe 3 Hunde.", "I have three dogs.", "I have three dogs."),
        ("Seite 7 von 12", "page 7", "page 7"),
        ("zwei Hunde", "2 dogs", "2 dogs"),
        # one of two as a word
        ("3 Hunde und 42 Katzen", "three dogs and 89 cats", "three dogs and 42 cats"),
        # no numbers
        ("X1 und A4", "A7 and X1", "A7 and X1"),
        ("", "", ""),
    ],
)
def test_numbers(source, target, expected):
    assert with_numbers(source, characters(target)).text == expected


def test_pieces_keep_their_places():
    spans = (Span(0, 2), Span(2, 4), Span(4, 5), Span(5, 10))
    found = with_numbers("Es sind 1234 da.", DetokenizedText("is 77 there", spans))
    assert found.text == "is 1234 there"
    assert found.spans == (Span(0, 2), Span(2, 7), Span(7, 7), Span(7, 12))


@given(st.text("12 .,:aX/-", max_size=20), st.text("12 .,:aX/-", max_size=20))
def test_pieces_stay_in_order_and_cover_the_text(source, target):
    found = with_numbers(source, characters(target))
    assert "".join(span.of(found.text) for span in found.spans) == found.text
    assert with_numbers(source, found) == found
