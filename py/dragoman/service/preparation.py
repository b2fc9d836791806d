"""Requests whose text is still to be split and tokenized, a slice at a time.

    add ---> [ two lines for each priority: short texts, long texts ] --next--> job, which goes to
                       ^ drop, prioritize                                       the end of its line

The priority whose turn it is goes first (`turns`), and within it a short text, of one slice, before
the long ones; long ones have their turn among short ones as a priority has it among others. Within
a line requests take turns slice by slice. But one whose slice finds no room in the queue stays at
the head of its line until there is room; those of its priority wait for it, and those that would
not wait are refused.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from dragoman.service.job import Job
from dragoman.service.turns import Turns
from dragoman.types import Priority, WhenFull


@dataclass(slots=True)
class _Level:
    """The jobs of one priority, by their ids.

    Attributes:
        lines: short texts, long texts.
        impatient: those that have not begun to go into the queue and would not wait for room.
    """

    turns: Turns
    lines: tuple[OrderedDict[int, Job], OrderedDict[int, Job]] = field(
        default_factory=lambda: (OrderedDict(), OrderedDict())
    )
    impatient: dict[int, Job] = field(default_factory=dict)

    def blocked(self) -> Job | None:
        """The job that waits for room in the queue: all others wait for it."""
        for line in self.lines:
            head = next(iter(line.values()), None)
            if head is not None and head.pending is not None:
                return head
        return None

    def can_go_on(self, has_room: Callable[[Job], bool]) -> bool:
        short, long = self.lines
        if not short and not long:
            return False
        blocked = self.blocked()
        return blocked is None or has_room(blocked)

    def choose(self) -> Job:
        chosen = self.blocked()
        if chosen is None:
            line = self.lines[self.turns.choose([bool(line) for line in self.lines])]
            chosen = next(iter(line.values()))
        return chosen


class Preparation:
    """The jobs that are not prepared yet."""

    def __init__(self, patience: int) -> None:
        self._levels = tuple(_Level(Turns(2, patience)) for _ in Priority)
        self._turns = Turns(len(Priority), patience)

    def __len__(self) -> int:
        return sum(len(line) for level in self._levels for line in level.lines)

    def add(self, job: Job) -> None:
        level = self._levels[job.priority.level]
        level.lines[job.is_long][job.id] = job
        if job.request.when_full is WhenFull.REFUSE:
            level.impatient[job.id] = job

    def drop(self, job: Job) -> None:
        """Forget a job; one that is not here is ignored."""
        level = self._levels[job.priority.level]
        level.lines[job.is_long].pop(job.id, None)
        level.impatient.pop(job.id, None)

    def prioritize(self, job: Job, priority: Priority) -> None:
        """Move a job to the end of another line; its own priority is left to the caller."""
        level, other = self._levels[job.priority.level], self._levels[priority.level]
        if level.lines[job.is_long].pop(job.id, None) is not None:
            other.lines[job.is_long][job.id] = job
        if level.impatient.pop(job.id, None) is not None:
            other.impatient[job.id] = job

    def blocked(self, priority: Priority) -> Job | None:
        """The job of a priority that waits for room in the queue."""
        return self._levels[priority.level].blocked()

    def impatient(self, priority: Priority) -> list[Job]:
        """Those of a priority that have not begun to go into the queue and would not wait."""
        return list(self._levels[priority.level].impatient.values())

    def next(self, has_room: Callable[[Job], bool]) -> Job | None:
        """The job to go on with, which stays in its line; None when there is none that can go on.

        Args:
            has_room: of a job with a pending slice, whether the queue takes it now.
        """
        ready = [level.can_go_on(has_room) for level in self._levels]
        return self._levels[self._turns.choose(ready)].choose() if any(ready) else None

    def rotate(self, job: Job, *, has_begun: bool = True) -> None:
        """A job had its turn: the others of its line have theirs.

        Args:
            has_begun: whether something of it went into the queue.
        """
        level = self._levels[job.priority.level]
        if has_begun:
            level.impatient.pop(job.id, None)
        line = level.lines[job.is_long]
        if job.id in line:
            line.move_to_end(job.id)
