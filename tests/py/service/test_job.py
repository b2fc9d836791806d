from __future__ import annotations

import asyncio
import weakref
from typing import Any

import pytest

from dragoman.errors import EngineError, RequestCancelledError
from dragoman.service.job import Job, SentenceState, source_span
from dragoman.service.progress import Progress, RequestState
from dragoman.service.ticket import Ticket
from dragoman.types import Element, Priority, Span, TranslationResponse
from tests.support.helpers import request, segment

Future = asyncio.Future[TranslationResponse]


def job(future: Future, text: str = "Ja.", **changes: Any) -> Job:
    asked = request(text, elements=changes.pop("elements", ()))
    ticket = changes.pop("ticket", Ticket())
    return Job(1, asked, Priority.VISIBLE, weakref.ref(future), ticket, 0.0, **changes)


async def test_states_from_its_future() -> None:
    future = Future()
    made = job(future)
    assert (made.state, made.is_open) == (RequestState.QUEUED, True)
    made.started = 1.0
    assert made.state is RequestState.RUNNING
    future.set_result(None)  # type: ignore[arg-type]
    assert (made.state, made.is_open) == (RequestState.DONE, False)


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (EngineError("lost"), RequestState.FAILED),
        (RequestCancelledError("taken back"), RequestState.CANCELLED),
    ],
)
async def test_states_of_an_end_without_a_response(error: Exception, state: RequestState) -> None:
    future = Future()
    future.set_exception(error)
    assert job(future).state is state


async def test_who_nobody_hears_is_cancelled() -> None:
    future = Future()
    made = job(future)
    future.cancel()
    assert (made.state, made.is_open) == (RequestState.CANCELLED, False)
    del future
    assert made.future() is None
    assert (made.state, made.is_open) == (RequestState.CANCELLED, False)


async def test_progress_counts_what_is_no_open_segment() -> None:
    future = Future()
    parts: list[SentenceState] = [Span(0, 3), segment(2), segment(2)]
    assert job(future, parts=parts, open_segments=2).progress == Progress(RequestState.QUEUED, 1, 3)
    assert [source_span(part) for part in parts] == [Span(0, 3), Span(0, 2), Span(0, 2)]


async def test_a_long_text_or_many_elements() -> None:
    future = Future()
    elements = tuple(Element(Span(0, 1)) for _ in range(501))
    assert not job(future, elements=elements[1:]).is_long
    assert job(future, elements=elements).is_long
    assert job(future, "a" * 1_000_000).is_long


async def test_a_listener_that_fails_ends_nothing() -> None:
    told: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    error = SystemExit(3)

    def listen(_: Progress) -> None:
        raise error

    future = Future()
    job(future, ticket=Ticket(on_progress=listen)).report()
    assert [(context["message"], context["exception"]) for context in told] == [
        ("a progress listener failed", error)
    ]
    assert not future.done()
