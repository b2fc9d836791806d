from __future__ import annotations

import pytest

from dragoman.text.abbreviations import rules_for
from dragoman.text.following import following_word
from dragoman.text.period import Period, in_ordinal_place


def ends(item: str, language: str = "de") -> bool:
    """Whether the period at "|" does, which is taken out."""
    end = item.index("|")
    item = item.replace("|", "")
    rules = rules_for(language)
    return Period(item, 0, end - 1, end, following_word(item, end + 1), rules).ends_sentence()


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("Das ist ein Haus.| Es ist groß", True),
        ("Das sagte Dr.| Müller", False),
        ("Das ist z. B.| Unsinn", False),
        ("Das sagt J.| Müller", False),
        ("Es war Friedrich II.| Bayern", False),
        ("Es war Friedrich II.| Danach", True),  # a word that begins sentences
        ("Sie wohnt in der Hauptstr.| Köln", False),
        ("Das war am 3.| Oktober", False),
        ("Es waren 1.000.| Danach", True),
        ("Am 3.| 10. 2015", False),
        ("Er kam auf Platz 3.| Müller", True),
        ("Das waren 45.| Müller", True),
        ("1.2.| Das Haus", False),  # an enumerator
        ("Wort .| Danach", True),  # no word before it
    ],
)
def test_german(item: str, expected: bool) -> None:
    assert ends(item) is expected


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("That is the house.| Nobody knows", True),
        ("That was Mr.| Smith", False),
        ("He lives in the U.S.| The others", True),
        ("He lives in the U.S.| Army", False),
        ("See no.| Seven", True),
        ("Model no.| XJ-900 is sold", False),
        ("Circular No.| A-11", False),
        ("I said no.| US troops", True),
        ("We counted to 3.| Nobody knows", True),  # English has no such ordinals
    ],
)
def test_english(item: str, expected: bool) -> None:
    assert ends(item, "en") is expected


def test_in_ordinal_place() -> None:
    ordinals = rules_for("de").ordinals
    assert ordinals is not None
    assert in_ordinal_place("(Am", "x", ordinals)
    assert in_ordinal_place("x", "Oktober", ordinals)
    assert not in_ordinal_place("x", "y", ordinals)
