"""How requests end: progress, cancelling, deadlines."""

import asyncio
import math
from collections.abc import Sequence
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import (
    DeadlineError,
    InvalidRequestError,
    RequestCancelledError,
)
from dragoman.service.service import Progress, RequestState, Ticket
from dragoman.types import Piece
from tests.support.helpers import (
    EMPTY,
    CharacterTokenizer,
    leftovers,
    request,
    service,
    settled,
    turns,
)

TEXT = "Eins. Zwei, drei.\n\nVier!"


# --- progress ------------------------------------------------------------------------------------


async def test_progress_and_states() -> None:
    engine = HeldEngine()
    seen: list[Progress] = []
    async with service(engine, Limits(batch_rows=1, slice_sentences=2)) as made:
        handle = made.submit(request("Ja.\nNein.\n12\n"), Ticket(on_progress=seen.append))
        assert handle.progress == Progress(RequestState.QUEUED, 0, 0)
        await turns()
        assert handle.progress == Progress(RequestState.RUNNING, 1, 3)
        engine.release()
        await turns()
        assert handle.progress == Progress(RequestState.RUNNING, 2, 3)
        engine.release()
        await handle.response
        assert handle.progress == Progress(RequestState.DONE, 3, 3)
    assert [(p.done, p.total) for p in seen] == [(0, 2), (1, 3), (2, 3), (3, 3)]


async def test_states_of_failure() -> None:
    async with service(HeldEngine()) as made:
        cancelled = made.submit(request("Ja."))
        cancelled.cancel()
        failed = made.submit(request("a" * 600_000))
        await settled(failed)
        assert cancelled.progress.state is RequestState.CANCELLED
        assert failed.progress.state is RequestState.FAILED


async def test_a_listener_that_throws_hurts_nobody() -> None:
    problems = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))

    def listener(_progress: Progress) -> None:
        raise RuntimeError("from outside")

    async with service(EchoEngine()) as made:
        handle = made.submit(request(TEXT), Ticket(on_progress=listener))
        other = made.submit(request("Ja."))
        assert (await asyncio.wait_for(handle.response, 10)).text == TEXT
        assert (await other.response).text == "Ja."
    assert problems  # told to the event loop's handler


async def test_a_listener_may_cancel_and_submit() -> None:
    async with service(EchoEngine()) as made:
        more: list[Any] = []

        def listener(_progress: Progress) -> None:
            handle.cancel()
            if not more:
                more.append(made.submit(request("Nein.")))

        handle = made.submit(request(TEXT), Ticket(on_progress=listener))
        assert isinstance(await settled(handle), RequestCancelledError)
        assert (await more[0].response).text == "Nein."


# --- cancelling ----------------------------------------------------------------------------------


async def test_cancel_before_the_first_turn_does_no_work() -> None:
    made_drafts: list[Any] = []

    class Watched(CharacterTokenizer):
        def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
            made_drafts.append(sentences)
            return super().encode(sentences)

    engine = EchoEngine()
    async with service(engine, tokenizer=Watched()) as made:
        made.submit(request(TEXT)).cancel()
        await turns()
        assert leftovers(made) == EMPTY
    assert made_drafts == engine.batches == []


async def test_cancel_frees_the_queue_at_once() -> None:
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=2)) as made:
        first, second = made.submit(request("Ja.\n" * 9)), made.submit(request("Nein.\n" * 3))
        await turns()
        assert leftovers(made)["queue"] == 10
        first.cancel()
        assert leftovers(made)["queue"] == 3
        assert leftovers(made)["jobs"] == 1
        assert first.response.done()
        await turns()
        assert engine.calls[0][1].cancelled()  # what the engine had begun was the first's alone
        for _ in range(2):
            engine.release()
            await turns()
        assert (await second.response).text == "Nein.\n" * 3
        assert leftovers(made) == EMPTY


async def test_cancel_while_a_long_text_is_split_up() -> None:
    engine = EchoEngine()
    async with service(engine, Limits(slice_sentences=1)) as made:
        handle = made.submit(request("Ja.\n" * 500))
        await turns(5)
        handle.cancel()
        await turns(5)
        assert leftovers(made) == EMPTY
        assert sum(batch.rows for batch in engine.batches) < 20


async def test_cancel_after_the_end_changes_nothing() -> None:
    async with service(EchoEngine()) as made:
        handle = made.submit(request("Ja."))
        response = await handle.response
        handle.cancel()
        handle.cancel()
        assert handle.response.result() is response
        assert handle.progress.state is RequestState.DONE


async def test_cancelling_the_task_that_waits() -> None:
    engine = HeldEngine()
    async with service(engine) as made:
        task = asyncio.ensure_future(made.translate(request("Ja.")))
        await turns()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert leftovers(made)["jobs"] == 0


async def test_a_cancelled_future_is_a_cancelled_request() -> None:
    """`asyncio.wait_for(handle.response, ...)` cancels the future itself."""
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=1)) as made:
        handle = made.submit(request("Ja.\nNein."))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(handle.response, 0.01)
        assert handle.progress.state is RequestState.CANCELLED
        await turns()
        assert leftovers(made) == EMPTY
        assert [future.cancelled() for _, future, _ in engine.calls] == [True]


# --- deadlines -----------------------------------------------------------------------------------


async def test_a_deadline() -> None:
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=1)) as made:
        handle = made.submit(request("Ja.\nNein.", deadline=0.02))
        await turns()
        engine.release()
        error = await settled(handle)
        assert isinstance(error, DeadlineError)
        assert error.details == {"deadline": 0.02, "done": 1, "total": 2}
        assert error.message == "not ready within 0.02 s: 1 of 2 sentences were done"
        assert handle.progress.state is RequestState.FAILED
        await turns()
        assert engine.calls[-1][1].cancelled()
        assert leftovers(made) == EMPTY


async def test_a_deadline_that_is_kept() -> None:
    async with service(EchoEngine()) as made:
        response = await made.translate(request("Ja.", deadline=5))
        assert response.text == "Ja."
        assert leftovers(made) == EMPTY


@pytest.mark.parametrize("deadline", [0, -1.0, math.nan, math.inf, 86_401])
async def test_deadlines_that_are_none(deadline: float) -> None:
    async with service(EchoEngine()) as made:
        with pytest.raises(InvalidRequestError, match="the deadline is"):
            made.submit(request("Ja.", deadline=deadline))
