"""Stages 4 and 5: the queue of segments (maxi-batch) and the mini-batches cut from it.

    add ---> [ segments of all requests, in order of arrival ] --take--> MiniBatch
                                   ^ drop(request)

Invariants: a segment leaves the queue exactly once, by `take` or by `drop`; the oldest segment is in
the next mini-batch, so nothing starves; a mini-batch is within the limits, but for a single segment
that is over them by itself.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from dragoman.config import Limits
from dragoman.errors import QueueFullError
from dragoman.tokenizer import EOS_ID
from dragoman.types import MiniBatch, Segment

# Segments among which companions of the oldest are looked for.
MAXI_BATCH = 1_000


class SegmentQueue:
    """Segments that wait for the engine."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: list[Segment] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, segments: Sequence[Segment]) -> None:
        """Put segments at the end.

        Raises:
            QueueFullError: they would not all fit; none is added.
        """
        requested = len(self._waiting) + len(segments)
        if requested > self._limits.queued_sentences:
            raise QueueFullError(requested, self._limits.queued_sentences)
        self._waiting.extend(segments)

    def drop(self, request: int) -> int:
        """Forget the segments of a request; returns how many there were."""
        before = len(self._waiting)
        self._waiting = [segment for segment in self._waiting if segment.request != request]
        return before - len(self._waiting)

    def take(self) -> MiniBatch:
        """The oldest segment and companions of similar length, padded.

        Raises:
            IndexError: the queue is empty.
        """
        window = range(min(MAXI_BATCH, len(self._waiting)))
        by_width = sorted(window, key=lambda index: self._waiting[index].width)
        widths = [self._waiting[index].width for index in by_width]
        first, last = _neighbours(widths, by_width.index(0), self._limits)
        chosen = by_width[first:last]
        batch = mini_batch([self._waiting[index] for index in chosen])
        for index in sorted(chosen, reverse=True):
            del self._waiting[index]
        return batch


def _neighbours(widths: Sequence[int], start: int, limits: Limits) -> tuple[int, int]:
    """The widest range around `start` in sorted widths that fits; shorter rows join first.

    Shorter companions cost padding but no more steps of the widest row; longer ones widen all rows.
    """
    first, last = start, start + 1

    def fits(first: int, last: int) -> bool:
        rows = last - first
        return rows <= limits.batch_rows and rows * widths[last - 1] <= limits.batch_pieces

    while True:
        down = first > 0 and fits(first - 1, last)
        up = last < len(widths) and fits(first, last + 1)
        if not down and not up:
            return first, last
        # Take the side that wastes less padding.
        waste_down = widths[last - 1] - widths[first - 1] if down else 1 << 30
        waste_up = (widths[last] - widths[last - 1]) * (last - first) if up else 1 << 30
        if waste_up <= waste_down:
            last += 1
        else:
            first -= 1


def mini_batch(segments: Iterable[Segment]) -> MiniBatch:
    """Pad segments to one width. Rows end in EOS and are padded with EOS."""
    rows = tuple(segments)
    width = max(segment.width for segment in rows)
    ids: array[int] = array("i")
    for segment in rows:
        ids.extend(piece.id for piece in segment.pieces)
        ids.extend([EOS_ID] * (width - len(segment.pieces)))
    return MiniBatch(
        segments=rows,
        ids=ids,
        lengths=array("i", [segment.width for segment in rows]),
        limits=array("i", [segment.limit for segment in rows]),
        width=width,
    )
