"""Requests whose text is still to be split and tokenized, a slice at a time.

    add ---> [ a line for each priority ] --next--> job, which goes to the end of its line
                       ^ drop, prioritize

The priority whose turn it is goes first (`turns`). Within it requests take turns slice by slice,
so that a long text does not hold up a short one; but one whose slice finds no room in the queue
stays at the head of its line until there is room, and those behind it that would not wait are
refused.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from dragoman.service.job import Job
from dragoman.service.turns import Turns
from dragoman.types import Priority, WhenFull


class Preparation:
    """The jobs that are not prepared yet."""

    def __init__(self, patience: int) -> None:
        self._lines = tuple(OrderedDict[int, Job]() for _ in Priority)
        self._impatient: tuple[dict[int, Job], ...] = tuple({} for _ in Priority)
        self._turns = Turns(len(Priority), patience)

    def __len__(self) -> int:
        return sum(map(len, self._lines))

    def add(self, job: Job) -> None:
        level = job.priority.level
        self._lines[level][job.id] = job
        if job.request.when_full is WhenFull.REFUSE:
            self._impatient[level][job.id] = job

    def drop(self, job: Job) -> None:
        """Forget a job; one that is not here is ignored."""
        level = job.priority.level
        self._lines[level].pop(job.id, None)
        self._impatient[level].pop(job.id, None)

    def prioritize(self, job: Job, priority: Priority) -> None:
        """Move a job to the end of another line; its own priority is left to the caller."""
        level, other = job.priority.level, priority.level
        for lines in self._lines, self._impatient:
            if lines[level].pop(job.id, None) is not None:
                lines[other][job.id] = job

    def blocked(self, priority: Priority) -> Job | None:
        """The job at the head of a line that waits for room in the queue."""
        head = next(iter(self._lines[priority.level].values()), None)
        return head if head is not None and head.pending is not None else None

    def impatient(self, priority: Priority) -> list[Job]:
        """Those of a line that have not begun to go into the queue and would not wait for room."""
        return list(self._impatient[priority.level].values())

    def next(self, has_room: Callable[[Job], bool]) -> Job | None:
        """The job to go on with, which stays in its line; None when there is none that can go on.

        Args:
            has_room: of a job with a pending slice, whether the queue takes it now.
        """
        heads = [next(iter(line.values()), None) for line in self._lines]
        ready = [head is not None and (head.pending is None or has_room(head)) for head in heads]
        return heads[self._turns.choose(ready)] if any(ready) else None

    def rotate(self, job: Job) -> None:
        """A slice of a job went into the queue: the others of its line have their turn."""
        line = self._lines[job.priority.level]
        self._impatient[job.priority.level].pop(job.id, None)
        if job.id in line:
            line.move_to_end(job.id)
