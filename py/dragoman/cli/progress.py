"""The progress bars of the command line, on standard error and on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

from dragoman.service.service import Progress


class Bar(Protocol):
    """Shows how far a translation is."""

    def advance(self, done: float) -> None:
        """Bytes of the input that are translated."""
        ...

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Out of the way of text that is written to the same terminal."""
        ...


class NoBar:
    """Shows nothing."""

    def advance(self, done: float) -> None:
        """Nothing to show."""

    @contextmanager
    def hidden(self) -> Iterator[None]:
        yield


class _RichBar:
    def __init__(self, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
        console = Console(stderr=True)
        self.progress = RichProgress(
            *columns, TimeRemainingColumn(), console=console, transient=True
        )
        self._task = self.progress.add_task("Translating", total=total)

    def advance(self, done: float) -> None:
        self.progress.update(self._task, completed=done)

    @contextmanager
    def hidden(self) -> Iterator[None]:
        if not sys.stdout.isatty():
            yield
            return
        self.progress.stop()
        try:
            yield
        finally:
            self.progress.start()


@contextmanager
def progress_bar(total: int | None, wanted: bool) -> Iterator[Bar]:
    """A bar for `total` bytes (None: unknown); none unless it is wanted and there is a terminal."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield NoBar()
        return
    bar = _RichBar(total)
    with bar.progress:
        yield bar


def share(progress: Progress) -> float:
    """How much of the work is done, from 0 to 1."""
    return progress.done / progress.total if progress.total else 0.0


class SpeedBar:
    """The share that is done, the speed, and the time that is left, as far as that is known."""

    def show(self, done: int, total: int, speed: float, seconds_left: float | None) -> None:
        """Nothing, without a terminal."""


class _RichSpeedBar(SpeedBar):
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self.progress = RichProgress(
            TextColumn("Translating"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[state]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self.progress.add_task("", total=None, state="")

    def show(self, done: int, total: int, speed: float, seconds_left: float | None) -> None:
        state = f"{speed:,.0f} words/s" if speed else ""
        if seconds_left is not None:
            state += f", {timedelta(seconds=round(seconds_left))} left"
        self.progress.update(self._task, completed=done, total=total, state=state)


@contextmanager
def speed_bar(wanted: bool) -> Iterator[SpeedBar]:
    """A bar with words a second and the time left; none without a terminal."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield SpeedBar()
        return
    bar = _RichSpeedBar()
    with bar.progress:
        yield bar
