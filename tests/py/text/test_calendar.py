from __future__ import annotations

import pytest

from dragoman.text.calendar import (
    MONTHS,
    WEEKDAYS,
    WHOLE_MONTHS,
    may_have_names,
    month_name,
    says_number,
    weekday,
    weekday_name,
)


def test_a_name_has_one_index_in_every_language() -> None:
    assert (MONTHS["de"]["März"], MONTHS["de"]["Mrz"], MONTHS["de"]["Mär"]) == (2, 2, 2)
    assert (MONTHS["en"]["March"], MONTHS["en"]["Mar"]) == (2, 2)
    assert MONTHS["de"]["Jänner"] == MONTHS["en"]["January"] == 0
    assert "Mrz" not in WHOLE_MONTHS["de"]
    assert "." not in MONTHS["de"]  # it stands for no name
    assert (month_name(2, "de"), month_name(11, "en")) == ("März", "December")
    assert (weekday_name(5, "de"), weekday_name(0, "en")) == ("Samstag", "Monday")


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [
        ("Montag", "de", (0, True)),
        ("montags", "de", (0, True)),
        ("Dienstagnachmittag", "de", (1, True)),
        ("Sonnabend", "de", (5, True)),
        ("Freitagen", "de", (4, True)),
        ("Montage", "de", (0, False)),  # assembly
        ("Sonntagsbraten", "de", (6, True)),
        ("Mittwochskinder", "de", (2, True)),
        ("Tag", "de", None),
        ("Mondays", "en", (0, True)),
        ("Mondayish", "en", None),
        ("monday", "en", None),
    ],
)
def test_weekday(word: str, language: str, expected: tuple[int, bool] | None) -> None:
    assert weekday(word, language) == expected


@pytest.mark.parametrize(
    ("text", "number", "language", "expected"),
    [
        ("zwei Äpfel", 2, "de", True),
        ("beide Äpfel", 2, "de", True),
        ("drei Äpfel", 2, "de", False),
        ("a pair of shoes", 2, "en", True),
        ("einundzwanzig Leute", 21, "de", True),
        ("dreißig Leute", 21, "de", False),
        ("twenty-first of May", 21, "en", True),
        ("seventeen", 17, "en", True),
        ("siebzehn", 17, "de", True),
        ("seventy", 17, "en", False),
        ("ein halbes Hundert", 50, "de", True),
        ("zweihundert", 200, "de", False),  # how the word begins
        ("hundert", 200, "de", True),
        ("many thousands", 12_000, "en", True),
        ("many", 12_000, "en", False),
        ("nothing of it", 0, "en", True),  # no word is known
        ("rien", 2, "fr", True),  # nor of this language
    ],
)
def test_says_number(text: str, number: int, language: str, expected: bool) -> None:
    assert says_number(text, number, language) is expected


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_text_with_a_name_is_told_from_most_without(language: str) -> None:
    for name in (*WHOLE_MONTHS[language], *WEEKDAYS[language]):
        assert may_have_names(f"x {name}s", language)
    for name in WEEKDAYS[language]:
        assert may_have_names(name.lower(), language)
    assert not may_have_names("Wer war da? Who was there?", language)
