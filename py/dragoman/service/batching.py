"""Stages 4 and 5: the queue of segments (maxi-batch) and the mini-batches cut from it.

    add ---> [ a line for each priority: its requests, and the segments of each ] --take--> rows
                           ^ prioritize(request)        ^ drop(request)

Who leads the next mini-batch: the priority whose turn it is (`turns`), the request at the head of
its line, that request's first segment. A request that has led goes to the end of its line, so a
short one does not wait behind all of a long one.

Who goes along: segments of the same priority and of similar length; then others, where a row is
free and they make it neither wider nor longer, and few enough not to make it much slower.

Invariants: a segment leaves the queue exactly once, by `take` or by `drop`; each leads after a
bounded number of mini-batches, so nothing starves; a mini-batch is within the limits, but for a
single segment that is over them by itself.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from dragoman.config import Limits
from dragoman.errors import QueueFullError
from dragoman.service.turns import Turns
from dragoman.types import EOS_ID, MiniBatch, Priority, Segment, flat_prefixes

# Segments of one priority among which companions are looked for.
MAXI_BATCH = 1_000
# Of so many hypotheses a row, a mini-batch has as many rows as with one.
EASY_BEAM = 4
# A mini-batch of so many rows takes as long a row as a full one (docs/adr/0052).
FEW_ROWS = 16


@dataclass(slots=True)
class _Waiting:
    """What waits of one request, in the order of its text."""

    line: _Line
    segments: dict[int, Segment] = field(default_factory=dict)
    characters: int = 0


@dataclass(slots=True)
class _Line:
    """The requests of one priority that have segments waiting; the head leads next."""

    requests: OrderedDict[int, _Waiting] = field(default_factory=OrderedDict)
    sentences: int = 0
    characters: int = 0

    def segments(self) -> Iterator[Segment]:
        """Those of the head first."""
        for waiting in self.requests.values():
            yield from waiting.segments.values()


class SegmentQueue:
    """Segments that wait for the engine.

    `drop` and `prioritize` cost the same however much waits, so that cancelling many requests, or
    closing, is linear.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._lines = tuple(_Line() for _ in Priority)
        self._waiting: dict[int, _Waiting] = {}
        self._turns = Turns(len(Priority), limits.patience)

    def __len__(self) -> int:
        return sum(line.sentences for line in self._lines)

    @property
    def characters(self) -> int:
        """Code points of the text that waits."""
        return sum(line.characters for line in self._lines)

    def overflow(self, segments: Sequence[Segment], priority: Priority) -> QueueFullError | None:
        """Why these do not fit, or None. An empty line takes any number: a slice is small."""
        line, limits = self._lines[priority.level], self._limits
        if not line.requests:
            return None
        sentences = line.sentences + len(segments)
        if sentences > limits.queued_sentences:
            return QueueFullError(sentences, limits.queued_sentences)
        characters = line.characters + sum(len(segment.span) for segment in segments)
        if characters > limits.queued_characters:
            return QueueFullError(characters, limits.queued_characters, "characters")
        return None

    def fills_batch(self) -> bool:
        """Whether some line has as much as a mini-batch may, if all of it is like its first."""
        rows, pieces = self._limits.batch_rows, self._limits.batch_pieces
        return any(
            line.sentences >= rows or line.sentences * next(line.segments()).width >= pieces
            for line in self._lines
            if line.sentences
        )

    def add(self, segments: Sequence[Segment], priority: Priority) -> None:
        """Put segments of requests at the end of a line; later ones of a request join its first.

        Raises:
            QueueFullError: they would not all fit; none is added.
        """
        overflow = self.overflow(segments, priority)
        if overflow:
            raise overflow
        self.put_back(segments, priority)

    def put_back(self, segments: Sequence[Segment], priority: Priority) -> None:
        """Put segments at the end of a line that have been in it: they need no other room."""
        for segment in segments:
            waiting = self._waiting.get(segment.request)
            if waiting is None:
                line = self._lines[priority.level]
                waiting = self._waiting[segment.request] = _Waiting(line)
                line.requests[segment.request] = waiting
            waiting.segments[segment.index] = segment
            _count(waiting, 1, len(segment.span))

    def drop(self, request: int) -> int:
        """Forget the segments of a request; returns how many there were."""
        waiting = self._waiting.pop(request, None)
        if waiting is None:
            return 0
        del waiting.line.requests[request]
        _count(waiting, -len(waiting.segments), -waiting.characters)
        return len(waiting.segments)

    def prioritize(self, request: int, priority: Priority) -> None:
        """Move what waits of a request to the end of another line, whether or not it has room."""
        waiting = self._waiting.get(request)
        line = self._lines[priority.level]
        if waiting is None or waiting.line is line:
            return
        del waiting.line.requests[request]
        number, characters = len(waiting.segments), waiting.characters
        _count(waiting, -number, -characters)
        waiting.line = line
        line.requests[request] = waiting
        _count(waiting, number, characters)

    def leads(self) -> Priority | None:
        """The most urgent priority that waits; None when nothing does."""
        return next((p for p in Priority if self._lines[p.level].requests), None)

    def take(self) -> tuple[Segment, ...]:
        """The rows of the next mini-batch.

        Raises:
            IndexError: the queue is empty.
        """
        if not self._waiting:
            raise IndexError("nothing waits")
        level = self._turns.choose([bool(line.requests) for line in self._lines])
        line = self._lines[level]
        leading = next(iter(line.requests))
        rows = _similar(line, self._limits)
        rows += self._fillers(level, rows)
        for segment in rows:
            self._remove(segment)
        if leading in line.requests:
            line.requests.move_to_end(leading)
        return tuple(rows)

    def _remove(self, segment: Segment) -> None:
        waiting = self._waiting[segment.request]
        del waiting.segments[segment.index]
        _count(waiting, -1, -len(segment.span))
        if not waiting.segments:
            del self._waiting[segment.request]
            del waiting.line.requests[segment.request]

    def _fillers(self, level: int, rows: Sequence[Segment]) -> list[Segment]:
        """Segments of other priorities for the rows that are left, the urgent ones first."""
        limits = self._limits
        width = max(segment.width for segment in rows)
        steps = max(segment.limit for segment in rows)
        room = min(_most_rows(rows[0], limits), limits.batch_pieces // width) - len(rows)
        share = len(rows) * limits.filler_percent // 100
        fillers: list[Segment] = []
        for other, line in enumerate(self._lines):
            most = room - len(fillers) if other < level else min(room, share) - len(fillers)
            if other != level and most > 0:
                window = islice(line.segments(), MAXI_BATCH)
                fitting = (
                    s
                    for s in window
                    if s.width <= width and s.limit <= steps and _alike(s, rows[0])
                )
                fillers += islice(fitting, most)
        return fillers


def _count(waiting: _Waiting, sentences: int, characters: int) -> None:
    waiting.characters += characters
    waiting.line.sentences += sentences
    waiting.line.characters += characters


def _similar(line: _Line, limits: Limits) -> list[Segment]:
    """The first segment and those whose length is nearest, within the limits of a mini-batch.

    At most half of what waits, unless that is little: while the engine has the rest, these are
    finished, and after the last mini-batch only few are left to be (guided self-scheduling,
    Polychronopoulos and Kuck 1987).
    """
    window = list(islice(line.segments(), MAXI_BATCH))
    leader = window[0]
    window = [segment for segment in window if _alike(segment, leader)]
    window.sort(key=lambda segment: segment.width)
    widths = [segment.width for segment in window]
    start = next(place for place, segment in enumerate(window) if segment is leader)
    most_rows = min(_most_rows(leader, limits), max(FEW_ROWS, (line.sentences + 1) // 2))
    first, last = _neighbours(widths, start, most_rows, limits)
    return window[first:last]


def _alike(one: Segment, other: Segment) -> bool:
    """Whether they may be searched together."""
    return one.search is other.search or one.search == other.search


def _most_rows(segment: Segment, limits: Limits) -> int:
    """Of a mini-batch: a step of it is to stay short, however wide the beam is."""
    return max(1, min(limits.batch_rows, limits.batch_rows * EASY_BEAM // segment.search.beam))


def _neighbours(
    widths: Sequence[int], start: int, most_rows: int, limits: Limits
) -> tuple[int, int]:
    """The widest range around `start` in sorted widths that fits; shorter rows join first.

    Shorter companions cost padding but no more steps of the widest row; longer ones widen all rows.
    """
    first, last = start, start + 1

    def fits(first: int, last: int) -> bool:
        rows = last - first
        return rows <= most_rows and rows * widths[last - 1] <= limits.batch_pieces

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
    prefixes = [row.prefix for row in rows]
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
        search=rows[0].search,
        prefixes=flat_prefixes(prefixes) if any(prefixes) else array("i"),
    )
