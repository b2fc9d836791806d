from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

from dragoman.pipeline.notices import copied, of_parts, wrapped
from dragoman.types import (
    AlignedSegment,
    CopyReason,
    DetokenizedText,
    Hypothesis,
    Notice,
    Segment,
    Span,
    Term,
    TermOutcome,
    TermUse,
)


def part(start: int, **changes: Any) -> AlignedSegment:
    """A sentence of one character; `finished` and `loop_cut` are the hypothesis's."""
    of = {name: changes.pop(name) for name in ("finished", "loop_cut") if name in changes}
    segment = Segment(1, 0, Span(start, start + 1), (), 9)
    hypothesis = replace(Hypothesis(segment, (), (0.0,), array("f"), finished=True), **of)
    made = AlignedSegment(hypothesis, DetokenizedText("x", ()), (), (), (), (), 1.0)
    return replace(made, **changes)


def use(outcome: TermOutcome) -> TermUse:
    return TermUse(Term("Haus", "house"), outcome, Span(0, 1), None)


def test_a_sentence_without_a_flaw_has_none() -> None:
    assert of_parts([part(0), Span(1, 2), part(2, terms=(use(TermOutcome.SAID),))]) == []


def test_a_kind_after_the_other_each_in_the_order_of_the_text() -> None:
    parts = [
        part(0, loop_cut=True, finished=False),
        part(1, copied=CopyReason.WORDLESS),
        part(2, finished=False),
        part(3, terms=(use(TermOutcome.MISSED),)),
        part(4, copied=CopyReason.MARKUP),
    ]
    assert [(notice.code, notice.span) for notice in of_parts(parts)] == [
        ("translation-cut", Span(0, 1)),
        ("translation-cut", Span(2, 3)),
        ("loop-cut", Span(0, 1)),
        ("sentence-kept", Span(1, 2)),
        ("markup-kept", Span(4, 5)),
        ("term-missed", Span(3, 4)),
    ]


def test_of_a_copy_the_hypothesis_says_nothing() -> None:
    made = part(0, copied=CopyReason.WORDLESS, finished=False, loop_cut=True)
    assert [notice.code for notice in of_parts([made])] == ["sentence-kept"]


def test_what_was_not_translated() -> None:
    assert copied(Span(0, 3), "de") == Notice(
        "sentence-copied", "no letters of 'de': copied unchanged", Span(0, 3)
    )
    assert wrapped(Span(0, 3), 4).message == "an over-long sentence was cut into 4 parts"
