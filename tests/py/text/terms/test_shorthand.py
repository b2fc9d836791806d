import re

import pytest

from dragoman.text.literals import literal_matches
from dragoman.text.protect import Protection, hidden
from dragoman.text.terms.shorthand import SHORTHAND, written_shorthand


def forms(source: str, target: str, text: str) -> list[str | None]:
    return [written_shorthand(match, source, target) for match in re.finditer(SHORTHAND, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das gilt z. B. für Kinder, z.B. hier.", ["e.g.", "e.g."]),
        ("Städte wie z. B. Wien, wie z.B. Graz", ["such as", "such as"]),
        ("M. E. Schmidt", []),
        ("von Z. B. Müller", []),
        ("Z.\xa0B. Wasser", ["E.g."]),
        ("Er kommt, d. h. er ist da, d.h. hier", ["i.e.", "i.e."]),
        ("Es gibt u. a. Äpfel (u.a. Boskop)", ["among others", "among others"]),
        ("Das ist m. E. falsch.", ["in my opinion"]),
        ("Äpfel, Birnen u. a.", []),
        ("Äpfel u. a. m. gibt es", []),
        ("kurz. Bald, z.Berlin, Hr. z. Brot", []),
    ],
)
def test_german_to_english(text: str, expected: list[str]) -> None:
    assert forms("de", "en", text) == expected


def test_other_languages_leave_it_to_the_model() -> None:
    assert forms("de", "fr", "z. B. hier") == [None]
    assert forms("en", "de", "z. B. here") == [None]


def test_a_model_sees_a_stand_in() -> None:
    shown = hidden("Nimm z. B. Wasser.", Protection("de", "en"))
    assert shown.text == "Nimm X1 Wasser."
    assert [hiding.text for hiding in shown.hidings] == ["e.g."]


@pytest.mark.parametrize("text", ["z. B.", "z.B.", "d. h.", "d.h.", "u. a.", "m. E."])
def test_all_of_it_is_found_among_the_literals(text: str) -> None:
    assert [match.group() for match in literal_matches(f"So {text} hier.")] == [text]
