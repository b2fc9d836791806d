"""Responses put together: side by side (`join`), and one after the other over a pivot (`compose`).

Of two legs, A to B and B to C, where the second translated the text that the first gave, sentence
by sentence of the first. A position is in the source A, the middle B or the target C.

Invariants of `compose`:

- Sentences and gaps: one sentence for each of the first leg's, in order; it covers the target of
  all parts that the second leg made of its middle. Gaps are the same text in A, B and C.
- Words: the source words are the first leg's, the target words the second's.
- Links: (a, c) is a link exactly if there is a chain: a link (a, b) of the first leg, a link
  (b', c) of the second, and b and b' overlap in the middle. So the source words of a composed link
  are those that the first leg gives for its middle words, and the target words those of the second.
- Soft: the matrix is [T, S], rows summing to 1 as those of the legs do: what a target piece looked
  at in the middle is handed on to what the middle looked at in the source, by overlap; what has no
  overlap, and what looked at the middle's end, looks at the end of the source.
- Scores: products of those of the legs, in [0, 1] and monotone in each of them.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from dragoman.types import (
    Alternative,
    Notice,
    SentenceCount,
    SentenceTranslation,
    SoftAlignment,
    Span,
    TermOutcome,
    TermUse,
    Timings,
    TranslationRequest,
    TranslationResponse,
    WordAlignment,
)

# --- side by side ------------------------------------------------------------------------------


def join(
    request: TranslationRequest, parts: Sequence[str | TranslationResponse]
) -> TranslationResponse:
    """Constant text and responses, one after the other, as one response.

    Constant text is a gap: it is the same on both sides. Worked: "# ", then a response of
    "Hallo." as "Hello.", gives "# Hallo." as "# Hello." with the sentence [2, 8), [2, 8).

    Args:
        request: what the response says was asked for; its text is replaced by the parts' own.
    """
    source = target = ""
    sentences: list[SentenceTranslation] = []
    source_words: list[Span] = []
    target_words: list[Span] = []
    links: list[tuple[int, int]] = []
    scores: list[float] = []
    warnings: list[Notice] = []
    terms: list[TermUse] = []
    timings = Timings()
    for part in parts:
        if isinstance(part, str):
            source += part
            target += part
            continue
        by = len(source), len(target)
        sentences += [_shifted(sentence, by, len(source_words)) for sentence in part.sentences]
        alignment = part.alignment
        links += [(len(source_words) + s, len(target_words) + t) for s, t in alignment.links]
        source_words += [word.shifted(by[0]) for word in alignment.source_words]
        target_words += [word.shifted(by[1]) for word in alignment.target_words]
        scores += alignment.scores
        terms += [
            replace(
                use,
                source=use.source and use.source.shifted(by[0]),
                target=use.target and use.target.shifted(by[1]),
            )
            for use in part.terms
        ]
        warnings += [
            replace(notice, span=notice.span and notice.span.shifted(by[0]))
            for notice in part.warnings
        ]
        timings = _side_by_side(timings, part.timings)
        source += part.request.text
        target += part.text
    alignment = WordAlignment(tuple(source_words), tuple(target_words), tuple(links), tuple(scores))
    return TranslationResponse(
        replace(request, text=source, sentences=None),
        target, tuple(sentences), alignment, tuple(warnings), terms=tuple(terms), timings=timings,
    )  # fmt: skip


def _shifted(sentence: SentenceTranslation, by: tuple[int, int], words: int) -> SentenceTranslation:
    """A sentence farther on, after so many source words."""
    soft = sentence.soft and SoftAlignment(
        tuple(span.shifted(by[0]) for span in sentence.soft.source),
        tuple(span.shifted(by[1]) for span in sentence.soft.target),
        sentence.soft.matrix,
    )
    source, target = sentence.source.shifted(by[0]), sentence.target.shifted(by[1])
    others = tuple(
        replace(other, links=tuple((words + s, t) for s, t in other.links))
        for other in sentence.alternatives
    )
    return replace(sentence, source=source, target=target, soft=soft, alternatives=others)


def _side_by_side(one: Timings, other: Timings) -> Timings:
    """Work adds up; the waiting was at the same time."""
    return Timings(
        queued=max(one.queued, other.queued),
        tokenize=one.tokenize + other.tokenize,
        engine=one.engine + other.engine,
        assemble=one.assemble + other.assemble,
        total=max(one.total, other.total),
    )


# --- one after the other -----------------------------------------------------------------------


def compose(first: TranslationResponse, second: TranslationResponse) -> TranslationResponse:
    """The response of a translation over a middle language.

    Args:
        first: from A to B.
        second: from B to C; its request's text is the first's translation, its sentences lie
            inside the first's.

    Raises:
        ValueError: they do not follow on each other.
    """
    if first.text != second.request.text:
        raise ValueError("the second leg translated another text than the first gave")
    middle = _Middle(first, second)
    request = replace(first.request, target=second.request.target)
    return TranslationResponse(
        request=request,
        text=second.text,
        sentences=tuple(
            _composed(sentence, parts, middle, (first.alignment, second.alignment))
            for sentence, parts in zip(first.sentences, middle.parts, strict=True)
        ),
        alignment=_composed_words(first.alignment, second.alignment),
        warnings=(*first.warnings, *(middle.of_source(notice) for notice in second.warnings)),
        terms=tuple(_composed_terms(first.terms, second.terms)),
        page=_composed_page(first, second),
        timings=_one_after_the_other(first.timings, second.timings),
    )


def _composed_page(first: TranslationResponse, second: TranslationResponse) -> SentenceCount | None:
    """Sentences of a page; of which one is doubtful in which leg nobody can tell any more."""
    if first.page is None:
        return None
    return SentenceCount(first.page.all, max(first.page.doubtful, second.count.doubtful))


class _Middle:
    """The middle text: what of the second leg belongs to which sentence of the first.

    Attributes:
        parts: of each sentence of the first leg, the sentences that the second made of it.
    """

    def __init__(self, first: TranslationResponse, second: TranslationResponse) -> None:
        self._first, self._second = first, second
        self._ends = [sentence.source.end for sentence in second.sentences]
        self.parts: list[list[SentenceTranslation]] = []
        rest = 0
        for sentence in first.sentences:
            parts = []
            while rest < len(self._ends) and self._ends[rest] <= sentence.target.end:
                parts.append(second.sentences[rest])
                rest += 1
            if parts and parts[0].source.start < sentence.target.start:
                raise ValueError("a sentence of the second leg is in none of the first")
            self.parts.append(parts)
        if rest < len(self._ends):
            raise ValueError("a sentence of the second leg is in none of the first")

    def target(self, at: int) -> int:
        """Place in the target of a place in the middle that is inside no sentence."""
        before = bisect_right(self._ends, at)
        if not before:
            return at
        sentence = self._second.sentences[before - 1]
        return sentence.target.end + at - sentence.source.end

    def of_source(self, notice: Notice) -> Notice:
        """A notice about the middle, as one about the source sentences it came from."""
        if notice.span is None:
            return notice
        spans = [
            sentence.source
            for sentence in self._first.sentences
            if sentence.target.overlaps(notice.span)
        ]
        if not spans:
            return replace(notice, span=None)
        return replace(notice, span=Span(spans[0].start, spans[-1].end))


def _composed(
    sentence: SentenceTranslation,
    parts: Sequence[SentenceTranslation],
    middle: _Middle,
    alignments: tuple[WordAlignment, WordAlignment],
) -> SentenceTranslation:
    return SentenceTranslation(
        source=sentence.source,
        target=Span(middle.target(sentence.target.start), middle.target(sentence.target.end)),
        score=sentence.score * _mean(part.score for part in parts),
        soft=_composed_soft(sentence, parts),
        doubtful=sentence.doubtful or any(part.doubtful for part in parts),
        alternatives=tuple(
            _composed_alternative(sentence, other, *alignments)
            # Of several parts no alternative is one of the whole.
            for other in (parts[0].alternatives if len(parts) == 1 else ())
        ),
        from_memory=sentence.from_memory and all(part.from_memory for part in parts),
    )


def _composed_alternative(
    sentence: SentenceTranslation,
    other: Alternative,
    first: WordAlignment,
    second: WordAlignment,
) -> Alternative:
    """Another translation of the middle, as one of the source, whose first leg is `sentence`."""
    said = WordAlignment(second.source_words, other.target_words, other.links, other.scores)
    composed = _composed_words(first, said)
    return replace(
        other,
        score=sentence.score * other.score,
        links=composed.links,
        scores=composed.scores,
        doubtful=sentence.doubtful or other.doubtful,
    )


def _mean(scores: Iterable[float]) -> float:
    """Geometric; 1.0 of none."""
    known = list(scores)
    if 0.0 in known:
        return 0.0
    return math.exp(sum(map(math.log, known)) / len(known)) if known else 1.0


def _composed_terms(first: Sequence[TermUse], second: Sequence[TermUse]) -> Iterator[TermUse]:
    """The first leg's, and what became of them in the second, where they were to be kept."""
    for use in first:
        kept = next((other for other in second if _follows(use, other)), None)
        if use.outcome is TermOutcome.MISSED or kept is None:
            yield replace(use, outcome=TermOutcome.MISSED, target=None)
            continue
        said = kept.outcome is TermOutcome.SAID
        yield replace(use, outcome=use.outcome if said else kept.outcome, target=kept.target)


