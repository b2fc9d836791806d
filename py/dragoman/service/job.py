"""A request under way: the only mutable record of the service, owned by its event loop.

 submit
   |
   v         first mini-batch            last sentence
QUEUED --------------------> RUNNING ---------------> DONE       (a response)
   |                            |
   |-- cancel, abandon, close --+-------------------> CANCELLED  (RequestCancelledError)
   `-- limit, deadline, engine -+-------------------> FAILED     (a typed error)
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field

from dragoman.errors import RequestCancelledError
from dragoman.markup.bits import BIT, Work
from dragoman.pipeline.draft import Draft
from dragoman.pipeline.page import Page
from dragoman.pipeline.pipeline import SLICE_CHARACTERS, Slice
from dragoman.service.progress import Progress, RequestState
from dragoman.service.ticket import Ticket
from dragoman.types import (
    AlignedSegment,
    Notice,
    Priority,
    Segment,
    Span,
    TranslationRequest,
    TranslationResponse,
)

SentenceState = Segment | Span | AlignedSegment


def source_span(part: SentenceState) -> Span:
    """What a part stands for, in the annotated text."""
    match part:
        case Span():
            return part
        case Segment():
            return part.span
        case AlignedSegment():
            return part.hypothesis.segment.span


@dataclass(eq=False, slots=True)
class Job:
    """Its future is held by the client, not here: a request that nobody can hear is given up.

    Attributes:
        priority: the line in which it waits; `ticket` has the one that is wanted.
        timer: of its deadline, where no scope keeps it.
        abandon: gives it up when its future is gone.
        page: of a request that is no plain text.
        drafting: the draft, bit by bit; None before and after.
        slices: what is left to split and tokenize; None before the first.
        pending: a slice that waits for room in the queue.
        parts: in the order of the text; a segment is still to be translated.
        open_segments: those of `parts` that are segments.
        prepared: whether all of the text is in `parts`.
        tokenize, engine, assemble: seconds so far; `submitted`, `started`: times.
    """

    id: int
    request: TranslationRequest
    priority: Priority
    future: weakref.ref[asyncio.Future[TranslationResponse]]
    ticket: Ticket
    submitted: float
    timer: asyncio.TimerHandle | None = None
    abandon: weakref.finalize[[], object] | None = None
    page: Page | None = None
    drafting: Work[Draft] | None = None
    draft: Draft | None = None
    slices: Iterator[Slice] | None = None
    pending: Slice | None = None
    parts: list[SentenceState] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    open_segments: int = 0
    prepared: bool = False
    tokenize: float = 0.0
    started: float | None = None
    engine: float = 0.0
    assemble: float = 0.0

    @property
    def is_open(self) -> bool:
        """Whether somebody can still hear of its end."""
        future = self.future()
        return future is not None and not future.done()

    @property
    def state(self) -> RequestState:
        future = self.future()
        if future is None or future.cancelled():
            return RequestState.CANCELLED
        if not future.done():
            return RequestState.QUEUED if self.started is None else RequestState.RUNNING
        error = future.exception()
        if error is None:
            return RequestState.DONE
        cancelled = isinstance(error, RequestCancelledError)
        return RequestState.CANCELLED if cancelled else RequestState.FAILED

    @property
    def progress(self) -> Progress:
        return Progress(self.state, len(self.parts) - self.open_segments, len(self.parts))

    @property
    def is_long(self) -> bool:
        """Whether its text is split and tokenized in several turns."""
        return len(self.request.text) > SLICE_CHARACTERS or len(self.request.elements) > BIT

    def report(self) -> None:
        """Tell the client."""
        if not self.ticket.wants_progress:
            return
        try:
            self.ticket.report(self.progress)
        except (Exception, SystemExit) as error:  # Foreign code: it ends no request, and no loop.
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a progress listener failed", "exception": error}
            )
