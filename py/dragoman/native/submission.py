"""A request under way, as ordinary code holds it: the native twin of a `TranslationHandle`.

    any thread                              the translator's event loop
    Submission.prioritize, cancel  ------>  Ticket, task
               result              <------  concurrent future

Dropping it cancels, as dropping a handle does.
"""

from __future__ import annotations

import asyncio
import weakref
from concurrent.futures import CancelledError, Future
from contextlib import suppress

from dragoman.errors import RequestCancelledError
from dragoman.native.origin import Origin
from dragoman.service.ticket import Ticket
from dragoman.types import Priority, TranslationResponse


class Submission:
    """What `Translator.submit` gives back; any thread may use it."""

    def __init__(
        self,
        ticket: Ticket,
        future: Future[TranslationResponse],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._ticket, self._future, self._loop = ticket, future, loop
        self._origin = Origin()
        dropped = weakref.finalize(self, future.cancel)
        dropped.atexit = False
        # A finalizer is held until then, and so would be an error with the frames that it went
        # through, of which one may hold this.
        future.add_done_callback(lambda _: dropped.detach())

    def result(self, timeout: float | None = None) -> TranslationResponse:
        """Wait for the response.

        Args:
            timeout: seconds; the request goes on when they are over.

        Raises:
            DragomanError: in which the request ended.
            TimeoutError: it has not ended within `timeout`.
            EngineError: this process is a fork of the one that has the translator.
        """
        if not self._future.done():
            self._origin.check()
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
        if not self._future.done() and self._origin.is_here:
            wanted = Priority(priority)
            with suppress(RuntimeError):  # the loop has ended, and the request with it
                self._loop.call_soon_threadsafe(self._ticket.prioritize, wanted)
