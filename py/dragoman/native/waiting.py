"""A thread that waits for what the translator's thread does, and hears of it meanwhile."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future
from itertools import count
from queue import SimpleQueue
from typing import TypeVar

from dragoman.errors import RequestCancelledError
from dragoman.native.origin import Origin
from dragoman.service.progress import Progress, ProgressListener

Result = TypeVar("Result")


class Waiting:
    """Brings progress from the loop's thread to the one that waits, and adds it up."""

    def __init__(self, on_progress: ProgressListener | None) -> None:
        self._on_progress = on_progress
        self._origin = Origin()
        self._events: SimpleQueue[tuple[int, Progress] | None] = SimpleQueue()
        self._ids = count()
        self._latest: dict[int, tuple[int, int]] = {}
        self._done = self._total = 0

    def listener(self) -> ProgressListener:
        """What one request reports to."""
        if self._on_progress is None:
            return lambda _: None
        index = next(self._ids)
        return lambda progress: self._events.put((index, progress))

    def result(self, future: Future[Result]) -> Result:
        """The response, or its error; progress is reported meanwhile.

        Raises:
            EngineError: this process is a fork of the one that has the translator.
        """
        if not future.done():
            self._origin.check()
        future.add_done_callback(lambda _: self._events.put(None))
        while (event := self._events.get()) is not None:
            self._report(*event)
        try:
            return future.result()
        except CancelledError as error:
            raise RequestCancelledError("the request was cancelled") from error

    def _report(self, index: int, progress: Progress) -> None:
        done, total = self._latest.get(index, (0, 0))
        self._latest[index] = progress.done, progress.total
        self._done += progress.done - done
        self._total += progress.total - total
        if self._on_progress is not None:
            self._on_progress(Progress(progress.state, self._done, self._total))
