"""A translated sentence as a line of text, which a host may keep; and back, or not at all.

    line: CHECK BODY     BODY: JSON; CHECK: of the layout, the key and BODY

A line is read for the key that it was written for, as it was written, or it is None: a line that
was cut, that belongs to another key, or of another layout does not pass its check. `FORMAT` changes
with the layout; what the stages make of a sentence may change with every release, so a host keeps
lines apart by the core's release too.
"""

from __future__ import annotations

import json
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from hashlib import sha256
from typing import Any

from dragoman.types import (
    AlignedSegment,
    CopyReason,
    DetokenizedText,
    Hypothesis,
    Piece,
    Search,
    Segment,
    Span,
    Tag,
    TagKind,
    Term,
    TermOutcome,
    TermUse,
    flat_prefixes,
    prefix_rows,
)

FORMAT = 5

Key = tuple[str, str, str]


def write_line(key: Key, value: AlignedSegment) -> str:
    """The line of a sentence: ASCII."""
    segment, search = value.hypothesis.segment, value.hypothesis.segment.search
    body = json.dumps(
        [
            [
                len(segment.span),
                segment.limit,
                [piece.id for piece in segment.pieces],
                _flat(piece.span for piece in segment.pieces),
                [getattr(search, field.name) for field in fields(search)],
                flat_prefixes([segment.prefix]).tolist(),
            ],
            *_hypothesis_data(value),
            [_hypothesis_data(other) for other in value.alternatives],
        ],
        separators=(",", ":"),
    )
    return f"{_check(key, body)} {body}"


def _hypothesis_data(value: AlignedSegment) -> list[list[Any]]:
    known = value.hypothesis
    return [
        [
            known.ids,
            _floats(known.log_probabilities),
            _floats(known.attention),
            known.finished,
            known.loop_cut,
        ],
        [
            value.target.text,
            _flat(value.target.spans),
            _flat(value.source_words),
            _flat(value.target_words),
            value.links,
            value.word_scores,
            value.score,
            [[tag.kind, tag.element, *_flat([tag.span])] for tag in value.tags],
            value.copied,
            [_term_line(use) for use in value.terms],
        ],
    ]


def read_line(key: Key, line: str) -> AlignedSegment | None:
    """The sentence of a line, placed at the start of request 0; None if it is no line for `key`."""
    check, _, body = line.partition(" ")
    if check != _check(key, body):
        return None
    try:
        return _read(json.loads(body))
    except (ValueError, TypeError):  # written by nobody that we know, with the right check
        return None


def _read(data: list[Any]) -> AlignedSegment:
    segment, hypothesis, aligned, others = data
    length, limit, source_ids, source_spans, search, prefix = segment
    pieces = tuple(map(Piece, source_ids, _spans(source_spans)))
    (steps,) = prefix_rows(array("i", prefix))
    own = Segment(0, 0, Span(0, length), pieces, limit, Search(*search), steps)
    alternatives = tuple(_aligned(own, *other) for other in others)
    return replace(_aligned(own, hypothesis, aligned), alternatives=alternatives)


def _aligned(segment: Segment, hypothesis_data: list[Any], aligned: list[Any]) -> AlignedSegment:
    ids, log_probabilities, attention, finished, loop_cut = hypothesis_data
    text, spans, source_words, target_words, links, word_scores, score, tags, copied, terms = (
        aligned
    )
    hypothesis = Hypothesis(
        segment,
        tuple(ids),
        tuple(_array(log_probabilities)),
        _array(attention),
        finished,
        loop_cut,
    )
    return AlignedSegment(
        hypothesis,
        DetokenizedText(text, tuple(_spans(spans))),
        tuple(_spans(source_words)),
        tuple(_spans(target_words)),
        tuple((source, target) for source, target in links),
        tuple(word_scores),
        score,
        tuple(Tag(TagKind(kind), element, Span(*span)) for kind, element, *span in tags),
        copied and CopyReason(copied),
        tuple(_term_use(*term) for term in terms),
    )


def _term_line(use: TermUse) -> list[object]:
    places = [place and _flat([place]) for place in (use.source, use.target)]
    return [use.term.source, use.term.target, use.outcome, *places]


def _term_use(source: str, target: str, outcome: str, *places: list[int] | None) -> TermUse:
    said, rendition = (None if place is None else Span(*place) for place in places)
    return TermUse(Term(source, target), TermOutcome(outcome), said, rendition)


def _check(key: Key, body: str) -> str:
    return sha256(json.dumps([FORMAT, *key, body]).encode()).hexdigest()[:32]


def _flat(spans: Iterable[Span]) -> list[int]:
    return [at for span in spans for at in (span.start, span.end)]


def _spans(flat: list[int]) -> Iterator[Span]:
    return map(Span, flat[::2], flat[1::2])


def _floats(numbers: Iterable[float]) -> str:
    """float32, little-endian: what an engine gives."""
    return b64encode(array("f", numbers).tobytes()).decode()


def _array(text: str) -> array[float]:
    return array("f", b64decode(text))
