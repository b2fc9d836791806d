"""Bodies on their way: how many there are, and whose.

A body that does not come to its end holds a place. When all places are taken, the client that holds
the most of them loses its oldest: who comes with many unfinished bodies makes room for others.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class UnfinishedBodies:
    """Places for bodies.

    Args:
        allowed: how many may be on their way at a time.
    """

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._places: dict[asyncio.Future[None], str] = {}  # the oldest first

    def __len__(self) -> int:
        return len(self._places)

    @contextmanager
    def place(self, client: str) -> Iterator[asyncio.Future[None]]:
        """A place for a body of a client: a future that is done when it has lost it."""
        if len(self._places) >= self._allowed:
            self._make_room()
        lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._places[lost] = client
        try:
            yield lost
        finally:
            self._places.pop(lost, None)

    def _make_room(self) -> None:
        ((greedy, _),) = Counter(self._places.values()).most_common(1)
        oldest = next(lost for lost, client in self._places.items() if client == greedy)
        del self._places[oldest]
        oldest.set_result(None)
