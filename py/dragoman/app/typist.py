"""Types into the page of the window.

loading --loaded(True)--> there --loading()--> loading     a text that is to be typed waits
"""

from __future__ import annotations

from collections.abc import Callable

from dragoman.app.addresses import typing


class Typist:
    """Puts texts where a person would type them, once the page is there.

    Args:
        run: runs a script in the page; one that is not there yet would lose it.
    """

    def __init__(self, run: Callable[[str], object]) -> None:
        self._run = run
        self._is_there = False
        self._waiting = ""

    def type(self, text: str) -> None:
        """An empty text is none."""
        self._waiting = text or self._waiting
        self._type_waiting()

    def loading(self) -> None:
        """Another page comes, or the same one again."""
        self._is_there = False

    def loaded(self, went_well: bool) -> None:
        """It came, or did not."""
        self._is_there = went_well
        self._type_waiting()

    def _type_waiting(self) -> None:
        if self._is_there and self._waiting:
            self._run(typing(self._waiting))
            self._waiting = ""
