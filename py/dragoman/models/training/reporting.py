"""What a training run tells: JSON lines in its folder, and a progress line on a terminal.

Trainer --row--> RunLog  --> log.jsonl     one object a line, in order of steps, no step twice
        --row--> Display --> lines (JSON)  when standard error is no terminal
        --step-> Display --> a live line   loss, pieces a second, time left
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

# Rows with one of these are worth a line above the bar.
SCORES = frozenset(("bleu", "aer"))
# Share of the newest step in the pace that the terminal shows.
PACE = 0.05


@dataclass(frozen=True)
class Step:
    """One update, as a display sees it.

    Attributes:
        number: of the update, counted from 1; `total` is the last one.
        loss: cross-entropy a target piece, in nats; nan where an accelerator was not asked yet.
        pieces: target pieces of the batch.
        seconds: how long the update took.
        budget: seconds left of the time budget, or None.
    """

    number: int
    total: int
    loss: float
    pieces: int
    seconds: float
    budget: float | None = None


class Display(Protocol):
    """Shows a run to the person who started it."""

    def step(self, step: Step) -> None: ...

    def row(self, row: Mapping[str, Any]) -> None:
        """A line of the log: losses, or scores on the validation set."""


class Lines:
    """Each row of the log as a line of JSON."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say

    def step(self, step: Step) -> None:
        """A step is not a line."""

    def row(self, row: Mapping[str, Any]) -> None:
        self.say(json.dumps(row, ensure_ascii=False))


class _Live:
    """A bar with the pace; scores scroll past above it."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self.progress = Progress(
            TextColumn("step"),
            MofNCompleteColumn(),
            BarColumn(),
            TextColumn("{task.fields[facts]}"),
            console=Console(stderr=True),
        )
        self._task = self.progress.add_task("training", total=None, facts="")
        self._pace = Pace()

    def step(self, step: Step) -> None:
        self._pace.add(step)
        self.progress.update(
            self._task, completed=step.number, total=step.total, facts=self._pace.describe(step)
        )

    def row(self, row: Mapping[str, Any]) -> None:
        if not SCORES.isdisjoint(row):
            self.progress.console.print_json(json.dumps(row, ensure_ascii=False), indent=None)


class Pace:
    """Moving averages of loss, pieces and seconds a step."""

    def __init__(self) -> None:
        self.loss = self.pieces = self.seconds = math.nan

    def add(self, step: Step) -> None:
        self.loss = _moved(self.loss, step.loss)
        self.pieces = _moved(self.pieces, step.pieces)
        self.seconds = _moved(self.seconds, step.seconds)

    def describe(self, step: Step) -> str:
        """ "loss 3.21  2,700 pieces/s  1:02:03 left"."""
        left = (step.total - step.number) * self.seconds
        if step.budget is not None:
            left = min(left, step.budget)
        speed = self.pieces / max(self.seconds, 1e-9)
        loss = "-" if math.isnan(self.loss) else f"{self.loss:.2f}"
        return f"loss {loss}  {speed:,.0f} pieces/s  {clock(left)} left"


def _moved(average: float, value: float) -> float:
    """An average with a new value; before the first one it is none."""
    return value if math.isnan(average) else average + PACE * (value - average)


def clock(seconds: float) -> str:
    """Hours, minutes, seconds: 3723 -> "1:02:03"; less than an hour: 63 -> "1:03"."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def display(say: Callable[[str], None]) -> Iterator[Display]:
    """A live line where standard error is a terminal, else JSON lines."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield Lines(say)
        return
    live = _Live()
    with live.progress:
        yield live


class RunLog:
    """``log.jsonl``. A resumed run repeats the steps after its checkpoint: they are cut first."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def cut(self, step: int) -> None:
        """Forget the rows after `step`, and a last line that was not written whole."""
        if self.path.exists():
            self.begin([row for row in read_log(self.path) if row["step"] <= step])

    def begin(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Have these rows and no others."""
        partial = self.path.with_name(self.path.name + ".part")
        partial.write_text("".join(_line(row) for row in rows), encoding="utf-8")
        partial.replace(self.path)

    def add(self, row: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as log:
            log.write(_line(row))


def read_log(path: Path) -> list[dict[str, Any]]:
    """Rows of a log, without lines that are not whole."""
    rows: list[dict[str, Any]] = []
    # Not `splitlines`: an example may have what it takes for the end of a line.
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("step"), int):
            rows.append(row)
    return rows


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
