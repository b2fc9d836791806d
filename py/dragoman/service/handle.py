"""What a client holds of a request: its future, and what can be done about it.

    client ---> TranslationHandle ---> ResponseFuture      the service has a weak reference only
                                            |
    who awaits it, or hangs a callback on it, keeps it: the service holds it until it is done

When neither a handle nor a future is left, and nobody waits, the request is given up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any, Protocol

from dragoman.service.job import Job
from dragoman.service.progress import Progress
from dragoman.types import Priority, TranslationResponse


class ResponseFuture(asyncio.Future[TranslationResponse]):
    """Kept in `awaited` as long as somebody waits for it.

    A task that awaits a future is held by nothing but that future; the two would be thrown away
    together, and the task would never be told.
    """

    def __init__(self, awaited: set[asyncio.Future[TranslationResponse]]) -> None:
        super().__init__()
        self._awaited = awaited
        self._callbacks_of_others = 0

    def add_done_callback(
        self, fn: Callable[[Any], object], /, *, context: Context | None = None
    ) -> None:
        if not self.done():
            self._callbacks_of_others += 1
            self._awaited.add(self)
        super().add_done_callback(fn, context=context)

    def remove_done_callback(self, fn: Callable[[Any], object], /) -> int:
        removed = super().remove_done_callback(fn)
        self._callbacks_of_others -= removed
        if self._callbacks_of_others <= 0:
            self._awaited.discard(self)
        return removed

    def watch(self, fn: Callable[[Any], object]) -> None:
        """Call `fn` when done, without keeping the future for it."""
        super().add_done_callback(fn)


class JobOwner(Protocol):
    """What a handle needs of the service."""

    def cancel_job(self, job: Job) -> None: ...


class TranslationHandle:
    """What `submit` gives back: await `response`, look at `progress`, or `cancel`.

    A client that drops the handle, and neither keeps nor awaits its future, has cancelled.
    """

    def __init__(self, owner: JobOwner, job: Job, response: ResponseFuture) -> None:
        self._owner, self._job, self._response = owner, job, response

    @property
    def response(self) -> asyncio.Future[TranslationResponse]:
        """Ends in the response, or in a `DragomanError`."""
        return self._response

    @property
    def progress(self) -> Progress:
        return self._job.progress

    @property
    def priority(self) -> Priority:
        return self._job.ticket.priority

    def cancel(self) -> None:
        """Take the request back: its future ends in `RequestCancelledError`, if not ended."""
        self._owner.cancel_job(self._job)

    def prioritize(self, priority: Priority) -> None:
        """Give what still waits another priority; what is in the engine stays there."""
        self._job.ticket.prioritize(priority)
