"""How long the event loop was held: by whatever ran on it, or by whatever had the interpreter.

    every 20 ms: a callback that is due --late by a stall--> figures, for /metrics

A stall that began between two callbacks is seen from when the next one was due: up to 20 ms of it
are missed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge

EVERY = 0.02
# Seconds. What was late for longer than the first is a stall; the goal is that there are none.
STALLS = (0.05, 0.1, 0.25, 1.0)


class Watchdog:
    """Measures the event loop it runs on.

    Args:
        name: what the names of its figures begin with.

    Attributes:
        worst: seconds of the longest stall.
    """

    def __init__(self, registry: CollectorRegistry, name: str = "dragoman_loop") -> None:
        self.worst = 0.0
        self._stalls = Counter(
            f"{name}_stalls", "Times that the event loop was held for longer than so many "
            "seconds.", ["longer_than"], registry=registry,
        )  # fmt: skip
        worst = Gauge(
            f"{name}_worst_stall_seconds", "Longest time that the event loop was held.",
            registry=registry,
        )  # fmt: skip
        worst.set_function(lambda: self.worst)
        for least in STALLS:
            self._stalls.labels(str(least))

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Measures as long as the context."""
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            task.cancel()

    def late(self, seconds: float) -> None:
        """A callback was late."""
        self.worst = max(self.worst, seconds)
        for least in STALLS:
            if seconds > least:
                self._stalls.labels(str(least)).inc()

    async def _watch(self) -> None:
        while True:
            due = time.perf_counter() + EVERY
            await asyncio.sleep(EVERY)
            self.late(time.perf_counter() - due)
