import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.counterparts import SpanAttention
from dragoman.text.literals import literals
from dragoman.text.protect import (
    Protection,
    hidden,
    replaced,
    with_marks_joined,
    without_inventions,
)
from dragoman.types import DetokenizedText, Piece, Span


def characters(text: str) -> DetokenizedText:
    """A piece a character."""
    return DetokenizedText(text, tuple(Span(n, n + 1) for n in range(len(text))))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Schreiben Sie an a@b.de.", "Schreiben Sie an X1."),
        ("nur Text", "nur Text"),
        ("", ""),
        ("%1 von %2", "X1 von X1"),
        ("<b>fett</b>!", "X1 fett X1!"),
        ("{a}{b} ab", "X1 X1 ab"),
        ("X1 und X1", "X1 und X1"),
        ("X1 und a@b.de", "X1 und X1"),  # the stand-in itself is a literal
        ("X12 und a@b.de", "X1 und X1"),
        ("x1 ist größer als 5 %", "X1 ist größer als X1"),
        ("变量x1大于a@b.cn", "变量 X1 大于 X1"),
    ],
)
def test_what_the_model_sees(source: str, shown: str) -> None:
    assert hidden(source).text == shown


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Schreiben Sie an a@b.de.", "Write to X1.", "Write to a@b.de."),
        ("nur Text", "only X1", "only X1"),
        ("%1 von %2", "X1 of X1", "%1 of %2"),
        ("<b>fett</b>!", "X1 bold X1!", "<b>bold</b>!"),
        ("{a}{b} ab", "X1 X1 from", "{a}{b} from"),
        # dropped: at the end, at the start, in between
        ("Hallo 😀", "Hello", "Hello 😀"),
        ("Siehe a@b.de!", "See!", "See a@b.de!"),
        ("😀 Hallo", "Hello", "😀 Hello"),
        ("Ich bin müde 😴 und gehe ins Bett.", "I am tired and go to bed.",
         "I am tired 😴 and go to bed."),
        ("%1 von %2", "X1 of", "%1 of %2"),
        # one that has grown
        ("Siehe a@b.de!", "See X12!", "See a@b.de!"),
        # twice
        ("Hallo 😀", "Hello X1 X1", "Hello 😀"),
        ("Hallo 😀", "", "😀"),
        # one stop is enough for a date and its sentence
        ("Am 31.12. kam er.", "He came on X1.", "He came on 31.12."),
        ("Am 31.12. kam er.", "He came.", "He 31.12. came."),
        ("Er kam am 31.12. an.", "On X1 he came...", "On 31.12. he came..."),
        # the stand-in itself, and one with an ending
        ("X12 und a@b.de", "X1 and X1", "X12 and a@b.de"),
        ("x1 ist größer als 5 %", "X1 is larger than X1", "x1 is larger than 5 %"),
        ("arm64 und x10", "X1 and x1", "arm64 and x10"),
        ("die 3/4 hat", "the X1th has", "the 3/4 has"),
    ],
)  # fmt: skip
def test_what_comes_back(source: str, target: str, expected: str) -> None:
    assert hidden(source).revealed(characters(target)).text == expected


# Of "am 3.5.2024 12 € da": its five pieces, the stand-ins second and third, and EOS.
TWO = "am 3.5.2024 12,50 € da"
TWO_PIECES = (Span(0, 2), Span(2, 11), Span(11, 19), Span(19, 22))
FIRST, SECOND, ELSE = [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("words", "rows", "expected"),
    [
        ("on X1 there X1", [ELSE, FIRST, ELSE, SECOND], "on 3.5.2024 there 12,50 €"),
        ("X1 there on X1", [SECOND, ELSE, ELSE, FIRST], "12,50 € there on 3.5.2024"),
        ("X1 there on X1", [ELSE, ELSE, ELSE, ELSE], "3.5.2024 there on 12,50 €"),
        # one dropped
        ("X1 is there now", [SECOND, ELSE, ELSE, ELSE], "12,50 € 3.5.2024 is there now"),
        ("X1 is there now", [FIRST, ELSE, ELSE, ELSE], "3.5.2024 is 12,50 € there now"),
        # one doubled
        ("X1 X1 there X1", [SECOND, [0, 0.5, 0.5, 0, 0], ELSE, FIRST], "12,50 € there 3.5.2024"),
    ],
)
def test_the_attention_says_which_is_which(
    words: str, rows: list[list[float]], expected: str
) -> None:
    shown = hidden(TWO)
    assert shown.text == "am X1 X1 da"
    attention = SpanAttention([value for row in rows for value in row], TWO_PIECES)
    ends = [match.end() for match in re.finditer(r"\S+", words)]
    spans = tuple(Span(start, end) for start, end in zip([0, *ends], ends, strict=False))
    assert shown.revealed(DetokenizedText(words, spans), attention).text == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("am 3.5.2024 für 12,50 €", True),
        ("12 von 20 Leuten", True),
        ("am 3.5.2024 kamen 12 Leute", False),  # one of each kind
        ("a@b.de", False),
        ("", False),
    ],
)
def test_what_needs_attention(source: str, expected: bool) -> None:
    assert hidden(source).needs_attention is expected


