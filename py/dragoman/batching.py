"""Stages 4 and 5: the queue of segments (maxi-batch) and the mini-batches cut from it.

    add ---> [ segments of all requests, in order of arrival ] --take--> MiniBatch
                                   ^ drop(request)

Invariants: a segment leaves the queue exactly once, by `take` or by `drop`; the oldest segment is
in the next mini-batch, so nothing starves; a mini-batch is within the limits, but for a single
segment that is over them by itself.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from dragoman.config import Limits
from dragoman.errors import QueueFullError
from dragoman.types import EOS_ID, MiniBatch, Segment

# Segments among which companions of the oldest are looked for.
MAXI_BATCH = 1_000


class SegmentQueue:
    """Segments that wait for the engine.

    The cost of `drop` is that of the request's own segments, so that cancelling many requests, or
    closing, is linear.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        # In order of arrival, by identity: (request, index).
        self._waiting: dict[tuple[int, int], Segment] = {}
        self._of_request: dict[int, set[int]] = defaultdict(set)

    def __len__(self) -> int:
        return len(self._waiting)

    def has_room(self, count: int) -> bool:
        """Whether so many more segments would fit."""
        return len(self._waiting) + count <= self._limits.queued_sentences

    def add(self, segments: Sequence[Segment]) -> None:
        """Put segments at the end.

        Raises:
            QueueFullError: they would not all fit; none is added.
        """
        if not self.has_room(len(segments)):
            requested = len(self._waiting) + len(segments)
            raise QueueFullError(requested, self._limits.queued_sentences)
        for segment in segments:
            self._waiting[segment.request, segment.index] = segment
            self._of_request[segment.request].add(segment.index)

    def drop(self, request: int) -> int:
        """Forget the segments of a request; returns how many there were."""
        indexes = self._of_request.pop(request, ())
        for index in indexes:
            del self._waiting[request, index]
        return len(indexes)

    def take(self) -> MiniBatch:
        """The oldest segment and companions of similar length, padded.

        Raises:
            IndexError: the queue is empty.
        """
        window = list(islice(self._waiting.values(), MAXI_BATCH))
        oldest = window[0]
        window.sort(key=lambda segment: segment.width)
        widths = [segment.width for segment in window]
        start = next(place for place, segment in enumerate(window) if segment is oldest)
        first, last = _neighbours(widths, start, self._limits)
        for segment in window[first:last]:
            self._remove(segment)
        return mini_batch(window[first:last])

    def _remove(self, segment: Segment) -> None:
        del self._waiting[segment.request, segment.index]
        others = self._of_request[segment.request]
        others.remove(segment.index)
        if not others:
            del self._of_request[segment.request]


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
