"""Names in the German genitive, before and behind their nouns."""

import pytest

from dragoman.text.terms.genitives import bare, has_genitives, placed, standing
from dragoman.types import Span


@pytest.mark.parametrize(
    ("sentence", "word", "translation", "expected"),
    [
        ("Der Präsident Chinas kommt.", "Chinas", "China's", "of China"),
        ("Im Norden Kanadas schneit es.", "Kanadas", "Canada", "of Canada"),
        ("Die „Armee Syriens“ kam.", "Syriens", "Syria's", "of Syria"),
        ("Bürger Berlins kamen.", "Berlins", "Berlin", "of Berlin"),
        ("Die Frau Thomas' kam.", "Thomas'", "Thomas'", "of Thomas"),
        ("Chinas Präsident kommt.", "Chinas", "China's", "China's"),
        ("In Chinas Norden.", "Chinas", "China's", "China's"),  # its noun is behind it
        ("Die Politik Chinas Nachbarn.", "Chinas", "China's", "China's"),
        ("Er mag Chinas neue Politik.", "Chinas", "China's", "China's"),
        ("Das Ende des Films kam.", "Films", "film", "film"),  # no name
        ("Der Direktor Hans kam.", "Hans", "Hans", "Hans"),  # no genitive
        ("Präsident Chinas", "Chinas", "China's", "of China"),
        ("Am Chinas", "Chinas", "China's", "China's"),  # "Am" only begins
    ],
)
def test_standing(sentence: str, word: str, translation: str, expected: str) -> None:
    at = sentence.index(word)
    assert standing(sentence, Span(at, at + len(word)), translation) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("The president ", "of China"),
        ("The president of ", "China"),
        ("The people from ", "China"),
        ("The parliament's ", "China"),
        ("", "China"),
    ],
)
def test_one_such_word_before_a_name(before: str, expected: str) -> None:
    assert placed("of China", before) == expected
    assert bare("of China") == "China"


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [("de", "en", True), ("de-AT", "en-US", True), ("en", "de", False), ("de", "fr", False)],
)
def test_they_are_a_matter_of_german_and_english(source: str, target: str, expected: bool) -> None:
    assert has_genitives(source, target) is expected