def test_pieces_of_the_source_have_their_spans() -> None:
    shown = hidden("an a@b.de da")
    assert shown.text == "an X1 da"
    pieces = [Piece(n, Span(n, n + 1)) for n in range(8)]
    spans = [piece.span for piece in shown.in_source(pieces)]
    assert spans == [
        Span(0, 1), Span(1, 2), Span(2, 3), Span(3, 9), Span(9, 9), Span(9, 10), Span(10, 11),
        Span(11, 12),
    ]  # fmt: skip


parts = st.lists(
    st.sampled_from(["a@b.de", "😀", "%1", "<b>", "Wort", "X1", " ", " ", ".", "42"]), max_size=9
)


@given(source=parts.map("".join))
def test_spans_in_the_source_are_in_order_and_cover_it(source: str) -> None:
    shown = hidden(source)
    pieces = [Piece(n, Span(n, n + 1)) for n in range(len(shown.text))]
    last = 0
    for piece in shown.in_source(pieces):
        assert piece.span.start == last or piece.span.start <= last <= piece.span.end
        assert last <= piece.span.end <= len(source)
        last = piece.span.end
    assert not shown.text or last == len(source)


@given(
    source=parts.map(" ".join),
    target=st.lists(st.sampled_from(["X1", " ", "on", ".", "!"])).map("".join),
)
def test_every_literal_comes_back_once_and_pieces_stay_in_order(source: str, target: str) -> None:
    revealed = hidden(source).revealed(characters(target))
    if hidden(source).hidings:
        for literal in {span.of(source) for span in literals(source)}:
            count = sum(span.of(source) == literal for span in literals(source))
            assert revealed.text.count(literal) == count
    last = 0
    for span in revealed.spans:
        assert last <= span.start <= span.end <= len(revealed.text)
        last = span.end


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # bytes that are no character, which this vocabulary takes for a space and so does not lack
        ("Hat das Buckhorn Tequila?", "Is Buckhorn\ufffd Tequila?", "Is Buckhorn Tequila?"),
        ("Das kostet 5.", "It costs €5.", "It costs 5."),
        ("Ja", "Yes €", "Yes"),
        # what the source has comes through, and what the vocabulary has
        ("Ein \ufffd hier", "A \ufffd here", "A \ufffd here"),
        ("Das kostet 5 €.", "It costs €5.", "It costs €5."),
        ("So ist es.", "So it is – here.", "So it is – here."),
    ],
)
def test_signs_that_nobody_wrote_go(source: str, target: str, expected: str) -> None:
    protection = Protection("de", "en", lambda character: character != "€")
    assert without_inventions(source, characters(target), protection).text == expected


def test_a_mark_by_itself_is_joined_to_the_letter_before() -> None:
    spaced = DetokenizedText("สวัสด ี is", (Span(0, 5), Span(5, 7), Span(7, 10)))
    joined = with_marks_joined("สวัสดี ist", spaced)
    assert joined.text == "สวัสดี is"
    assert joined.spans == (Span(0, 5), Span(5, 6), Span(6, 9))
    plain = DetokenizedText("Über é e\u0301.", (Span(0, 4),))
    assert with_marks_joined("", plain) is plain
    assert with_marks_joined("a ี b", spaced) is spaced  # as the source has it


@given(st.data())
def test_pieces_around_what_is_replaced_move_as_one(data: st.DataObject) -> None:
    """Each end by itself: before the place it stays, behind it it moves, within it is its end."""
    text = "abcdefgh"
    places = st.integers(0, len(text))
    start, end = sorted([data.draw(places), data.draw(places)])
    ends = sorted(data.draw(st.lists(places, max_size=6)))
    pieces = tuple(Span(a, b) for a, b in zip([0, *ends], ends, strict=False))
    new = data.draw(st.sampled_from(["", "x", "wxyz"]))

    def place(at: int) -> int:
        if at <= start and not (at == end == start and at):
            return at
        return at + len(new) - (end - start) if at >= end else start + len(new)

    changed = replaced(DetokenizedText(text, pieces), Span(start, end), new)
    assert changed.text == text[:start] + new + text[end:]
    assert changed.spans == tuple(Span(place(one.start), place(one.end)) for one in pieces)


def test_characters_are_asked_for_once() -> None:
    asked: list[str] = []

    def has_piece(character: str) -> bool:
        asked.append(character)
        return character != "ł"

    protection = Protection("de", "en", has_piece)
    assert protection.lacking("alł a") == {"ł"}
    assert protection.lacking("lał") == {"ł"}
    assert sorted(asked) == ["a", "l", "ł", "ł"]
