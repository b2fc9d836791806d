"""Whose text is split and tokenized next, and who is refused when there is no room."""

import asyncio
import weakref
from typing import Any

from dragoman.pipeline.pipeline import Slice
from dragoman.service.job import Job
from dragoman.service.preparation import Preparation
from dragoman.service.ticket import Ticket
from dragoman.types import Priority, WhenFull
from tests.support.helpers import request

INTERACTIVE, VISIBLE, NEAR, BACKGROUND = Priority
NOBODY: weakref.ref[asyncio.Future[Any]] = weakref.ref(
    asyncio.Future(loop=asyncio.new_event_loop())
)


def job(number: int, priority: Priority = NEAR, when_full: WhenFull = WhenFull.WAIT) -> Job:
    asked = request("Ja.", priority=priority, when_full=when_full)
    return Job(number, asked, priority, NOBODY, Ticket(priority), 0.0)


def preparation(*jobs: Job) -> Preparation:
    made = Preparation(patience=8)
    for one in jobs:
        made.add(one)
    return made


def full(_: Job) -> bool:
    return False


def test_nothing_to_do() -> None:
    assert preparation().next(full) is None
    assert len(preparation()) == 0


def test_the_urgent_go_first_and_jobs_take_turns() -> None:
    one, two, urgent = job(1), job(2), job(3, INTERACTIVE)
    made = preparation(one, two, urgent)
    assert made.next(full) is urgent
    made.drop(urgent)
    assert made.next(full) is one
    made.rotate(one)
    assert made.next(full) is two
    made.drop(two)
    made.drop(two)
    assert made.next(full) is one


def test_who_waits_for_room_stays_at_the_head_and_others_go_on() -> None:
    one, two, later = job(1), job(2), job(3, BACKGROUND)
    made = preparation(one, two, later)
    one.pending = Slice((), ())
    assert made.blocked(NEAR) is one
    assert made.blocked(BACKGROUND) is None
    assert made.next(full) is later
    assert made.next(lambda _: True) is one


def test_prioritize() -> None:
    one, two = job(1), job(2, when_full=WhenFull.REFUSE)
    made = preparation(one, two)
    made.prioritize(two, VISIBLE)
    two.priority = VISIBLE
    assert made.next(full) is two
    assert (made.impatient(NEAR), made.impatient(VISIBLE)) == ([], [two])
    made.prioritize(job(77), VISIBLE)
    assert len(made) == 2


def test_the_impatient_are_those_that_have_not_begun() -> None:
    one, two, patient = job(1, when_full=WhenFull.REFUSE), job(2, when_full=WhenFull.REFUSE), job(3)
    made = preparation(one, two, patient)
    assert made.impatient(NEAR) == [one, two]
    made.rotate(one)
    made.drop(two)
    assert made.impatient(NEAR) == []
