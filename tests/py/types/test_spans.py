from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dragoman.types import Span, span_of

SPANS = st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda ends: Span(*sorted(ends)))


def test_a_span() -> None:
    assert len(Span(2, 5)) == 3
    assert Span(2, 5).of("0123456") == "234"
    assert Span(2, 5).shifted(-2) == Span(0, 3)
    assert Span(2, 5).within(Span(4, 9)) == Span(4, 5)


def test_neighbours_do_not_overlap() -> None:
    assert not Span(0, 2).overlaps(Span(2, 4))
    assert Span(0, 3).overlaps(Span(2, 4))


@given(SPANS, SPANS)
def test_what_overlaps_shares_places(one: Span, other: Span) -> None:
    shared = set(range(one.start, one.end)) & set(range(other.start, other.end))
    if shared:
        assert one.overlaps(other)
        assert one.within(other) == Span(min(shared), max(shared) + 1)
    elif one and other:
        assert not one.overlaps(other)


@given(SPANS)
def test_a_span_is_made_once(span: Span) -> None:
    made = span_of(span.start, span.end)
    assert made == span
    assert span_of(span.start, span.end) is made
