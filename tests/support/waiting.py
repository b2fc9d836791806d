"""Waiting for what another thread, process or task does: it comes, or the test fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE = 120  # Seconds: a busy machine is no failure.


def until(condition: Callable[[], object], told: Callable[[], str] = lambda: "") -> None:
    """Returns when the condition holds; `told` is what there is to say where it never does."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"it never came {told()}"
        time.sleep(0.01)


async def until_told(condition: Callable[[], object]) -> None:
    """The same in an event loop, which goes on meanwhile."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came"
        await asyncio.sleep(0.005)
