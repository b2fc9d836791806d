"""Work that would hold up others, cut into bits: a generator that stops in between, and returns.

tags = yield from tags_bit_by_bit(...)      in other such work
at_once(work)                               where nobody is held up
ended(work)                                 one bit: an event loop has its turn before the next
"""

from __future__ import annotations

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
