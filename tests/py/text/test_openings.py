"""Marks that open, taken apart from the words behind them and put together."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.openings import Openings, Respaced, openings_of, with_openings
from dragoman.types import Span
from tests.support.hosts import TINY_VOCABULARY

MARKS = "\"'„“»«(["
openings = Openings(MARKS)
VOCABULARY = TINY_VOCABULARY.read_bytes()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('"Many came."', '" Many came."'),
        ('He said: "Many of us (all) came".', 'He said: " Many of us ( all) came".'),
        ("„Viele“ (»alle«)", "„ Viele“ (» alle«)"),
        ('("Nein")', '(" Nein")'),
        ("(2016) [3]", "( 2016) [ 3]"),
        ("it's Mary's", "it's Mary's"),  # in the middle of a word
        ("f(x) a(b)", "f(x) a(b)"),
        ('5" x 7" " a', '5" x 7" " a'),
        ('(…) "–" ("', '(…) "–" ("'),  # no word behind
        ("", ""),
    ],
)
def test_apart(text: str, shown: str) -> None:
    assert openings.apart(text).text == shown


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("„ Viele kamen.“", "„Viele kamen.“"),
        ("Er: „ Viele ( alle) kamen“ .", "Er: „Viele (alle) kamen“ ."),
        ("sie“ sagte", "sie“ sagte"),  # closes: no space before it
        ("a ( ) b", "a ( ) b"),
    ],
)
def test_together(shown: str, text: str) -> None:
    assert openings.together(shown).text == text


def test_places_are_those_of_the_spaces() -> None:
    assert openings.apart('a "b" (c)') == Respaced('a " b" ( c)', (3, 8))
    assert openings.together('a " b" ( c)') == Respaced('a "b" (c)', (3, 8))


def test_spans_without_the_spaces() -> None:
    shown = openings.apart('a "b" (c)')
    spans = [Span(0, 1), Span(1, 3), Span(3, 5), Span(4, 5), Span(5, 8), Span(8, 11)]
    found = shown.without(spans)
    assert [span.of('a "b" (c)') for span in found] == ["a", ' "', "b", "b", '" (', "c)"]


@given(st.text(st.sampled_from("ab 1\"'„(“-. "), max_size=30))
def test_what_is_taken_apart_is_put_together(text: str) -> None:
    shown = openings.apart(text)
    assert shown.text.replace(" ", "") == text.replace(" ", "")
    assert all(shown.text[place] == " " for place in shown.spaces)
    assert openings.apart(shown.text).spaces == ()
    whole = openings.together(shown.text)
    assert set(shown.spaces) <= set(whole.spaces)
    if set(shown.spaces) == set(whole.spaces):  # else the text had such a space itself
        assert whole.text == text


@given(st.text(st.sampled_from("ab 1\"'„(“-. "), max_size=30), st.data())
def test_spans_keep_their_order_and_their_letters(text: str, data: st.DataObject) -> None:
    shown = openings.apart(text)
    ends = sorted(data.draw(st.lists(st.integers(0, len(shown.text)), min_size=2, max_size=6)))
    spans = [Span(a, b) for a, b in pairwise(ends)]
    for span, found in zip(spans, shown.without(spans), strict=True):
        put_in = sum(span.start <= place < span.end for place in shown.spaces)
        assert len(found.of(text)) == span.end - span.start - put_in
        assert found.of(text).replace(" ", "") == span.of(shown.text).replace(" ", "")


def test_a_vocabulary_says_which_marks_it_wants_apart() -> None:
    assert openings_of(VOCABULARY) is None
    for marks in ('"', '„"(', MARKS):
        known = openings_of(with_openings(VOCABULARY, marks))
        assert known is not None
        assert known.marks == marks


def test_other_marks_take_the_place_of_those_that_it_has() -> None:
    once = with_openings(VOCABULARY, '„"(')
    assert with_openings(once, '„"(') == once
    assert with_openings(once, "»") == with_openings(VOCABULARY, "»")
    assert with_openings(once, "") == once
    assert with_openings(VOCABULARY, "") == VOCABULARY


@pytest.mark.parametrize("marks", ["a", "(1", "( ", "\n", "„" * 60])
def test_what_are_no_marks(marks: str) -> None:
    with pytest.raises(ValueError, match="no marks that open"):
        with_openings(VOCABULARY, marks)


@pytest.mark.parametrize(
    "end", [b"openings (", b"*\x0c\n\x0bopenings (", b"*\x0d\n\x0bopenings a(", b"openings \xff"]
)
def test_an_end_that_is_no_such_field(end: bytes) -> None:
    assert openings_of(VOCABULARY + end) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_looked_through(content: bytes) -> None:
    assert openings_of(content) is None


def test_without_spaces_spans_stay() -> None:
    assert Respaced("ab", ()).without([Span(0, 2)]) == (Span(0, 2),)
