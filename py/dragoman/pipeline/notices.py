"""What a client is told about the translation of a sentence."""

from __future__ import annotations

from dragoman.types import CopyReason, Notice, Span


def sentence_copied(span: Span, language: str) -> Notice:
    return Notice("sentence-copied", f"no letters of {language!r}: copied unchanged", span)


def sentence_wrapped(span: Span, parts: int) -> Notice:
    return Notice("sentence-wrapped", f"an over-long sentence was cut into {parts} parts", span)


def translation_cut(span: Span) -> Notice:
    return Notice("translation-cut", "the translation reached its length limit", span)


def loop_cut(span: Span) -> Notice:
    return Notice("loop-cut", "the translation repeated itself: said once only", span)


def sentence_kept(why: CopyReason, span: Span) -> Notice:
    message = {
        CopyReason.MARKUP: "a translation too short for its markup: left as it was",
        CopyReason.WORDLESS: "a translation without a word: left as it was",
    }[why]
    return Notice(why.value, message, span)
