"""The process that something belongs to: threads and event loops do not survive `os.fork`."""

from __future__ import annotations

import os

from dragoman.errors import EngineError


class Origin:
    """Remembers the process in which it was made."""

    def __init__(self) -> None:
        self._process = os.getpid()

    @property
    def is_here(self) -> bool:
        return os.getpid() == self._process

    def check(self) -> None:
        """Called before anything waits for a thread.

        Raises:
            EngineError: this is a fork of the process.
        """
        if not self.is_here:
            raise EngineError(
                "the translator belongs to the process that this one was forked from; load one here"
            )
