"""The start that a client has given: to the letter, whatever was made of it."""

from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.prefix import Start, next_word, shown_prefix, with_prefix
from dragoman.text.protect import hidden, replaced
from dragoman.types import DetokenizedText, Span


def target(*pieces: str) -> DetokenizedText:
    spans, at = [], 0
    for piece in pieces:
        spans.append(Span(at, at + len(piece)))
        at += len(piece)
    return DetokenizedText("".join(pieces), tuple(spans))


def test_a_start_that_is_there_stays() -> None:
    text = target("The", " house", " is")
    assert with_prefix(text, "The house", Start.of(text, 9)) == text


def test_what_was_normalized_is_as_it_was_given() -> None:
    text = target("The", " fi", "sh", " swims")
    prefixed = with_prefix(text, "The  ﬁsh", Start.of(text, len("The fish")))
    assert prefixed.text == "The  ﬁsh swims"
    assert prefixed.spans[3].of(prefixed.text) == " swims"


def test_it_may_end_within_a_piece() -> None:
    text = target("The", " houses", " are")
    prefixed = with_prefix(text, "The  hou", Start.of(text, len("The hou")))
    assert prefixed.text == "The  houses are"
    assert prefixed.spans[2].of(prefixed.text) == " are"


def test_what_is_put_back_in_front_of_it_goes() -> None:
    text = target("The", " X1", " is")
    start = Start.of(text, len("The X1"))
    prefixed = with_prefix(replaced(text, Span(4, 6), "a@b.de"), "The x@y.de", start)
    assert prefixed.text == "The x@y.de is"


def test_literals_of_the_source_are_stand_ins_in_the_prefix() -> None:
    shown = hidden("Schreiben Sie an a@b.de.")
    assert shown_prefix("Write to a@b.de", shown) == "Write to X1"
    assert shown_prefix("Write to a@b", shown) == "Write to a@b"


def test_the_word_after_a_prefix() -> None:
    words = (Span(0, 3), Span(4, 9), Span(10, 12))
    assert next_word("The house is", "The ", words) == "house"
    assert next_word("The house is", "The hou", words) == "house"
    assert next_word("The house is", "The house", words) == "is"
    assert next_word("The house is", "The house is", words) == ""


@given(
    st.lists(st.text("ab é", min_size=1, max_size=4), min_size=1, max_size=6),
    st.text("ab éß", max_size=8),
    st.integers(0, 30),
)
def test_the_text_begins_with_it_and_the_rest_is_the_same(
    pieces: list[str], prefix: str, length: int
) -> None:
    text = target(*pieces)
    length = min(length, len(text.text))
    prefixed = with_prefix(text, prefix, Start.of(text, length))
    assert prefixed.text == prefix + text.text[length:]
    assert all(0 <= span.start <= span.end <= len(prefixed.text) for span in prefixed.spans)
