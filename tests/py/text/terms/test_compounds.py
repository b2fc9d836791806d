"""What compounds are that no list has."""

import pytest

from dragoman.text.terms.compounds import NONE, CompoundFinder
from dragoman.text.terms.glossary import Origin
from dragoman.text.terms.word_table import WordTable
from dragoman.types import Span, Term

ENTRIES = WordTable.of({
    "Turniers": "tournament",
    "Liste": "list",
    "Wahlkreis": "constituency",
    "gericht": "court",
    "Euro-Schein": "euro note",
    "Bach": "brook",
})  # fmt: skip
FIRSTS = WordTable.of({
    "Golf": "golf", "Sonder": "special", "Wahl": "election", "Sicherheits": "security",
    "Ticket": "ticket", "Welt": "world", "Hol": "take",
})  # fmt: skip
HEADS = WordTable.of({
    "Gericht": "court", "Kampf": "campaign", "Wahlkampf": "election campaign", "Bach": NONE,
})  # fmt: skip
WHOLES = WordTable.of({"Weltgericht": NONE})


def found(sentence: str) -> list[tuple[str, str]]:
    finder = CompoundFinder(ENTRIES, FIRSTS, HEADS, WHOLES)
    return [(one.span.of(sentence), one.term.target) for one in finder.find(sentence)]


def test_a_compound_is_what_its_parts_are() -> None:
    assert found("Der Sieger des Golfturniers") == [("Golfturniers", "golf tournament")]
    (one,) = CompoundFinder(ENTRIES, FIRSTS, HEADS).find("Ein Golfturniers")
    assert (one.span, one.origin) == (Span(4, 16), Origin.LEXICON)


NUMBERED = WordTable.of({
    "0-Stunden": "hour", "0-Liter": "litre", "0-Milliarden": "billion", "0-Euro": "euro",
    "Stunden": "hourly", "Golf": "golf",
})  # fmt: skip


@pytest.mark.parametrize(
    ("word", "translation"),
    [
        ("35-Stunden-Liste", "35-hour list"),
        ("1,5-Liter-Liste", "1.5-litre list"),
        ("1.500-Liter-Golfturniers", "1,500-litre golf tournament"),
        ("10-Milliarden-Euro-Liste", "10-billion-euro list"),
        ("50-Euro-Schein", "50-euro note"),  # the list knows the rest
    ],
)
def test_behind_a_number_parts_have_their_own_translation(word: str, translation: str) -> None:
    finder = CompoundFinder(ENTRIES, NUMBERED, HEADS, languages=("de", "en"))
    for sentence in (f"Die {word} kam.", f"{word}"):
        assert [one.term for one in finder.find(sentence)] == [Term(word, translation)]


@pytest.mark.parametrize(
    "word", ["35-Golf-Liste", "35-Stunden", "35-Stunden-Xyz", "A35-Stunden-Liste", "2-35-Stunden-x"]
)
def test_other_words_with_numbers_are_left_alone(word: str) -> None:
    finder = CompoundFinder(ENTRIES, NUMBERED, HEADS, languages=("de", "en"))
    assert not [one for one in finder.find(f"Die {word}") if one.term.target[0].isdecimal()]


@pytest.mark.parametrize(
    ("word", "translation"),
    [
        ("Sonderwahlgericht", "special election court"),  # what it begins with is a compound too
        ("Weltwahlkampf", "world election campaign"),  # the longest head counts
        ("Ticket-Liste", "ticket list"),
        ("Ticketwahl-Liste", "Ticketwahl list"),  # before a hyphen, what is not known stays
        ("GitHub-Sicherheitsgericht", "GitHub security court"),
    ],
)
def test_parts_may_have_parts(word: str, translation: str) -> None:
    assert found(f"Das {word}") == [(word, translation)]


@pytest.mark.parametrize(
    "word",
    [
        "Wahlkreis",  # in the list
        "Weltgericht",  # whole
        "Sonderbach",  # a head that ends names
        "Golfplatz",  # a head that nobody knows
        "Hollisten",  # nor that
        "Xyzgericht",  # a first part that nobody knows
        "golfturniers",  # no noun
        "Wahllist",
        "Ticket-",
        "-Liste",
        "GOLFTURNIERS",
    ],
)
def test_what_is_not_made_of_known_parts_is_none(word: str) -> None:
    assert found(f"Das {word}") == []


def test_the_first_word_has_its_capital_of_its_place() -> None:
    assert found("Golfturniers gewinnt er, Golfturniers.") == [("Golfturniers", "golf tournament")]


def test_a_text_without_words_has_none() -> None:
    assert found("") == []
    assert found("12 + 30 = 42 …") == []
