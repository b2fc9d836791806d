"""A sentence as a line: read as it was written, for its own key, or not at all."""

from array import array
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from dragoman.service.sentence_line import read_line, write_line
from dragoman.text.align import align
from dragoman.types import (
    AlignedSegment,
    CopyReason,
    DetokenizedText,
    PrefixStep,
    Search,
    Span,
    Tag,
    TagKind,
    Term,
    TermOutcome,
    TermUse,
)
from tests.support.helpers import hypothesis, segment

KEY = ("model", "hard aligned", "ja 😀")


def aligned(text: str, log_probability: float = -0.25) -> AlignedSegment:
    ids = [ord(char) for char in text]
    of = segment(ids, request=0, index=0)
    diagonal = [[float(t == s) for s in range(len(ids) + 1)] for t in range(len(ids))]
    made = hypothesis(of, ids, diagonal, [log_probability] * (len(ids) + 1))
    spans = tuple(Span(at, at + 1) for at in range(len(ids)))
    return align(made, text, DetokenizedText(text, spans))


def test_a_line() -> None:
    value = aligned("ja 😀")
    line = write_line(KEY, value)
    assert line.isascii()
    assert read_line(KEY, line) == value


def test_markup_and_what_is_not_the_rule() -> None:
    tags = (Tag(TagKind.OPEN, 0, Span(0, 0)), Tag(TagKind.ATOM, 1, Span(1, 2)))
    cut = replace(aligned("ja").hypothesis, finished=False, attention=array("f"))
    value = replace(aligned("ja"), hypothesis=cut, tags=tags, copied=CopyReason.MARKUP)
    assert read_line(KEY, write_line(KEY, value)) == value


def test_terms() -> None:
    uses = (
        TermUse(Term("Ja", "yes"), TermOutcome.FORCED, Span(0, 2), Span(0, 3)),
        TermUse(Term("x", "x"), TermOutcome.MISSED, Span(3, 4), None),
    )
    value = replace(aligned("ja"), terms=uses)
    assert read_line(KEY, write_line(KEY, value)) == value


def test_a_search_and_alternatives() -> None:
    value = aligned("ja 😀")
    steps = (PrefixStep(5, (5, 9)), PrefixStep(7, (7,)))
    searched = replace(value.hypothesis.segment, search=Search(4, 4, True), prefix=steps)
    changed = replace(value, hypothesis=replace(value.hypothesis, segment=searched))
    other = replace(changed, target=DetokenizedText("yes", (Span(0, 3),)), score=0.25)
    changed = replace(changed, alternatives=(other,))
    assert read_line(KEY, write_line(KEY, changed)) == changed


@given(
    st.text(min_size=1, max_size=20),
    st.floats(-20, 0, width=32),
    st.tuples(st.text(), st.text(), st.text()),
)
def test_every_line_is_read_as_it_was_written(
    text: str, log_probability: float, key: tuple[str, str, str]
) -> None:
    value = aligned(text, log_probability)
    assert read_line(key, write_line(key, value)) == value


def test_another_key() -> None:
    line = write_line(KEY, aligned("ja"))
    assert read_line(("model", "hard aligned", "nein"), line) is None
    assert read_line(("another", *KEY[1:]), line) is None
    assert read_line(("model", "none", KEY[2]), line) is None


@given(st.data())
def test_a_line_that_was_changed_anywhere(data: DataObject) -> None:
    line = write_line(KEY, aligned("ja"))
    at = data.draw(st.integers(0, len(line) - 1))
    other = data.draw(st.characters(max_codepoint=126).filter(lambda char: char != line[at]))
    assert read_line(KEY, line[:at] + other + line[at + 1 :]) is None
    assert read_line(KEY, line[:at]) is None


def test_no_line_at_all() -> None:
    assert read_line(KEY, "") is None
    assert read_line(KEY, "{}") is None
