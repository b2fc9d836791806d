import pytest

from dragoman.text.terms.misread import with_short_forms
from dragoman.types import DetokenizedText, Span


def mended(source: str, target: str, languages: tuple[str, str] = ("en", "de")) -> str:
    whole = DetokenizedText(target, (Span(0, len(target)),))
    return with_short_forms(source, whole, languages).text


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("He left, i.e. he quit.", "Er ging, ich. Er kündigte.", "Er ging, d. h. er kündigte."),
        ("It works, i.e., it runs.", "Es geht, ich., es läuft.", "Es geht, d. h. es läuft."),
        ("Chats (i.e. hangouts)", "Chats (i.e.. hangouts)", "Chats (d. h. hangouts)"),
        ("a, i.e. 2", "Als i.e. Nummer 2", "Als d. h. Nummer 2"),
        ("A, i.e. b.", "A, d. h. b, ich. C", "A, d. h. b, ich. C"),
        ('"i.e." is Latin', '„i.e.“ ist, ich. Ja', '„i.e.“ ist, ich. Ja'),
        ("It was me.", "Das war, ich. Ja", "Das war, ich. Ja"),
        ("the '60s", "die 60er-", "die 60er-Jahre"),
        ("in the '90s", "in den 90er-", "in den 90er-Jahren"),
        ("in the early 1990s.", "in den frühen 1990er-.", "in den frühen 1990er-Jahren."),
        ("the 80s and 90s", "die 80er- und 90er-Jahre", "die 80er- und 90er-Jahre"),
        ("90 of them", "die 90er-", "die 90er-"),
    ],
)  # fmt: skip
def test_english_to_german(source: str, target: str, expected: str) -> None:
    assert mended(source, target) == expected


def test_other_languages_are_left_alone() -> None:
    assert mended("the '60s, i.e. x", "die 60er-, ich. Er", ("fr", "de")) == "die 60er-, ich. Er"


def test_pieces_keep_their_places() -> None:
    target = DetokenizedText("Er, ich. Er", (Span(0, 3), Span(3, 8), Span(8, 11)))
    changed = with_short_forms("He, i.e. he", target, ("en", "de"))
    assert changed.text == "Er, d. h. er"
    assert [span.of(changed.text) for span in changed.spans] == ["Er,", " d. h.", " er"]
