"""Work that would hold up others, cut into bits: a generator that stops in between, and returns.

tags = yield from tags_bit_by_bit(...)      in other such work
at_once(work)                               where nobody is held up
ended(work)                                 one bit: an event loop has its turn before the next
await in_turns(work)                        all of it, an event loop has its turn between two bits
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")
Work = Generator[None, None, Result]

# Elements or tags of one bit: some milliseconds.
BIT = 500


def ended(work: Work[Result]) -> Result | None:
    """What the work is for, if the next bit was the last."""
    try:
        next(work)
    except StopIteration as end:
        result: Result = end.value
        return result
    return None


def at_once(work: Work[Result]) -> Result:
    """What the work is for."""
    while (result := ended(work)) is None:
        pass
    return result


async def in_turns(work: Work[Result]) -> Result:
    """What the work is for; others have their turn meanwhile."""
    while (result := ended(work)) is None:
        await asyncio.sleep(0)
    return result
