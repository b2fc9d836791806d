import re

import pytest

from dragoman.text.literals import literal_matches
from dragoman.text.protect import Protection, hidden
from dragoman.text.terms.eras import ERA, written_era


def eras(source: str, target: str, text: str) -> list[str | None]:
    return [written_era(match, source, target) for match in re.finditer(ERA, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("44 v. Chr. starb Caesar.", ["44 BC"]),
        ("Von 50 v.Chr. bis 30 n.\xa0Chr. lebte er.", ["50 BC", "AD 30"]),
        ("(27–14 v. Chr.) war das", ["27–14 BC"]),
        ("Um 500 n. Chr. war es, um 60 v. Chr. nicht.", ["Around AD 500", "around 60 BC"]),
        ("44 v. Chr.", ["44 BC"]),
        ("in den 80er Jahren, der 70er-Jahre", ["80s", "70s"]),
        ("im 5. Jahrhundert v. Chr., 5.000 v. Chr.", []),
        ("80er-Jahre-Stil, 1980er Jahre, 85er Jahrgang, 80er", []),
    ],
)
def test_german_to_english(text: str, expected: list[str]) -> None:
    assert eras("de", "en", text) == expected


def test_the_last_stop_is_the_sentences() -> None:
    shown = hidden("Caesar starb 44 v. Chr.", Protection("de", "en"))
    assert shown.text == "Caesar starb X1."
    assert [hiding.text for hiding in shown.hidings] == ["44 BC"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Vesuvius erupted in AD 79.", ["im Jahr 79 n. Chr."]),
        ("In AD 79, by AD 8-12", ["Im Jahr 79 n. Chr.", "8-12 n. Chr."]),
        ("500 BC", []),  # which a model knows
        ("AD 5.5, BAD 500, AD 50,000", []),
    ],
)
def test_english_to_german(text: str, expected: list[str]) -> None:
    assert eras("en", "de", text) == expected


def test_other_languages_leave_it_to_the_model() -> None:
    assert eras("de", "fr", "44 v. Chr. und 80er Jahre") == [None, None]
    assert eras("en", "fr", "in AD 79") == [None]


@pytest.mark.parametrize("text", ["in AD 79", "um 44 v. Chr", "44 v. Chr", "80er-Jahren", "AD 5"])
def test_all_of_it_is_found_among_the_literals(text: str) -> None:
    assert [match.group() for match in literal_matches(f"So {text}.")] == [text]
