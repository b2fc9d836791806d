"""Where a long text is cut into parts, each translated by itself."""

from __future__ import annotations

import re

_EMPTY_LINE = re.compile(r"(?<=\n)\r?\n")


def lines_end(text: str, start: int, end: int) -> int:
    """The last place in `text` from `start` to `end` behind whole lines; `start`: there is none.

    Before an empty line if there is one in the second half: lines above it may belong together.
    """
    empty = [line.start() for line in _EMPTY_LINE.finditer(text, (start + end) // 2, end)]
    return empty[-1] if empty else max(start, text.rfind("\n", start, end) + 1)
