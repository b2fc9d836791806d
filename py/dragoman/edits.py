"""A source with some of it written anew, and the rest as it was to the letter."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

# Writes a stretch of the source with the edits inside of it.
Stretch = Callable[[int, int], str]


@dataclass(frozen=True, slots=True)
class Edit:
    """What takes the place of a stretch of the source.

    Attributes:
        write: given what writes a stretch with the edits inside of it.
    """

    start: int
    end: int
    write: Callable[[Stretch], str]


def edited(source: str, edits: Sequence[Edit]) -> str:
    """The source with edits, which may be inside of each other, but do not overlap otherwise."""
    ordered = sorted(edits, key=lambda edit: (edit.start, -edit.end))
    starts = [edit.start for edit in ordered]

    def write(start: int, end: int, first: int) -> str:
        parts: list[str] = []
        at, index = start, max(first, bisect_left(starts, start))
        while index < len(ordered) and starts[index] < end:
            edit = ordered[index]
            index += 1
            if edit.end > end:
                continue
            parts += [source[at : edit.start], edit.write(partial(write, first=index))]
            at = edit.end
            index = max(index, bisect_left(starts, at))  # those inside of it are written
        return "".join(parts) + source[at:end]

    return write(0, len(source) + 1, 0)  # what is inserted at the very end begins there
