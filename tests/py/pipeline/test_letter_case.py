"""What is all in capitals is shown to the model as it is written elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from dragoman.pipeline.letter_case import LetterCase, LoweringFinder
from dragoman.text.protect import hidden
from dragoman.text.terms.lexicon import LexiconFinder
from dragoman.text.terms.names import NameTable
from dragoman.text.terms.word_table import WordTable
from dragoman.types import DetokenizedText, Piece, Span
from tests.support.helpers import CharacterTokenizer

WORDS = frozenset(
    [
        "bitte",
        "nicht",
        "told",
        "the",
        "us",
        "you",
        "to",
        "do",
        "in",
        "von",
        "der",
        "und",
        "Vertrag",
        "EU",
        "Friday",
    ]
)


class ListTokenizer(CharacterTokenizer):
    """One piece for each word of a list, else a piece a letter."""

    def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
        return [
            (Piece(2, Span(0, len(one))),)
            if one in WORDS
            else super(ListTokenizer, self).encode([one])[0]
            for one in sentences
        ]


LISTS = NameTable(
    bytes(2),
    1.0,
    -1.0,
    lexicon=WordTable.of({"Hunde": "dogs", "stören": "disturb", "friday": "Freitag"}),
    formulas=WordTable.of({"Danke": "Thank you"}),
)


def case(source: str = "de", target: str = "en") -> LetterCase:
    return LetterCase(ListTokenizer(), (source, target), LISTS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BITTE NICHT STÖREN", "Bitte nicht stören"),
        ("DER VERTRAG DER EU", "Der Vertrag der EU"),
        ("VON HUNDEN UND HUNDE", "Von hunden und Hunde"),
        ("STRAßE FREI", "Straße frei"),
        ("X1 BESUCHT UTF8 NICHT", "X1 Besucht UTF8 nicht"),
        ("HABEN SIE FRAGEN?", "Haben Sie fragen?"),
        ("BITTE DREI (3)!", "Bitte drei (3)!"),
        # words alone
        ("DANKE!", "Danke!"),
        ("STÖREN", None),  # a list of rare words has many that are names, too
        ("UNESCO", None),
        ("BITTE", "Bitte"),
        # not all in capitals, or abbreviations
        ("Bitte NICHT STÖREN", None),
        ("USA UND NATO", None),
        ("DVD-ROM", None),
        ("NUR DU", None),
        ("TO DO IN DER", "To do in der"),
        ("123", None),
        ("", None),
        ("请不要打扰", None),
        # a small letter of two characters
        ("ANKARA UND İSTANBUL", "Ankara und İSTANBUL"),
    ],
)
def test_german_text(text: str, expected: str | None) -> None:
    assert case().lowered_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I TOLD YOU I'D DO", "I told you I'd do"),
        ("DON’T DO HARMFUL THINGS", "Don’t do harmful things"),
        ("EVERY FRIDAY IN HUNDE", "Every Friday in hunde"),
        ("TOLD DR. BROWN IN THE US", "Told Dr. brown in the US"),
        ("TOLD US IN FRIDAY", "Told us in Friday"),
    ],
)
def test_english_text(text: str, expected: str) -> None:
    assert case("en", "de").lowered_text(text) == expected


def test_turkish_letters() -> None:
    assert case("tr", "en").lowered_text("İYİYİM ISIRGAN") == "İyiyim ısırgan"
    assert case("en", "tr").raised_text("iyi ısı") == "İYİ ISI"


def test_what_is_hidden_stays() -> None:
    shown = hidden("BESUCHEN SIE www.a.de HEUTE")
    assert case().lowered(shown) == "Besuchen Sie www.a.de heute"


def test_other_text_stays() -> None:
    shown = hidden("Besuchen Sie www.a.de")
    assert case().lowered(shown) is None
    target = DetokenizedText("Visit", (Span(0, 5),))
    assert case().raised(shown, target, ()) is target


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ([], "SEE MY.SITE, SS"),
        (["my.site"], "SEE my.site, SS"),
        (["e", ""], "SEE MY.SITE, SS"),
        (["my", "my.site, ß"], "SEE my.site, ß"),
        ([", ß"], "SEE MY.SITE, ß"),
    ],
)
def test_what_was_put_in_is_not_raised(kept: list[str], expected: str) -> None:
    shown = replace(hidden("Siehe meine seite"), in_capitals=True)
    text = "see my.site, ß"
    made = case().raised(shown, DetokenizedText(text, (Span(0, 13), Span(13, 14))), kept)
    assert made.text == expected
    assert made.spans == (Span(0, 13), Span(13, len(expected)))


def test_a_list_knows_words_in_capitals() -> None:
    finder = LoweringFinder(LexiconFinder(LISTS.lexicon), case())
    assert [one.span for one in finder.find("BITTE NICHT STÖREN")] == [Span(12, 18)]
    assert finder.find("Bitte NICHT STÖREN") == ()


def test_scripts_without_small_letters_are_in_no_capitals() -> None:
    assert case("zh", "en").lowered_text("CEO王先生说，IBM公司很好。") is None
    assert case("ar", "en").lowered_text("مكتوب عليها MADE IN CHINA") is None


def test_marks_on_capitals_are_of_their_letters() -> None:
    assert case().lowered_text("BITTE NICHT STO\u0308REN") == "Bitte nicht sto\u0308ren"
