"""How much may be on its way to the other end of a pipe before it has taken some of it."""

from __future__ import annotations

import asyncio

WINDOW_BYTES = 256 * 1024


class Window:
    """Bytes on their way; one part of any size may always be."""

    def __init__(self, size: int = WINDOW_BYTES) -> None:
        self._size, self._open = size, 0
        self._moved = asyncio.Event()

    async def spend(self, count: int) -> None:
        """Wait until so many bytes more may be on their way, and count them."""
        while self._open > 0 and self._open + count > self._size:
            self._moved.clear()
            await self._moved.wait()
        self._open += count

    def lift(self) -> None:
        """Nobody takes anything any more: nothing waits."""
        self._open = -1 << 62
        self._moved.set()

    def give_back(self, count: int) -> None:
        """So many were taken."""
        self._open -= count
        self._moved.set()
