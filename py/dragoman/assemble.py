"""Stage 9: translated segments and the gaps between them become one response."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.align import words
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    AnnotatedText,
    Notice,
    SentenceTranslation,
    SoftAlignment,
    Span,
    Timings,
    TranslationRequest,
    TranslationResponse,
    WordAlignment,
)


class _Words:
    """Collects the words of both texts while sentences are put together."""

    def __init__(self) -> None:
        self.source: list[Span] = []
        self.target: list[Span] = []
        self.links: list[tuple[int, int]] = []
        self.scores: list[float] = []

    def add(
        self,
        source: Sequence[Span],
        target: Sequence[Span],
        links: Sequence[tuple[int, int]],
        scores: Sequence[float],
        shifts: tuple[int, int],
    ) -> None:
        """Words of one sentence, which begins at `shifts` in the source and the target text."""
        first_source, first_target = len(self.source), len(self.target)
        self.source += [word.shifted(shifts[0]) for word in source]
        self.target += [word.shifted(shifts[1]) for word in target]
        self.links += [(first_source + s, first_target + t) for s, t in links]
        self.scores += scores

    def alignment(self) -> WordAlignment:
        return WordAlignment(
            tuple(self.source), tuple(self.target), tuple(self.links), tuple(self.scores)
        )


def assemble(
    request: TranslationRequest,
    annotated: AnnotatedText,
    parts: Sequence[Span | AlignedSegment],
    notices: Sequence[Notice],
    timings: Timings,
) -> TranslationResponse:
    """The response of a request.

    Args:
        parts: sentences in the order of the text: translated, or the span of one that is copied.
    """
    original = annotated.original
    pieces_of_text: list[str] = []
    sentences: list[SentenceTranslation] = []
    collected = _Words()
    read = written = 0

    def write(text: str) -> None:
        nonlocal written
        pieces_of_text.append(text)
        written += len(text)

    for part in parts:
        span = part if isinstance(part, Span) else part.hypothesis.segment.span
        write(original[read : span.start])
        start = written
        if isinstance(part, Span):
            write(span.of(original))
            _add_copied(request, original, span, start, collected)
            sentences.append(SentenceTranslation(span, Span(start, written), 1.0))
        else:
            write(part.target.text)
            collected.add(
                part.source_words, part.target_words, part.links, part.word_scores,
                (span.start, start),
            )  # fmt: skip
            soft = _soft(part, start) if request.alignment is AlignmentKind.SOFT else None
            sentences.append(SentenceTranslation(span, Span(start, written), part.score, soft))
        read = span.end
    write(original[read:])
    return TranslationResponse(
        request=request,
        text="".join(pieces_of_text),
        sentences=tuple(sentences),
        alignment=collected.alignment(),
        warnings=tuple(notices),
        timings=timings,
    )


def _add_copied(
    request: TranslationRequest, original: str, span: Span, start: int, collected: _Words
) -> None:
    if request.alignment is AlignmentKind.NONE:
        return
    found = words(span.of(original))
    diagonal = [(index, index) for index in range(len(found))]
    collected.add(found, found, diagonal, [1.0] * len(found), (span.start, start))


def _soft(part: AlignedSegment, start: int) -> SoftAlignment:
    segment = part.hypothesis.segment
    end = len(segment.span)
    source = [*(piece.span for piece in segment.pieces), Span(end, end)]
    return SoftAlignment(
        source=tuple(span.shifted(segment.span.start) for span in source),
        target=tuple(span.shifted(start) for span in part.target.spans),
        matrix=part.hypothesis.attention,
    )
