"""The open requests of a service, and how each ends: exactly once, and the first end counts.

    enter --> jobs --leave--> whoever works at it is told, then the client
                ^
                `-- by a response, an error, a client that cancels its future or throws it away

A request is held by its client, not here: one of which nobody can hear is given up.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count

from dragoman.errors import DragomanError, RequestCancelledError
from dragoman.service.counters import Counters
from dragoman.service.handle import ResponseFuture
from dragoman.service.job import Job
from dragoman.service.progress import RequestState
from dragoman.service.ticket import Ticket
from dragoman.types import TranslationRequest, TranslationResponse

EndListener = Callable[[TranslationResponse | DragomanError], object]
LeaveListener = Callable[[Job, RequestState], None]


class Ledger:
    """Belongs to the event loop of its service.

    Attributes:
        jobs: the open requests, by their ids.
        counters: what was done since the service was made.
        on_leave: what hears of each request that leaves, before its client does.
    """

    def __init__(self) -> None:
        self.jobs: dict[int, Job] = {}
        self.counters = Counters()
        self.on_leave: list[LeaveListener] = []
        self._awaited: set[asyncio.Future[TranslationResponse]] = set()
        self._ids = count(1)

    @property
    def held(self) -> int:
        """Requests that are open, or kept because somebody waits for them."""
        return max(len(self.jobs), len(self._awaited))

    def enter(
        self, request: TranslationRequest, ticket: Ticket, on_end: EndListener | None = None
    ) -> tuple[Job, ResponseFuture]:
        """Open a request; `on_end` as in `TranslationService.submit`."""
        loop = asyncio.get_running_loop()
        future = ResponseFuture(self._awaited)
        now = time.perf_counter()
        job = Job(next(self._ids), request, ticket.priority, weakref.ref(future), ticket, now)
        self.jobs[job.id] = job
        self.counters.submitted += 1
        job.timer = ticket.watch(partial(self._expire, job))
        job.abandon = weakref.finalize(future, partial(_tell, loop, partial(self._leave, job)))
        job.abandon.atexit = False
        future.watch(partial(self._ended, job))
        if on_end is not None:
            future.add_done_callback(partial(_call, on_end))
        return job, future

    def answer(self, job: Job, response: TranslationResponse) -> None:
        """End a request with its response, if it has not ended."""
        future = job.future()
        if future is None or future.done():
            return
        self._leave(job, RequestState.DONE)
        future.set_result(response)

    def fail(self, job: Job, error: DragomanError) -> None:
        """End a request with an error, if it has not ended; what waits of it is forgotten."""
        future = job.future()
        cancelled = isinstance(error, RequestCancelledError)
        self._leave(job, RequestState.CANCELLED if cancelled else RequestState.FAILED)
        if future is None or future.done():
            return
        future.set_exception(error)
        # The client may never look: that is no unhandled error of the event loop.
        future.exception()

    def fail_all(self, error: DragomanError) -> None:
        """End every open request with an error."""
        for job in list(self.jobs.values()):
            self.fail(job, error)

    def cancel_job(self, job: Job) -> None:
        """What a handle asks for."""
        self.fail(job, job.ticket.ending())

    def _expire(self, job: Job) -> None:
        if job.is_open:
            self.fail(job, job.ticket.ending(overdue=True))

    def _ended(self, job: Job, future: asyncio.Future[TranslationResponse]) -> None:
        """A future is done, be it by a client that cancelled it."""
        self._leave(job)
        self._awaited.discard(future)  # Somebody may have hung a callback on it meanwhile.

    def _leave(self, job: Job, end: RequestState = RequestState.CANCELLED) -> None:
        """Forget a request, at its end; the first end counts."""
        if self.jobs.pop(job.id, None) is None:
            return
        self.counters.ended[end] += 1
        job.ticket.give_back()
        future = job.future()
        if future is not None:
            self._awaited.discard(future)
        if job.abandon is not None:
            job.abandon.detach()
        if job.timer is not None:
            job.timer.cancel()
        for told in self.on_leave:
            told(job, end)


def _tell(loop: asyncio.AbstractEventLoop, news: Callable[[], None]) -> None:
    """Called where a future is thrown away, which may be in any thread and at any time."""
    with suppress(RuntimeError):  # The loop is closed: so is everything else.
        loop.call_soon_threadsafe(news)


def _call(on_end: EndListener, future: asyncio.Future[TranslationResponse]) -> None:
    try:
        on_end(_end(future))
    except SystemExit as error:  # Foreign code: it ends no loop, which others need.
        asyncio.get_running_loop().call_exception_handler(
            {"message": "a listener of a request's end failed", "exception": error}
        )


def _end(future: asyncio.Future[TranslationResponse]) -> TranslationResponse | DragomanError:
    if future.cancelled():
        return RequestCancelledError("the request was cancelled")
    error = future.exception()
    return error if isinstance(error, DragomanError) else future.result()
