"""What is to be known of a request on its way: made once, at the door, and passed down to whatever
does something about it.

    cancelled   as everything in asyncio: the task that works within `scope` is cancelled
    deadline    one moment, from when the ticket was made: `scope` ends the work then, be it
                loading, waiting or translating. A service watches it itself only for who works
                without a scope
    priority    may change at any time: then who has the request is told
    progress    goes back up to the client; over several models it is that of one request

Except for making it, a ticket belongs to the event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Self

from dragoman.config import Limits
from dragoman.errors import (
    DeadlineError,
    DragomanError,
    InvalidRequestError,
    RequestCancelledError,
)
from dragoman.service.progress import Progress, ProgressListener, RequestState
from dragoman.types import Priority, TranslationRequest

PriorityListener = Callable[[Priority], None]


class Ticket:
    """Of one request.

    Args:
        deadline: seconds from now; None: no haste.
        on_progress: hears of progress, on the event loop.
    """

    def __init__(
        self,
        priority: Priority = Priority.INTERACTIVE,
        deadline: float | None = None,
        on_progress: ProgressListener | None = None,
    ) -> None:
        self._priority = Priority(priority)
        self._deadline = deadline
        self._due = None if deadline is None else time.monotonic() + deadline
        self._on_progress = on_progress
        self._on_priority: PriorityListener | None = None
        self._scope: asyncio.Timeout | None = None
        self._progress = Progress(RequestState.QUEUED, 0, 0)
        self._legs_before = self._legs_left = self._latest = 0

    @classmethod
    def of(
        cls,
        request: TranslationRequest,
        limits: Limits,
        on_progress: ProgressListener | None = None,
    ) -> Self:
        """A ticket for a request, whose time begins now.

        Raises:
            InvalidRequestError: the deadline is not within its limits.
        """
        deadline, longest = request.deadline, limits.deadline_seconds
        if deadline is not None and not 0 < deadline <= longest:
            raise InvalidRequestError(
                f"the deadline is {deadline:g} s, not above 0 and up to {longest:,} s",
                allowed=longest,
            )
        return cls(request.priority, deadline, on_progress)

    # --- priority ------------------------------------------------------------------------------

    @property
    def priority(self) -> Priority:
        return self._priority

    def prioritize(self, priority: Priority) -> None:
        """For what is under way, and for what is still to come."""
        self._priority = priority = Priority(priority)
        if self._on_priority is not None:
            self._on_priority(priority)

    def hand_over(self, on_priority: PriorityListener) -> None:
        """Somebody has the request from now on, until `give_back`."""
        self._on_priority = on_priority

    def give_back(self) -> None:
        """Who had the request has it no longer."""
        self._on_priority = None

    # --- progress ------------------------------------------------------------------------------

    @property
    def progress(self) -> Progress:
        return self._progress

    @property
    def wants_progress(self) -> bool:
        """Whether anything depends on it: a listener, or the figures of a deadline."""
        return self._on_progress is not None or self._due is not None

    def begin_leg(self, left: int) -> None:
        """What is done from now on is one translation of several, of which `left` come after it.

        Those that have not begun count as many sentences as this one.
        """
        self._legs_before += self._latest
        self._latest, self._legs_left = 0, left

    def report(self, progress: Progress) -> None:
        """Tell the client; raises what its listener raises."""
        self._latest = progress.total
        done = self._legs_before + progress.done
        total = self._legs_before + progress.total * (self._legs_left + 1)
        self._progress = Progress(progress.state, done, total)
        if self._on_progress is not None:
            self._on_progress(self._progress)

    # --- its end -------------------------------------------------------------------------------

    @asynccontextmanager
    async def scope(self) -> AsyncIterator[None]:
        """The work for the request: when the deadline is over, it is cancelled.

        Raises:
            DeadlineError: the deadline was over.
        """
        left = self._left
        try:
            async with asyncio.timeout(0 if left == 0 else None) as scope:
                self._scope = scope
                timer = self._timer(left, partial(_expire, scope)) if left else None
                try:
                    yield
                finally:
                    if timer is not None:
                        timer.cancel()
        except TimeoutError as error:
            if not self._is_over:
                raise
            raise self.ending() from error

    def watch(self, expire: Callable[[], None]) -> asyncio.TimerHandle | None:
        """Have `expire` called when the deadline is over, unless a scope sees to it."""
        left = self._left
        if left is None or self._scope is not None:
            return None
        return self._timer(left, expire)

    def ending(self, *, overdue: bool = False) -> DragomanError:
        """Why the work is given up: its deadline is over, or else the client took it back."""
        if self._deadline is not None and (overdue or self._is_over):
            return DeadlineError(self._deadline, self._progress.done, self._progress.total)
        return RequestCancelledError("the request was cancelled")

    @property
    def _left(self) -> float | None:
        """Seconds; 0: it is over."""
        return None if self._due is None else max(0.0, self._due - time.monotonic())

    @staticmethod
    def _timer(left: float, expire: Callable[[], None]) -> asyncio.TimerHandle:
        """By what is left, not by a moment: Pyodide's loop refuses a moment that has passed while
        it was handed over, as `asyncio.timeout` does."""
        return asyncio.get_running_loop().call_later(left, expire)

    @property
    def _is_over(self) -> bool:
        return self._scope is not None and self._scope.expired()


def _expire(scope: asyncio.Timeout) -> None:
    scope.reschedule(asyncio.get_running_loop().time())
