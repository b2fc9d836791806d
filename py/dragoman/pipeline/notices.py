"""What a client should know about a sentence, beside its translation."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.types import AlignedSegment, CopyReason, Notice, Span, TermOutcome


def of_parts(parts: Sequence[Span | AlignedSegment]) -> list[Notice]:
    """Of the sentences of a response: a kind of notice after the other."""
    segments = [part for part in parts if isinstance(part, AlignedSegment)]
    made = [part for part in segments if not part.copied]
    return [
        *(_unfinished(_span(part)) for part in made if not part.hypothesis.finished),
        *(_loop_cut(_span(part)) for part in made if part.hypothesis.loop_cut),
        *(_copied_after_all(part.copied, _span(part)) for part in segments if part.copied),
        *(_term_missed(_span(part)) for part in segments if _misses_term(part)),
    ]


def _span(part: AlignedSegment) -> Span:
    return part.hypothesis.segment.span


def _misses_term(part: AlignedSegment) -> bool:
    return any(use.outcome is TermOutcome.MISSED for use in part.terms)


def copied(span: Span, language: str) -> Notice:
    return Notice("sentence-copied", f"no letters of {language!r}: copied unchanged", span)


def wrapped(span: Span, parts: int) -> Notice:
    return Notice("sentence-wrapped", f"an over-long sentence was cut into {parts} parts", span)


def _unfinished(span: Span) -> Notice:
    return Notice("translation-cut", "the translation reached its length limit", span)


def _loop_cut(span: Span) -> Notice:
    return Notice("loop-cut", "the translation repeated itself: said once only", span)


def _copied_after_all(why: CopyReason, span: Span) -> Notice:
    message = {
        CopyReason.MARKUP: "a translation too short for its markup: left as it was",
        CopyReason.WORDLESS: "a translation without a word: left as it was",
    }[why]
    return Notice(why.value, message, span)


def _term_missed(span: Span) -> Notice:
    return Notice("term-missed", "the translation lacks a term of the glossary", span)
