"""What rare words are in the other language."""

import pytest

from dragoman.text.terms.glossary import Origin
from dragoman.text.terms.lexicon import LexiconFinder, fitted
from dragoman.text.terms.word_table import WordTable
from dragoman.types import Span

ENTRIES = {
    "Startbahn": "runway",
    "explodierte": "exploded",
    "demonstrators": "Demonstranten",
    "Start": "launch",
    "low-income": "einkommensschwach",
    "minister": "Minister",
    "prime minister": "Premierminister",
    "gross domestic product": "Bruttoinlandsprodukt",
    "gross": "brutto",
}


def found(sentence: str) -> list[tuple[str, str]]:
    finder = LexiconFinder(WordTable.of(ENTRIES))
    return [(one.span.of(sentence), one.term.target) for one in finder.find(sentence)]


def test_words_are_found_in_their_order() -> None:
    sentence = "Es stürzte auf die Startbahn und explodierte."
    assert found(sentence) == [("Startbahn", "runway"), ("explodierte", "exploded")]
    (first, _) = LexiconFinder(WordTable.of(ENTRIES)).find(sentence)
    assert (first.span, first.origin) == (Span(19, 28), Origin.LEXICON)


def test_a_word_is_found_whole_and_as_it_is_written() -> None:
    assert found("Startbahnen, Startbahn-Feuer, startbahn, Start-Ziel") == []
    assert found("of low-income families") == [("low-income", "einkommensschwach")]


def test_the_first_word_may_have_a_capital_of_its_place() -> None:
    assert found("“Demonstrators blocked Demonstrators.”") == [("Demonstrators", "Demonstranten")]


def test_of_several_words_the_longest_entry_counts() -> None:
    sentence = "the prime minister, a minister: gross domestic product, gross domestic"
    assert found(sentence) == [
        ("prime minister", "Premierminister"),
        ("minister", "Minister"),
        ("gross domestic product", "Bruttoinlandsprodukt"),
        ("gross", "brutto"),
    ]
    assert found("prime, minister") == [("minister", "Minister")]
    assert found("Prime \n minister") == [("Prime \n minister", "Premierminister")]


def test_several_words_may_all_have_capitals() -> None:
    assert found("Our Prime Minister") == [("Prime Minister", "Premierminister")]
    assert found("Our Prime minister") == [("minister", "Minister")]


def test_a_text_without_words_has_none() -> None:
    assert found("") == []
    assert found("12 + 30 = 42 …") == []


def test_only_german_names_have_a_genitive_and_only_in_english() -> None:
    entries = WordTable.of({"Syriens": "Syria's", "streets": "Straßen"})
    sentence = "The York streets"
    (term,) = LexiconFinder(entries, ("en", "de")).find(sentence)
    assert (term.term.target, term.is_genitive) == ("Straßen", False)
    (term,) = LexiconFinder(entries, ("de", "en")).find("Die Armee Syriens")
    assert (term.term.target, term.is_genitive) == ("of Syria", True)
    (term,) = LexiconFinder(entries, ("de", "fr")).find("Die Armee Syriens")
    assert (term.term.target, term.is_genitive) == ("Syria's", False)


@pytest.mark.parametrize(
    ("translation", "before", "after", "expected"),
    [
        ("VW group", "The VW ", " sells cars.", "group"),
        ("lung tissue", "reach the ", " tissue soon", "lung"),
        ("tax revenue", "an income tax ", " of 4 percent", "revenue"),
        ("United Nations summit", "the United Nations ", ".", "summit"),
        ("VW group", "The BVW ", " sells", "VW group"),
        ("VW group", "The ex-VW ", " sells", "VW group"),
        ("tax revenue", "the ", " revenues", "tax revenue"),
        ("group", "The group ", " group", "group"),  # one word is not nothing
        ("incl.", "The price is ", ". VAT", "incl"),
        ("incl.", "The price is ", " VAT", "incl."),
    ],
)
def test_a_translation_says_nothing_that_is_beside_its_place(
    translation: str, before: str, after: str, expected: str
) -> None:
    assert fitted(translation, before, after) == expected
