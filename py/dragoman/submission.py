"""A request under way, as ordinary code holds it: the native twin of a `TranslationHandle`.

    any thread                              the translator's event loop
    Submission.prioritize, cancel  ------>  RunningRequest ---> handle
               result              <------  concurrent future

Dropping it cancels, as dropping a handle does.
"""

from __future__ import annotations

import asyncio
import weakref
from concurrent.futures import CancelledError, Future

from dragoman.errors import RequestCancelledError
from dragoman.router import Router
from dragoman.service import ProgressListener, TranslationHandle
from dragoman.types import Priority, TranslationRequest, TranslationResponse


class RunningRequest:
    """The loop's side: it submits, and passes on what comes before and after."""

    def __init__(self, request: TranslationRequest, listener: ProgressListener | None) -> None:
        self.request, self._listener = request, listener
        self._priority: Priority | None = None
        self._handle: TranslationHandle | None = None

    async def run(self, router: Router) -> TranslationResponse:
        """Submit and wait; cancelling the task that waits cancels the request."""
        return await router.translate(self.request, self._listener, self._submitted)

    def prioritize(self, priority: Priority) -> None:
        """For the leg under way, and for those to come."""
        self._priority = priority
        if self._handle is not None:
            self._handle.prioritize(priority)

    def _submitted(self, handle: TranslationHandle) -> None:
        self._handle = handle
        if self._priority is not None:
            handle.prioritize(self._priority)


class Submission:
    """What `Translator.submit` gives back; any thread may use it."""

    def __init__(
        self,
        running: RunningRequest,
        future: Future[TranslationResponse],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._running, self._future, self._loop = running, future, loop
        weakref.finalize(self, future.cancel).atexit = False

    def result(self, timeout: float | None = None) -> TranslationResponse:
        """Wait for the response.

        Args:
            timeout: seconds; the request goes on when they are over.

        Raises:
            DragomanError: in which the request ended.
            TimeoutError: it has not ended within `timeout`.
        """
        try:
            return self._future.result(timeout)
        except CancelledError as error:
            raise RequestCancelledError("the request was cancelled") from error

    def done(self) -> bool:
        """Whether it has ended, one way or another."""
        return self._future.done()

    def cancel(self) -> None:
        """Take the request back: `result` raises `RequestCancelledError`, if not ended."""
        self._future.cancel()

    def prioritize(self, priority: Priority | str) -> None:
        """Give what still waits another priority."""
        if not self._future.done():
            wanted = Priority(priority)
            self._loop.call_soon_threadsafe(self._running.prioritize, wanted)
