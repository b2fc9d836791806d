"""Fewer turns of the browser's event loop: what is to be called soon is called together.

Pyodide's loop asks the browser for a turn for each callback, which takes longer than most callbacks
do; a sentence has fifteen. Here they wait in line, and one turn calls them in order.

call_soon --> [ callback, callback ... ] --one turn of the browser--> each, until 4 ms are over
                          ^                                               |
                          `------------- what they ask for ---------------'
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextvars import Context
from functools import partial
from typing import Any

# A message to the worker, such as a cancel, waits so long at most, and for the callback under way.
TURN_SECONDS = 0.004


class Turns:
    """Callbacks of one event loop.

    Args:
        later: the loop's own `call_soon`.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, later: Callable[[Callable[[], None]], object]
    ) -> None:
        self._loop, self._later = loop, later
        self._waiting: deque[asyncio.Handle] = deque()
        self._is_asked = False

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """As every loop's: in the order of the calls, never at once."""
        handle = asyncio.Handle(callback, args, self._loop, context)
        self._waiting.append(handle)
        self._ask()
        return handle

    def _ask(self) -> None:
        if not self._is_asked:
            self._is_asked = True
            self._later(self._turn)

    def _turn(self) -> None:
        end = time.perf_counter() + TURN_SECONDS
        waiting = self._waiting
        try:
            while waiting and time.perf_counter() < end:
                handle = waiting.popleft()
                if not handle.cancelled():
                    handle._run()  # as the loops of the standard library and of Pyodide do
        finally:  # a handle lets SystemExit and KeyboardInterrupt through
            self._is_asked = False
            if waiting:
                self._ask()


def take_turns(loop: asyncio.AbstractEventLoop) -> None:
    """Let a loop call together what it is to call soon; once is enough."""
    if not isinstance(getattr(loop.call_soon, "__self__", None), Turns):
        loop.call_soon = Turns(loop, loop.call_soon).call_soon  # type: ignore[assignment, method-assign]
        # Pyodide's own count themselves, by a callback each: eight a sentence.
        loop.create_future = partial(asyncio.Future, loop=loop)  # type: ignore[method-assign]
