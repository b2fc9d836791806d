"""A text some of whose stretches are exchanged for others, and a response that is moved with it.

    bare text      what a model is shown: "Das ist sehr wichtig."
    edits          in order, apart; where something is put in of length 0: [8, 8) "**"
    edited text    what was asked, or is answered: "Das ist **sehr** wichtig."

Both sides of a response are bare, and both are edited: the source as it was, the target alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from dragoman.markup.bits import BIT, Work
from dragoman.types import (
    SentenceTranslation,
    SoftAlignment,
    Span,
    TranslationRequest,
    TranslationResponse,
)

_WORDS = 5_000  # moved before others have their turn


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a bare text, and what is there in the edited one."""

    span: Span
    text: str

    @property
    def longer(self) -> int:
        """Code points that it adds."""
        return len(self.text) - len(self.span)


class Edited:
    """Where everything of a bare text is in the edited one.

    Args:
        edits: in order, apart.
    """

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._starts = [edit.span.start for edit in edits]
        self._ends = [edit.span.end for edit in edits]
        self._longer = [0, *accumulate(edit.longer for edit in edits)]

    def text(self, bare: str) -> str:
        """The text, edited."""
        parts: list[str] = []
        read = 0
        for edit in self._edits:
            parts += bare[read : edit.span.start], edit.text
            read = edit.span.end
        return "".join([*parts, bare[read:]])

    def words(self, span: Span) -> Span:
        """Of words: nothing that was put in around them."""
        if not len(span):
            return self.whole(span)
        first, last = bisect_right(self._ends, span.start), bisect_left(self._starts, span.end)
        return Span(span.start + self._longer[first], span.end + self._longer[max(first, last)])

    def whole(self, span: Span) -> Span:
        """Of a sentence: what was put in at its edges may be its own."""
        if len(span):
            return self.words(span)
        at = span.start + self._longer[bisect_right(self._ends, span.start)]
        return Span(at, at)


def edited_bit_by_bit(
    response: TranslationResponse, asked: TranslationRequest, source: Edited, target: Edited
) -> Work[TranslationResponse]:
    """The response to a plain text without elements, made of the one to the bare text."""
    sentences = []
    for count, sentence in enumerate(response.sentences, 1):
        sentences.append(_moved(sentence, source, target))
        if not count % BIT:
            yield
    alignment = response.alignment
    source_words = yield from _words(source, alignment.source_words)
    target_words = yield from _words(target, alignment.target_words)
    return replace(
        response,
        request=asked,
        text=target.text(response.text),
        sentences=tuple(sentences),
        alignment=replace(alignment, source_words=source_words, target_words=target_words),
        warnings=tuple(
            replace(notice, span=notice.span and source.whole(notice.span))
            for notice in response.warnings
        ),
        content=None,
        terms=tuple(
            replace(
                use,
                source=use.source and source.words(use.source),
                target=use.target and target.words(use.target),
            )
            for use in response.terms
        ),
    )


def _words(edited: Edited, words: Sequence[Span]) -> Work[tuple[Span, ...]]:
    moved: list[Span] = []
    for start in range(0, len(words), _WORDS):
        moved += map(edited.words, words[start : start + _WORDS])
        yield
    return tuple(moved)


def _moved(sentence: SentenceTranslation, source: Edited, target: Edited) -> SentenceTranslation:
    soft = sentence.soft and SoftAlignment(
        tuple(map(source.words, sentence.soft.source)),
        tuple(map(target.words, sentence.soft.target)),
        sentence.soft.matrix,
    )
    return replace(
        sentence,
        source=source.whole(sentence.source),
        target=target.whole(sentence.target),
        soft=soft,
    )
