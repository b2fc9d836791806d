"""Stage 10: translated segments and the gaps between them become one response."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dragoman.markup.bits import Work, at_once
from dragoman.text.align import words
from dragoman.types import (
    AlignedSegment,
    AlignmentKind,
    Alternative,
    AnnotatedText,
    Content,
    MemoryMatch,
    Notice,
    PlacedElement,
    SentenceTranslation,
    SoftAlignment,
    Span,
    Tag,
    TagKind,
    TermUse,
    Timings,
    TranslationRequest,
    TranslationResponse,
    WordAlignment,
)

# Put together before others have their turn: a sentence of a model has 100 words and more.
SENTENCES = 50


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


class _Markup:
    """Nests what comes as a flat run."""

    def __init__(self) -> None:
        self._open: list[list[Span | PlacedElement]] = [[]]

    def add(self, tags: Iterable[Tag], shift: int) -> None:
        """Tokens of a stretch of the response that begins at `shift`."""
        for tag in tags:
            items = self._open[-1]
            if tag.kind is TagKind.OPEN:
                self._open.append([])
            elif tag.kind is TagKind.CLOSE:
                self._open.pop()
                self._open[-1].append(PlacedElement(tag.element, tuple(items)))
            elif tag.kind is TagKind.ATOM:
                items.append(PlacedElement(tag.element))
            elif items and isinstance(items[-1], Span):  # text is one span until the next tag
                items[-1] = Span(items[-1].start, tag.span.end + shift)
            else:
                items.append(tag.span.shifted(shift))

    def content(self) -> Content:
        return tuple(self._open[0])


def assemble(
    request: TranslationRequest,
    annotated: AnnotatedText,
    parts: Sequence[Span | AlignedSegment],
    notices: Sequence[Notice],
    timings: Timings,
    good_from: float = 0.0,
) -> TranslationResponse:
    """The response of a request.

    Args:
        parts: sentences in the order of the text: translated, or the span of one that is copied.
        good_from: sentences with a score below it are doubtful.
    """
    return at_once(assembled_bit_by_bit(request, annotated, parts, notices, timings, good_from))


def assembled_bit_by_bit(
    request: TranslationRequest,
    annotated: AnnotatedText,
    parts: Sequence[Span | AlignedSegment],
    notices: Sequence[Notice],
    timings: Timings,
    good_from: float,
) -> Work[TranslationResponse]:
    """The same, bit by bit."""
    writer = _Writer(request, annotated, good_from)
    before: Span | None = None
    for count, part in enumerate(parts, 1):
        span = part if isinstance(part, Span) else part.hypothesis.segment.span
        writer.source(annotated.gap(before, span), Span(before.end if before else 0, span.start))
        if isinstance(part, Span):
            writer.copied(part)
        else:
            writer.translated(part)
        before = span
        if not count % SENTENCES:
            yield
    rest = Span(before.end if before else 0, len(annotated.text))
    writer.source(annotated.gap(before, None), rest)
    return writer.response(notices, timings)


class _Writer:
    """Puts a response together, from left to right."""

    def __init__(
        self, request: TranslationRequest, annotated: AnnotatedText, good_from: float
    ) -> None:
        self._request, self._annotated, self._good_from = request, annotated, good_from
        self._texts: list[str] = []
        self._written = 0
        self._sentences: list[SentenceTranslation] = []
        self._words = _Words()
        self._markup = _Markup()
        self._terms: list[TermUse] = []

    def source(self, tags: Sequence[Tag], span: Span) -> None:
        """What is not translated, with its markup: the source's own."""
        start = self._written
        self._write(self._annotated.origin(span).of(self._annotated.original))
        shift = start - self._annotated.origin(span).start
        origins = [replace(tag, span=self._annotated.origin(tag.span)) for tag in tags]
        self._markup.add(origins, shift)

    def copied(self, span: Span) -> None:
        """A sentence that stays as it is."""
        start = self._written
        self.source(self._annotated.run(span), span)
        origin = self._annotated.origin(span)
        self._add_sentence(span, start, 1.0)
        if self._request.alignment is AlignmentKind.NONE:
            return
        both = words(origin.of(self._annotated.original))
        diagonal = [(index, index) for index in range(len(both))]
        self._words.add(both, both, diagonal, [1.0] * len(both), (origin.start, start))

    def translated(self, part: AlignedSegment) -> None:
        start, span = self._written, part.hypothesis.segment.span
        self._write(part.target.text)
        self._markup.add(part.tags, start)
        self._terms += [self._placed(use, span.start, start) for use in part.terms]
        kind = self._request.alignment
        wants_soft = kind is AlignmentKind.SOFT and not part.from_memory
        soft = self._soft(part, start) if wants_soft else None
        self._add_sentence(span, start, part.score, soft, self._others(part), part.from_memory)
        if kind is not AlignmentKind.NONE:
            sources = [
                self._annotated.origin(word.shifted(span.start)) for word in part.source_words
            ]
            self._words.add(sources, part.target_words, part.links, part.word_scores, (0, start))

    def response(self, notices: Sequence[Notice], timings: Timings) -> TranslationResponse:
        return TranslationResponse(
            request=self._request,
            text="".join(self._texts),
            sentences=tuple(self._sentences),
            alignment=self._words.alignment(),
            warnings=tuple(self._located(notice) for notice in notices),
            content=self._markup.content() if self._annotated.tags else None,
            terms=tuple(self._terms),
            timings=timings,
        )

    def _placed(self, use: TermUse, source: int, target: int) -> TermUse:
        """The use of a term in a sentence that begins at `source` and at `target`."""
        return replace(
            use,
            source=use.source and self._annotated.origin(use.source.shifted(source)),
            target=use.target and use.target.shifted(target),
        )

    def _write(self, text: str) -> None:
        self._texts.append(text)
        self._written += len(text)

    def _add_sentence(
        self,
        span: Span,
        start: int,
        score: float,
        soft: SoftAlignment | None = None,
        alternatives: tuple[Alternative, ...] = (),
        from_memory: bool = False,
    ) -> None:
        source = self._annotated.origin(span)
        target = Span(start, self._written)
        self._sentences.append(
            SentenceTranslation(
                source, target, score, soft, self._is_doubtful(score), alternatives, from_memory
            )
        )

    def _is_doubtful(self, score: float) -> bool:
        return score < self._good_from

    def _others(self, part: AlignedSegment) -> tuple[Alternative, ...]:
        """Those of a memory, then what the model says beside them."""
        near = tuple(map(self._near, part.near))
        known = {other.text for other in near}
        own = (one for one in part.alternatives if one.target.text not in known)
        return (*near, *map(self._alternative, own))

    def _near(self, match: MemoryMatch) -> Alternative:
        text = match.entry.target
        both = words(text) if self._request.alignment is not AlignmentKind.NONE else ()
        scores = (1.0,) * len(both)
        source = match.entry.source
        return Alternative(text, match.similarity, both, (), scores, memory_source=source)

    def _alternative(self, part: AlignedSegment) -> Alternative:
        """Of a sentence whose source words come next."""
        text, score = part.target.text, part.score
        doubtful = self._is_doubtful(score)
        if self._request.alignment is AlignmentKind.NONE:
            return Alternative(text, score, doubtful=doubtful)
        first = len(self._words.source)
        links = tuple((first + source, target) for source, target in part.links)
        return Alternative(text, score, part.target_words, links, part.word_scores, doubtful)

    def _soft(self, part: AlignedSegment, start: int) -> SoftAlignment:
        segment = part.hypothesis.segment
        end = len(segment.span)
        source = [*(piece.span for piece in segment.pieces), Span(end, end)]
        return SoftAlignment(
            source=tuple(
                self._annotated.origin(span.shifted(segment.span.start)) for span in source
            ),
            target=tuple(span.shifted(start) for span in part.target.spans),
            matrix=part.hypothesis.attention,
        )

    def _located(self, notice: Notice) -> Notice:
        if notice.span is None or not self._annotated.stand_ins:
            return notice
        return replace(notice, span=self._annotated.origin(notice.span))
