"""When this process looks for garbage in circles: while nothing is open, and else hardly ever.

A long text is made of a million small objects, none of them in a circle. Python looks through all
of them whenever there are a quarter more, and nothing else runs meanwhile: a second on a busy
machine (ADR 29).

What is free then goes back to the system: glibc keeps the memory of many small objects, which a
long answer is made of, while anything behind them is in use.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

# New objects before the youngest are looked through, how often that is before those of middle age
# are, and how often this before all are.
THRESHOLDS = (5_000, 10, 2_000)
IDLE_SECONDS = 10.0


def collect_seldom() -> None:
    """For all of this process, so that only who owns it may want it."""
    gc.collect()
    gc.freeze()  # modules and models stay for good
    gc.set_threshold(*THRESHOLDS)


@asynccontextmanager
async def collecting(is_idle: Callable[[], bool]) -> AsyncIterator[None]:
    """Collects now and then, when nobody waits for anything."""
    task = asyncio.create_task(_collect(is_idle))
    try:
        yield
    finally:
        task.cancel()


async def _collect(is_idle: Callable[[], bool]) -> None:
    while True:
        await asyncio.sleep(IDLE_SECONDS)
        if is_idle():
            gc.collect()
            give_back()


def give_back() -> None:
    """Free memory, to the system; where the C library has no such call, it stays here."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
