"""Whose turn it is: the first priority that has something to do, but none waits for ever.

    level   0 interactive   1 visible   2 near   3 background

    1. The first level that is ready has its turn.
    2. A level that was passed over `patience` times in a row goes before it, if the first has had a
       turn since it became ready. So whoever comes alone never waits for more than what runs, and a
       flood of one priority leaves room for the others.
    3. A level that was passed over twice as often goes first in any case.

From this, a level that stays ready has a turn at the latest after twice `patience` turns of others
and one of each other level. Age is counted in turns, not in seconds: the same requests give the
same order on a slow machine and on a fast one.
"""

from __future__ import annotations

from collections.abc import Sequence


class Turns:
    """Remembers who was passed over.

    Args:
        levels: how many there are; the first is the most urgent.
        patience: turns that a level is passed over before it goes first.
    """

    def __init__(self, levels: int, patience: int) -> None:
        self._patience = patience
        self._passed = [0] * levels
        self._served = [False] * levels  # had a turn since it became ready

    def choose(self, ready: Sequence[bool]) -> int:
        """The level whose turn it is.

        Args:
            ready: whether each level has something to do.

        Raises:
            ValueError: none has.
        """
        for level, is_ready in enumerate(ready):
            if not is_ready:
                self._passed[level], self._served[level] = 0, False
        chosen = self._next(ready)
        for level, is_ready in enumerate(ready):
            self._passed[level] += is_ready
        self._passed[chosen], self._served[chosen] = 0, True
        return chosen

    def _next(self, ready: Sequence[bool]) -> int:
        first = ready.index(True)
        longest = max(range(first, len(ready)), key=self._passed.__getitem__)
        enough = self._patience if self._served[first] else 2 * self._patience
        return longest if self._passed[longest] >= enough else first
