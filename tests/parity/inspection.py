"""What the parity suite asks of the core in both hosts: this very file runs in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dragoman.types import AlignedSegment, Segment, TranslationRequest

if TYPE_CHECKING:
    from dragoman.pipeline.pipeline import Pipeline

# A part of a text: its start and end, and the id, start and end of each piece; none of one that is
# copied, or in the list of formulas.
Part = tuple[int, int, list[tuple[int, int, int]] | None]


def parts(pipeline: Pipeline, text: str) -> list[Part]:
    """Sentences (or parts of over-long ones) with their pieces, in code points."""
    request = TranslationRequest(text, pipeline.manifest.source, pipeline.manifest.target)
    draft = pipeline.draft(0, request)
    return [_part(part) for made in pipeline.slices(draft) for part in made.parts]


def _part(part: Any) -> Part:
    if not isinstance(part, Segment):
        span = part.hypothesis.segment.span if isinstance(part, AlignedSegment) else part
        return span.start, span.end, None
    pieces = [(piece.id, piece.span.start, piece.span.end) for piece in part.pieces]
    return part.span.start, part.span.end, pieces
