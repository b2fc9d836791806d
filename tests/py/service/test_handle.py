"""What a client holds: who keeps a request alive, and what ends it."""

import asyncio
import gc
import threading
from typing import Any

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import RequestCancelledError
from dragoman.service.service import RequestState, TranslationService
from dragoman.types import Priority, TranslationResponse
from tests.support.helpers import EMPTY, leftovers, request, service, settled, turns


async def collected() -> None:
    gc.collect()
    await turns()


async def test_dropping_the_handle_cancels() -> None:
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=1)) as made:
        handle = made.submit(request("Ja.\nNein."))
        await turns()
        del handle
        await collected()
        assert leftovers(made) == EMPTY
        assert engine.calls[0][1].cancelled()
        assert made.statistics().cancelled == 1


async def test_a_future_that_is_kept_keeps_the_request() -> None:
    engine = HeldEngine()
    async with service(engine) as made:
        future = made.submit(request("Ja.")).response
        await turns()
        await collected()
        engine.release()
        assert (await future).text == "Ja."


async def test_a_task_that_waits_keeps_the_request() -> None:
    """Nothing else holds that task: it must not be thrown away with what it waits for."""
    engine = HeldEngine()
    ended = []

    async def client(made: TranslationService) -> None:
        ended.append((await made.submit(request("Ja.")).response).text)

    async with service(engine) as made:
        asyncio.ensure_future(client(made))  # noqa: RUF006 (that is the point)
        await turns()
        await collected()
        engine.release()
        await turns()
        assert ended == ["Ja."]


async def test_who_has_stopped_waiting_keeps_nothing() -> None:
    engine = HeldEngine()
    async with service(engine) as made:
        future = made.submit(request("Ja.")).response
        await asyncio.wait([future], timeout=0.01)
        del future
        await collected()
        assert leftovers(made) == EMPTY


async def test_a_callback_at_the_end_keeps_the_request() -> None:
    ends: list[Any] = []
    async with service(EchoEngine()) as made:
        made.submit(request("Ja."), on_end=ends.append)
        gc.collect()
        await turns(20)
        (response,) = ends
        assert isinstance(response, TranslationResponse)
        assert response.text == "Ja."


async def test_the_callback_hears_of_every_end_once() -> None:
    ends: list[Any] = []
    async with service(HeldEngine(), Limits(text_characters=5)) as made:
        made.submit(request("viel zu lang"), on_end=ends.append)
        made.submit(request("Ja."), on_end=ends.append).cancel()
        made.submit(request("Ja."), on_end=ends.append).response.cancel()
        await turns(20)
        assert sorted(end.code for end in ends) == ["cancelled", "cancelled", "text-too-long"]


async def test_a_handle_may_be_thrown_away_in_another_thread() -> None:
    async with service(HeldEngine()) as made:
        held = [made.submit(request("Ja."))]
        await turns()
        thread = threading.Thread(target=held.clear)
        thread.start()
        await asyncio.to_thread(thread.join)
        await collected()
        assert leftovers(made) == EMPTY


async def test_a_handle_that_outlives_its_service() -> None:
    async with service(HeldEngine()) as made:
        handle = made.submit(request("Ja."))
    assert isinstance(await settled(handle), RequestCancelledError)
    handle.cancel()
    handle.prioritize(Priority.NEAR)
    assert handle.progress.state is RequestState.CANCELLED
    del handle
    await collected()
