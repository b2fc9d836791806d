"""The only place where code points and UTF-16 code units meet.

JavaScript strings count UTF-16 code units: a code point above U+FFFF takes two. A lone surrogate is
one unit, as it is one code point in Python.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from dragoman.types import Span

_LAST_OF_ONE_UNIT = "\uffff"


class Utf16Index:
    """Offsets of one text in both units.

    "" has length 0 in both; "a😀b" has the code point offsets 0 1 2 3 and the units 0 1 3 4.
    """

    def __init__(self, text: str) -> None:
        self._points = len(text)
        # isascii and max are C speed; nearly every text ends here.
        narrow = text.isascii() or max(text) <= _LAST_OF_ONE_UNIT
        self._wide = (
            [] if narrow else [i for i, char in enumerate(text) if char > _LAST_OF_ONE_UNIT]
        )
        # Unit offset of the second half of each wide code point.
        self._second_halves = [point + rank + 1 for rank, point in enumerate(self._wide)]

    @property
    def units(self) -> int:
        """Length of the text in UTF-16 code units."""
        return self._points + len(self._wide)

    def unit(self, point: int) -> int:
        """UTF-16 offset of a code point offset in [0, length]."""
        return point + bisect_left(self._wide, point)

    def point(self, unit: int) -> int:
        """Code point offset of a UTF-16 offset; inside a surrogate pair: that of its start."""
        return unit - bisect_right(self._second_halves, unit)

    def range(self, span: Span) -> list[int]:
        """A span as the ``[start, end]`` that JavaScript slices with."""
        if not self._wide:
            return [span.start, span.end]
        return [self.unit(span.start), self.unit(span.end)]

    def span(self, start: int, end: int) -> Span:
        """The span of a UTF-16 range."""
        return Span(self.point(start), self.point(end))
