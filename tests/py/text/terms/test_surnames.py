"""Words behind first names."""

from __future__ import annotations

import pytest

from dragoman.text.terms.first_names import FIRST_NAMES
from dragoman.text.terms.glossary import Origin
from dragoman.text.terms.names import NameTable
from dragoman.text.terms.surnames import SurnameFinder
from dragoman.text.terms.word_table import WordTable

COMMON = {"Geld", "König", "Monday"}
TABLE = NameTable(
    bytes(2),
    scale=1.0,
    bias=-1.0,
    names=frozenset({"Merkel"}),
    lexicon=WordTable.of({"Bürgermeister": "mayor", "Gesandter": "envoy", "Langer": "long"}),
)
FINDER = SurnameFinder(TABLE, COMMON.__contains__)


@pytest.mark.parametrize(
    ("sentence", "surnames"),
    [
        ("Der Präsident Uwe Fröhlich sprach.", ["Fröhlich"]),
        ("Golfer Bernhard Langer gewann vor Annika Deuschle.", ["Langer", "Deuschle"]),
        ("Anna-Lena Klein-Müller und Hans-Günter Weeß kamen.", ["Klein-Müller", "Weeß"]),
        ("John F. Ziegelman and Mr. Meadow", ["Ziegelman", "Meadow"]),
        ("Ludwig van Beethoven, Ursula von der Leyen", ["Beethoven", "Leyen"]),
        ("Frau Wagenknecht traf Herrn Steinhäuser.", ["Wagenknecht", "Steinhäuser"]),
        ("Hans Peter Neugebauer", ["Neugebauer"]),
        ("„Anna-Lena“ Klein, (Uwe Fröhlich)", ["Fröhlich"]),
        ("Frau Dr. Weeß, Herrn’s Uwe Weeß", ["Weeß"]),
        # No surname: a second first name, a comma between, a small letter, two letters.
        ("Hans Peter", []),
        ("Mit Tom, Kanzler a. D.", []),
        ("Tom fröhlich", []),
        ("Tom Ei", []),
        # What the model knows, and what a table knows to be a name.
        ("Tom Geld leihen", []),
        ("Angela Merkel", []),
        # Offices and the list's words behind an address alone.
        ("Herr Kommissionspräsident, Frau Abgeordnete, Frau Bürgermeister, Herr Gesandter!", []),
        ("Mr. President, Mr. Speaker", []),
        ("UWE FRÖHLICH", []),
        ("Antonomie Fröhlich", []),
    ],
)
def test_surnames_of_a_sentence(sentence: str, surnames: list[str]) -> None:
    found = FINDER.find(sentence)
    assert [one.span.of(sentence) for one in found] == surnames
    assert [one.term.source for one in found] == [one.term.target for one in found] == surnames
    assert all(one.origin is Origin.SURNAME for one in found)


def test_first_names_are_written_as_such() -> None:
    assert all(name.isalpha() and name[0].isupper() and len(name) >= 2 for name in FIRST_NAMES)
