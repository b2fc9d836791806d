"""Whatever happens in whatever order, every request settles once."""

import asyncio
import random
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine, echo
from dragoman.errors import (
    DragomanError,
    RequestCancelledError,
)
from dragoman.service.service import TranslationService
from dragoman.types import AlignmentKind, EngineOutput, MiniBatch
from tests.support.helpers import (
    EMPTY,
    ScriptedEngine,
    counted_calls,
    leftovers,
    pipeline,
    request,
    service,
    turns,
)

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("submit"), st.integers(0, 5)),
        st.tuples(st.just("cancel"), st.integers(0, 30)),
        st.tuples(st.just("cancel future"), st.integers(0, 30)),
        st.tuples(st.sampled_from(["release", "fail", "nonsense"]), st.just(0)),
        st.tuples(st.just("turns"), st.integers(1, 6)),
        st.tuples(st.just("close"), st.just(0)),
    ),
    max_size=50,
)


async def interleave(steps: list[Any]) -> None:
    engine = HeldEngine()
    made = TranslationService(pipeline(), engine, Limits(batch_rows=3, slice_sentences=1))
    handles: list[Any] = []
    texts: list[str] = []
    ends: list[Any] = []

    def text_of(number: int, sentences: int) -> str:
        return " ".join(f"Satz {number} {'ab' * part}." for part in range(sentences))

    closing = None
    for name, value in steps:
        waiting = [future for _, future, _ in engine.calls if not future.done()]
        if name == "submit":
            text = text_of(len(handles), value)
            try:
                handle = made.submit(request(text))
            except RequestCancelledError:
                assert closing is not None
                continue
            handle.response.add_done_callback(ends.append)
            handles.append(handle)
            texts.append(text)
        elif name == "cancel" and handles:
            handles[value % len(handles)].cancel()
        elif name == "cancel future" and handles:
            handles[value % len(handles)].response.cancel()
        elif name == "turns":
            await turns(value)
        elif name == "close":
            closing = closing or asyncio.ensure_future(made.close())
        elif waiting:
            assert len(waiting) == 1  # one mini-batch at a time
            batch, future, _ = engine.calls[-1]
            if name == "release":
                engine.release()
            elif name == "fail":
                engine.fail("failed")
            else:
                future.set_result(echo(batch, attention=False))
    for _ in range(200):  # let the engine finish what is left
        await turns(4)
        if closing is None and engine.calls and not engine.calls[-1][1].done():
            engine.release()
        if all(handle.response.done() for handle in handles):
            break
    for handle, text in zip(handles, texts, strict=True):
        assert handle.response.done()
        if not handle.response.cancelled() and handle.response.exception() is None:
            assert handle.response.result().text == text
    await asyncio.wait_for(closing or made.close(), 5)
    await turns()
    assert len(ends) == len(handles)
    assert leftovers(made) == {"queue": 0, "jobs": 0, "tasks": 0}


@given(STEPS)
@settings(max_examples=300, deadline=None)
def test_any_interleaving_settles_every_request_once(steps: list[Any]) -> None:
    asyncio.run(interleave(steps))


async def test_ten_thousand_requests_half_cancelled() -> None:
    chance = random.Random(4)
    ends: list[Any] = []

    def answer(batch: MiniBatch, attention: bool) -> EngineOutput:
        if chance.random() < 0.02:
            raise RuntimeError("a fault")
        return echo(batch, attention)

    async with service(ScriptedEngine(answer), slice_limits()) as made:
        handles = []
        for number in range(10_000):
            handle = made.submit(request(f"S{number}.", AlignmentKind.NONE))
            handle.response.add_done_callback(ends.append)
            handles.append(handle)
            if chance.random() < 0.5:
                chance.choice(handles[-50:]).cancel()
            if number % 100 == 0:
                await asyncio.sleep(0)
        for number, handle in enumerate(handles):
            with suppress(DragomanError):
                assert (await handle.response).text == f"S{number}."
        assert leftovers(made) == EMPTY
    assert len(ends) == 10_000


def slice_limits() -> Limits:
    return Limits(batch_pieces=4_096, batch_rows=64)


async def test_closing_costs_so_much_a_request() -> None:
    """Ending a request looks at that request only: nothing is quadratic."""

    async def closing(number: int) -> int:
        made = TranslationService(pipeline(), HeldEngine(), Limits())
        handles = [made.submit(request("Ja.\nNein.")) for _ in range(number)]
        await turns(5)
        with counted_calls() as calls:
            await made.close()
        assert all(handle.response.done() for handle in handles)
        return calls.total()

    few, many = await closing(250), await closing(1_000)
    assert many < 5 * few


async def test_a_long_text_costs_so_much_a_sentence() -> None:
    """No stage is quadratic."""

    async def translating(sentences: int) -> int:
        text = "Das ist ein Satz. " * sentences
        async with service(EchoEngine(), Limits(batch_pieces=8_192)) as made:
            with counted_calls() as calls:
                response = await made.translate(request(text, AlignmentKind.NONE))
            assert response.text == text
            assert len(response.sentences) == sentences
            return calls.total()

    few, many = await translating(250), await translating(1_000)
    assert many < 5 * few
