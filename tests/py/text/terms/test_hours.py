import re

import pytest

from dragoman.text.literals import literal_matches
from dragoman.text.protect import Protection, hidden
from dragoman.text.terms.hours import HOUR, written_hour


def hours(source: str, target: str, text: str) -> list[str | None]:
    return [written_hour(match, source, target) for match in re.finditer(HOUR, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Um halb eins essen wir.", ["half past twelve"]),
        ("im letzten Viertel vor zwei Gegnern", []),
        ("Es ist halb vier, nicht halb 3.", ["half past three", "half past 2"]),
        ("Halb drei ist zu früh.", ["Half past two"]),
        ("von halb neun bis halb zwölf Uhr", ["half past eight", "half past eleven"]),
        ("kurz nach halb elf", ["half past ten"]),
        ("um fünf vor halb drei", ["twenty-five past two"]),
        ("um zehn nach halb drei", ["twenty to three"]),
        ("um Viertel nach sieben", ["a quarter past seven"]),
        ("Viertel vor eins war es", ["A quarter to one"]),
        ("um viertel vor 12 Uhr", ["a quarter to 12"]),
        ("Es war dreiviertel vier.", ["a quarter to four"]),
        ("ein Viertel vor drei Jahren", []),
        ("ein Viertel nach drei Jahren", []),
        ("Viertel vor drei Jahren", []),
        ("ein halb leeres Glas, halb dreist, deshalb eins", []),
        ("halb 3,5 und halb 13", []),
    ],
)
def test_german_to_english(text: str, expected: list[str]) -> None:
    assert hours("de", "en", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We meet at half past one.", ["um halb zwei"]),
        (
            "the quarter to 5 April, from a quarter to one in three, the fourth quarter after one",
            [],
        ),
        ("It's half past twelve.", ["halb eins"]),
        ("half past 2", ["halb 3"]),
        ("At half past three I slept.", ["Um halb vier"]),
        ("at about half past nine, at around half past ten", ["gegen halb zehn", "gegen halb elf"]),
        (
            "It’s a quarter to three, or quarter past two.",
            ["Viertel vor drei", "Viertel nach zwei"],
        ),
        ("A quarter past five", ["Viertel nach fünf"]),
        ("the first quarter to eleven months", []),
        ("by a quarter to two million", []),
        ("a quarter to one third of them", []),
        ("a quarter to three thirds", []),
        ("half past 2 p.m., half past 12:30", []),
        ("half past nothing", []),
    ],
)
def test_english_to_german(text: str, expected: list[str]) -> None:
    assert hours("en", "de", text) == expected


def test_other_languages_leave_it_to_the_model() -> None:
    assert hours("en", "fr", "at half past two") == [None]
    assert hours("de", "en", "at half past two") == [None]
    assert hours("en", "de", "um halb drei") == [None]
    assert hidden("at half past two", Protection("en", "fr")).text == "at half past two"


def test_a_model_sees_a_stand_in() -> None:
    shown = hidden("Wir treffen uns um halb drei.", Protection("de", "en"))
    assert shown.text == "Wir treffen uns um X1."
    assert [hiding.text for hiding in shown.hidings] == ["half past two"]


@pytest.mark.parametrize(
    "text",
    ["halb drei", "Viertel vor 8", "dreiviertel eins", "fünf vor halb zwei", "zehn nach halb 2"],
)
def test_all_of_it_is_found_among_the_literals(text: str) -> None:
    assert [match.group() for match in literal_matches(f"um {text}.")] == [text]


@pytest.mark.parametrize("text", ["at half past two", "a quarter to 8", "Quarter past one"])
def test_all_of_it_is_found_in_english(text: str) -> None:
    assert [match.group() for match in literal_matches(f"So {text}.")] == [text]
