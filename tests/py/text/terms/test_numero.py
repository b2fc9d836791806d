import re

import pytest

from dragoman.text.literals import literal_matches
from dragoman.text.protect import Protection, hidden
from dragoman.text.terms.numero import NUMERO, written_numero


def numbers(source: str, target: str, text: str) -> list[str | None]:
    return [written_numero(match, source, target) for match in re.finditer(NUMERO, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Order no. 12345 has been shipped.", ["Nr. 12345"]),
        ("Model no. XJ-900, Circular No. A-11", ["Nr. XJ-900", "Nr. A-11"]),
        ("Seat no. 14B, vol. 3, no. 2", ["Nr. 14B", "Nr. 2"]),
        ("Serial no.: 123", ["Nr.: 123"]),
        ("Alone? No. 4 friends came. Oh no. 2 planes collided.", []),
        ("nos. 5 and 6, No.1, ROOM NO. 7", ["Nr. 5", "Nr. 1", "Nr. 7"]),
        ("Law No. 115-336, No. 1430/2019 and no. 5.960.411.", ["Nr. 115-336", "Nr. 1430/2019",
                                                               "Nr. 5.960.411"]),
        ("the no. 1-ranked player", ["Nr. 1"]),
        ("room no.\xa05", ["Nr.\xa05"]),
        ("No. 5 is alive.", ["Nr. 5"]),
        ("I said no. 5 left. The answer is no. 5 left. Yes or no. 5", []),
        ("Did they stay? No. 5 people left.", []),
        ("No. 3 of them, No. 20 minutes later, No. 5 % did, No. 2.5 million", []),
        ("no. 5% of all, no. 1st of May, no. 12:30", []),
        ("tel. no. 030 123456", []),
        ("no 5, casino. 5, He said no. Then", []),
    ],
)  # fmt: skip
def test_english_to_german(text: str, expected: list[str]) -> None:
    assert numbers("en", "de", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bestellung Nr. 123 wurde versandt.", ["No. 123"]),
        ("Nr. 5 lebt!", ["No. 5"]),
        ("§ 3 Nr. 1b, Nr.1 und nr. 7", ["No. 1b", "No. 1", "No. 7"]),
        ("Nr 5, Nr: 6, Nr.: XJ-900", ["No. 5", "No.: 6", "No.: XJ-900"]),
        ("Nrn. 5–7", ["Nos. 5–7"]),
        ("Artikel-Nr. 4711, Nr. I B1, Nr. fünf", []),
        ("Konto Nr. DE12 3456", []),
    ],
)
def test_german_to_english(text: str, expected: list[str]) -> None:
    assert numbers("de", "en", text) == expected


@pytest.mark.parametrize(
    ("languages", "text", "expected"),
    [
        (("en", "fr"), "room no. 5", "n° 5"),
        (("en", "es"), "No. 5 is free", "N.º 5"),
        (("de", "pl"), "Zimmer Nr. 5", "nr 5"),
        (("en", "ja"), "room no. 5", None),
        # the word, as often as not
        (("es", "en"), "Dijo que no. 5 personas", None),
        (("es", "en"), "Modelo no. XJ-900", "no. XJ-900"),
        (("de", "en"), "Chanel No. 5", None),
    ],
)
def test_other_languages(languages: tuple[str, str], text: str, expected: str | None) -> None:
    assert numbers(*languages, text) == [expected]


def test_a_model_sees_a_stand_in() -> None:
    shown = hidden("Take pill no. 2 now.", Protection("en", "de"))
    assert shown.text == "Take pill X1 now."
    assert [hiding.text for hiding in shown.hidings] == ["Nr. 2"]


@pytest.mark.parametrize("text", ["no. 5", "No. XJ-900", "nos.: 3-5", "Nr 5", "Nrn. 7", "NR. 1/2"])
def test_all_of_it_is_found_among_the_literals(text: str) -> None:
    assert [match.group() for match in literal_matches(f"So {text}.")] == [text]
