"""One ticket a request: its deadline, its priority, its progress."""

import asyncio
import time
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.errors import DeadlineError, InvalidRequestError, RequestCancelledError
from dragoman.service.progress import Progress, RequestState
from dragoman.service.ticket import Ticket
from dragoman.types import Priority
from tests.support.helpers import request

RUNNING = RequestState.RUNNING
NEVER = asyncio.Event


def test_a_ticket_is_of_what_the_request_asks_for() -> None:
    ticket = Ticket.of(request("Ja.", priority=Priority.NEAR), Limits())
    assert ticket.priority is Priority.NEAR
    assert ticket.progress == Progress(RequestState.QUEUED, 0, 0)


def test_a_deadline_beyond_the_limit() -> None:
    with pytest.raises(InvalidRequestError, match="the deadline is 11 s, not above 0 and up to 10"):
        Ticket.of(request("Ja.", deadline=11), Limits(deadline_seconds=10))


async def test_work_in_the_scope_is_cancelled_at_the_deadline() -> None:
    ticket = Ticket(deadline=0.01)
    ticket.report(Progress(RUNNING, 1, 3))
    with pytest.raises(DeadlineError) as caught:
        async with ticket.scope():
            await NEVER().wait()
    assert caught.value.details == {"deadline": 0.01, "done": 1, "total": 3}


async def test_the_time_begins_when_the_ticket_is_made() -> None:
    ticket = Ticket(deadline=0.01)
    ticket._due = 0.0  # long ago
    with pytest.raises(DeadlineError):
        async with ticket.scope():
            await NEVER().wait()


async def test_a_loop_that_refuses_moments_that_have_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = asyncio.get_running_loop()
    at = loop.call_at

    def call_at(when: float, *_: Any, **__: Any) -> None:
        raise ValueError(f"Can't schedule in the past: {when}")

    def call_later(delay: float, callback: Any, *given: Any, context: Any = None) -> Any:
        if delay < 0:
            call_at(delay)
        return at(loop.time() + delay, callback, *given, context=context)

    # As Pyodide's does where the clock went on between a look at it and the call.
    monkeypatch.setattr(loop, "call_at", call_at)
    monkeypatch.setattr(loop, "call_later", call_later)
    for due in (0.0, time.monotonic() + 0.01):
        ticket = Ticket(deadline=0.01)
        ticket._due = due
        with pytest.raises(DeadlineError):
            async with ticket.scope():
                await NEVER().wait()
    ended = NEVER()
    ticket = Ticket(deadline=0.01)
    ticket._due = 0.0
    ticket.watch(ended.set)
    await ended.wait()


async def test_no_haste() -> None:
    async with Ticket().scope():
        await asyncio.sleep(0)


async def test_the_time_out_of_something_else_is_no_deadline() -> None:
    with pytest.raises(TimeoutError, match="of the line"):
        async with Ticket(deadline=60).scope():
            raise TimeoutError("of the line")


async def test_who_is_cancelled_is_not_overdue() -> None:
    ticket = Ticket(deadline=60)

    async def work() -> None:
        async with ticket.scope():
            await NEVER().wait()

    task = asyncio.ensure_future(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert isinstance(ticket.ending(), RequestCancelledError)


async def test_a_scope_watches_alone() -> None:
    ticket = Ticket(deadline=60)
    timer = ticket.watch(lambda: None)
    assert timer is not None
    timer.cancel()
    async with ticket.scope():
        assert ticket.watch(lambda: None) is None
    assert Ticket().watch(lambda: None) is None


def test_whoever_has_the_request_hears_of_its_priority() -> None:
    ticket = Ticket()
    heard: list[Priority] = []
    ticket.prioritize(Priority.NEAR)
    ticket.hand_over(heard.append)
    ticket.prioritize(Priority.VISIBLE)
    ticket.give_back()
    ticket.prioritize(Priority.BACKGROUND)
    assert heard == [Priority.VISIBLE]
    assert ticket.priority is Priority.BACKGROUND


def test_the_progress_of_two_legs_is_that_of_one_request() -> None:
    heard: list[Progress] = []
    ticket = Ticket(on_progress=heard.append)
    for left in 1, 0:
        ticket.begin_leg(left)
        ticket.report(Progress(RUNNING, 0, 2))
        ticket.report(Progress(RUNNING, 2, 3))
    assert [(each.done, each.total) for each in heard] == [(0, 4), (2, 6), (3, 5), (5, 6)]
