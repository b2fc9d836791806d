import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.literals import literals
from dragoman.text.protect import hidden
from dragoman.types import DetokenizedText, Piece, Span


def characters(text):
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
        ("X1 und a@b.de", "X1 und a@b.de"),  # the stand-in itself: nothing is hidden
        ("X12 und a@b.de", "X12 und a@b.de"),
    ],
)
def test_what_the_model_sees(source, shown):
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
    ],
)  # fmt: skip
def test_what_comes_back(source, target, expected):
    assert hidden(source).revealed(characters(target)).text == expected


def test_pieces_of_the_source_have_their_spans():
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
def test_spans_in_the_source_are_in_order_and_cover_it(source):
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
def test_every_literal_comes_back_once_and_pieces_stay_in_order(source, target):
    found = hidden(source).revealed(characters(target))
    if hidden(source).hidings:
        for literal in {span.of(source) for span in literals(source)}:
            count = sum(span.of(source) == literal for span in literals(source))
            assert found.text.count(literal) == count
    last = 0
    for span in found.spans:
        assert last <= span.start <= span.end <= len(found.text)
        last = span.end
