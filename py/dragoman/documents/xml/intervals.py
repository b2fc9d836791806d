"""What begins at one element and ends at another one beside it: fields, bookmarks, comments."""

from __future__ import annotations

from collections.abc import Iterable

# First, last of what opens, last of all: indexes of siblings.
Interval = tuple[int, int, int]


def nested(intervals: Iterable[Interval]) -> dict[int, tuple[int, int]]:
    """Intervals by where they begin, without those that cross one that was there before, or that
    begin where another one does: those are places, not elements."""
    taken: list[Interval] = []
    for first, opened, last in intervals:
        # One inside of what opens another (a field in the instruction of a field) is part of it.
        fits = all(
            last < other_first
            or first > other_last
            or (first > other_opened and last < other_last)
            or (other_first > opened and other_last < last)
            for other_first, other_opened, other_last in taken
        )
        if fits:
            taken.append((first, opened, last))
        else:
            inner = [t for t in taken if first < t[0] and t[2] <= opened]
            if inner:
                taken = [t for t in taken if t not in inner] + [(first, opened, last)]
    return {first: (opened, last) for first, opened, last in taken}