def _follows(use: TermUse, other: TermUse) -> bool:
    """Whether the second leg has what the first said; by name where there are no places."""
    if use.target is None or other.source is None:
        return use.term.target == other.term.source
    return use.target.overlaps(other.source)


def _composed_words(first: WordAlignment, second: WordAlignment) -> WordAlignment:
    sources: dict[int, list[int]] = {}
    for source, word in first.links:
        sources.setdefault(word, []).append(source)
    touching = [
        [word for word in words if word in sources]
        for words in _overlaps(second.source_words, first.target_words)
    ]
    links: set[tuple[int, int]] = set()
    through: dict[int, set[int]] = {}
    for word, target in second.links:
        for before in touching[word]:
            through.setdefault(target, set()).add(before)
            links.update((source, target) for source in sources[before])
    scores = tuple(
        score * _mean(first.scores[word] for word in sorted(through.get(target, ())))
        for target, score in enumerate(second.scores)
    )
    return WordAlignment(first.source_words, second.target_words, tuple(sorted(links)), scores)


def _overlaps(spans: Sequence[Span], others: Sequence[Span]) -> Iterator[range]:
    """Of each span, which of the others it overlaps; both in order, the others apart."""
    first = 0
    for span in spans:
        while first < len(others) and others[first].end <= span.start:
            first += 1
        last = first
        while last < len(others) and others[last].start < span.end:
            last += 1
        yield range(first, last)


