"""What compounds are that no list has."""

import pytest

from dragoman.text.terms.compounds import NONE, CompoundFinder
from dragoman.text.terms.glossary import Origin
from dragoman.text.terms.word_table import WordTable
from dragoman.types import Span

ENTRIES = WordTable.of({
    "Turniers": "tournament",
    "Liste": "list",
    "Wahlkreis": "constituency",
    "gericht": "court",
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
