"""A source with some of it written anew, and the rest as it was to the letter."""

from __future__ import annotations

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

    def write(start: int, end: int, first: int) -> str:
        parts: list[str] = []
        at = start
        for index in range(first, len(ordered)):
            edit = ordered[index]
            if edit.start >= end:
                break
            if edit.start < at or edit.end > end:
                continue
            inside = partial(write, first=index + 1)
            parts += [source[at : edit.start], edit.write(inside)]
            at = edit.end
        return "".join(parts) + source[at:end]

    return write(0, len(source), 0)