# --- soft alignment ----------------------------------------------------------------------------


def _composed_soft(
    sentence: SentenceTranslation, parts: Sequence[SentenceTranslation]
) -> SoftAlignment | None:
    """The legs' matrices multiplied; a copied sentence passes the other leg's on."""
    source = sentence.soft or _identity_soft(sentence, parts)
    if source is None:
        return None
    target: list[Span] = []
    matrix: array[float] = array("f")
    for part in parts:
        handing = part.soft or _copying(source, part)
        target += handing.target
        matrix.extend(_product(handing, source))
    return SoftAlignment(source.source, tuple(target), matrix)


def _identity_soft(
    sentence: SentenceTranslation, parts: Sequence[SentenceTranslation]
) -> SoftAlignment | None:
    """Of a sentence that the first leg copied: the second's source pieces look at themselves."""
    pieces = [span for part in parts if part.soft for span in part.soft.source[:-1]]
    if not pieces:
        return None
    by = sentence.source.start - sentence.target.start
    end = Span(sentence.source.end, sentence.source.end)
    columns = len(pieces) + 1
    matrix = array("f", [0.0]) * (len(pieces) * columns)
    for row in range(len(pieces)):
        matrix[row * columns + row] = 1.0
    return SoftAlignment((*(span.shifted(by) for span in pieces), end), tuple(pieces), matrix)


def _copying(source: SoftAlignment, part: SentenceTranslation) -> SoftAlignment:
    """Of a sentence that the second leg copied: its pieces are those of the first leg's target."""
    kept = [span for span in source.target if span.overlaps(part.source)]
    by = part.target.start - part.source.start
    columns = len(kept) + 1
    matrix = array("f", [0.0]) * (len(kept) * columns)
    for row in range(len(kept)):
        matrix[row * columns + row] = 1.0
    end = Span(part.source.end, part.source.end)
    return SoftAlignment((*kept, end), tuple(span.shifted(by) for span in kept), matrix)


def _product(second: SoftAlignment, first: SoftAlignment) -> Iterator[float]:
    """[T of the second, S of the first], row by row."""
    columns, middle = len(first.source), len(second.source)
    shares = [_shares(span, first.target) for span in second.source[:-1]]
    for row in range(len(second.target)):
        sums = [0.0] * columns
        for column, weight in enumerate(second.matrix[row * middle : (row + 1) * middle]):
            handed = shares[column] if column < middle - 1 else []
            if not handed:
                sums[-1] += weight  # the end of the middle, or what stands for nothing in it
            for piece, share in handed:
                start = piece * columns
                for place, inner in enumerate(first.matrix[start : start + columns]):
                    sums[place] += weight * share * inner
        yield from sums


def _shares(span: Span, pieces: Sequence[Span]) -> list[tuple[int, float]]:
    """Of a piece of the second leg's source: the first leg's target pieces, by overlap, sum 1."""
    overlaps = [
        (index, min(span.end, piece.end) - max(span.start, piece.start))
        for index, piece in enumerate(pieces)
        if piece.overlaps(span)
    ]
    total = sum(length for _, length in overlaps)
    return [(index, length / total) for index, length in overlaps if length > 0]


def _one_after_the_other(first: Timings, second: Timings) -> Timings:
    return Timings(*(getattr(first, name) + getattr(second, name) for name in Timings.__slots__))
