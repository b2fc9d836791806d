"""Which words of two sentences may be a term, and what is counted of it, by hand."""

from __future__ import annotations

from collections import Counter

from dragoman.types import Span, Term
from tests.bench.glossary import Case, counterparts, said, without

SOURCE, TARGET = "Der alte Rechner und der neue Rechner stehen hier", "The old computer stands here"


def test_words_that_are_linked_to_each_other_alone() -> None:
    links = [(0, 0), (1, 1), (2, 2), (6, 2), (7, 3), (8, 4), (5, 4)]
    assert list(counterparts((SOURCE, TARGET), links)) == [("stehen", "stands")]


def test_words_that_come_twice_are_no_terms() -> None:
    assert list(counterparts((SOURCE, TARGET), [(2, 2), (1, 1)])) == []


def test_what_a_translation_says() -> None:
    case = Case("", "", (Term("Rechner", "computer"), Term("Haus", "house")))
    assert said("Computers, a computer", case, "en") == Counter({"computer": 2})


def test_the_rest() -> None:
    assert without("a b c d", [Span(6, 7), Span(2, 3)]) == "a c"
