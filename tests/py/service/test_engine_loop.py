"""What an engine gives, fails to give or gives too late; whose turn it is there."""

import asyncio
import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine, echo
from dragoman.errors import (
    DragomanError,
    EngineError,
    RequestCancelledError,
)
from dragoman.pipeline.hypotheses import rows
from dragoman.service import engine_loop
from dragoman.service.progress import Progress
from dragoman.service.ticket import Ticket
from dragoman.types import DetokenizedText, EngineOutput, MiniBatch, Piece, Priority
from tests.support.helpers import (
    EMPTY,
    CharacterTokenizer,
    ScriptedEngine,
    leftovers,
    request,
    service,
    settled,
    turns,
)

TEXT = "Eins. Zwei, drei.\n\nVier!"


# --- priorities ----------------------------------------------------------------------------------

PAGE = " ".join(f"Satz {'ab' * (number % 9)}." for number in range(60))


async def test_a_typed_sentence_waits_for_one_mini_batch() -> None:
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=4)) as made:
        page = [made.submit(request(PAGE, priority=Priority.VISIBLE)) for _ in range(3)]
        await turns()
        typed = made.submit(request("Hallo!"))
        await turns()
        engine.release()
        await turns()
        assert [row.request for row in engine.calls[-1][0].segments] == [4]  # alone, and next
        engine.release()
        assert (await typed.response).text == "Hallo!"
        assert not any(handle.response.done() for handle in page)


async def test_the_order_of_priorities() -> None:
    order: list[Any] = []
    async with service(EchoEngine(), Limits(batch_rows=1)) as made:
        handles = [
            made.submit(request(f"{priority}.", priority=priority), on_end=order.append)
            for priority in reversed(Priority)
        ]
        await asyncio.gather(*(handle.response for handle in handles))
    assert [end.request.priority for end in order] == list(Priority)


async def test_prioritize() -> None:
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=1)) as made:
        first, second = [
            made.submit(request(text, priority=Priority.BACKGROUND)) for text in ("Ja.\nDa.", "Na.")
        ]
        await turns()
        third = made.submit(request("So.", priority=Priority.BACKGROUND))
        third.prioritize(Priority.VISIBLE)  # before it is split
        await turns()
        second.prioritize(Priority.INTERACTIVE)  # while it waits
        assert second.priority is Priority.INTERACTIVE
        for _ in range(4):
            engine.release()
            await turns()
        assert [batch.segments[0].request for batch, *_ in engine.calls] == [1, 2, 3, 1]
        second.prioritize(Priority.NEAR)  # too late to matter
        assert (await first.response).text == "Ja.\nDa."


async def test_background_is_not_starved_by_a_flood() -> None:
    engine = EchoEngine()
    async with service(engine, Limits(batch_rows=1, patience=5)) as made:
        patient = made.submit(request("Zeit.", priority=Priority.BACKGROUND))
        number = 0
        flood: set[Any] = set()
        while not patient.response.done():
            while len(flood) < 3:
                number += 1
                handle = made.submit(request(f"Jetzt {'x' * (number % 30)}."), on_end=lambda _: 0)
                flood.add(handle)
            await turns(1)
            flood = {handle for handle in flood if not handle.response.done()}
            assert number < 100
        assert (await patient.response).text == "Zeit."


async def test_short_texts_share_the_first_mini_batch_of_an_idle_engine() -> None:
    engine = EchoEngine()
    async with service(engine) as made:
        handles = [
            made.submit(request(f"Satz {'x' * n}.", priority=Priority.NEAR)) for n in range(9)
        ]
        await asyncio.gather(*(handle.response for handle in handles))
    assert [batch.rows for batch in engine.batches] == [9]


async def test_a_busy_engine_waits_a_moment_for_companions() -> None:
    """The second mini-batch has all of the long text, which is split in many turns."""
    engine = HeldEngine()
    limits = Limits(slice_sentences=1, batch_rows=16, gather_milliseconds=5_000)
    async with service(engine, limits) as made:
        first = made.submit(request("Ja.", priority=Priority.NEAR))
        await turns(4)
        assert len(engine.calls) == 1
        second = made.submit(request("Ja.\n" * 16, priority=Priority.NEAR))
        await turns(2)
        engine.release()
        await turns(90)
        assert [batch.rows for batch, *_ in engine.calls] == [1, 16]
        engine.release()
        assert (await first.response).text == "Ja."
        assert (await second.response).text == "Ja.\n" * 16


async def test_the_engine_has_its_next_mini_batch_before_the_last_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A request that leaves between the two gets nothing, and takes nothing from others."""
    engine, looks = HeldEngine(), []
    async with service(engine, Limits(batch_rows=1)) as made:
        first, second, third = [made.submit(request(text)) for text in ("Ja.", "Na.", "So.")]

        def looked_at(*given: Any) -> Any:
            looks.append(len(engine.calls))
            second.cancel()
            return rows(*given)

        monkeypatch.setattr(engine_loop, "rows", looked_at)
        await turns()
        for _ in range(2):  # the second one is taken back
            engine.release()
            await turns()
        assert looks == [2, 3]
        assert [(await one.response).text for one in (first, third)] == ["Ja.", "So."]
        assert isinstance(await settled(second), RequestCancelledError)
        assert leftovers(made) == EMPTY


# --- engines that fail ---------------------------------------------------------------------------


def nan_scores(batch: MiniBatch, attention: bool) -> EngineOutput:
    good = echo(batch, attention)
    return EngineOutput(
        good.steps, good.ids, array("f", [math.nan] * len(good.ids)), good.attention
    )


def nan_attention(batch: MiniBatch, attention: bool) -> EngineOutput:
    good = echo(batch, attention)
    nans = array("f", [math.nan] * len(good.attention))
    return EngineOutput(good.steps, good.ids, good.log_probabilities, nans)


def a_row_too_few(batch: MiniBatch, attention: bool) -> EngineOutput:
    good = echo(batch, attention)
    return EngineOutput(good.steps, good.ids[: -good.steps], good.log_probabilities, good.attention)


def no_attention(batch: MiniBatch, _attention: bool) -> EngineOutput:
    return echo(batch, attention=False)


def unknown_pieces(batch: MiniBatch, attention: bool) -> EngineOutput:
    return echo(batch, attention, lambda _: 2**31 - 1)


def throws(_batch: MiniBatch, _attention: bool) -> None:
    raise ValueError("boom")


def cancels(_batch: MiniBatch, _attention: bool) -> None:
    raise asyncio.CancelledError


def gives_nothing(_batch: MiniBatch, _attention: bool) -> None:
    return None


@pytest.mark.parametrize(
    "answer",
    [
        nan_scores, nan_attention, a_row_too_few, no_attention, unknown_pieces, throws, cancels,
        gives_nothing,
    ],
)  # fmt: skip
async def test_an_engine_that_gives_nonsense(
    answer: Callable[[MiniBatch, bool], EngineOutput],
) -> None:
    engine = ScriptedEngine(answer)
    async with service(engine) as made:
        for _ in range(2):
            error = await settled(made.submit(request(TEXT)))
            assert isinstance(error, EngineError), error
            assert error.code == "engine"
            assert leftovers(made) == EMPTY
        engine.answer = echo  # it comes back to its senses, and the service is as good as new
        assert (await asyncio.wait_for(made.translate(request(TEXT)), 10)).text == TEXT


def nan_row(marked: str) -> Callable[[MiniBatch, bool], EngineOutput]:
    """NaN in the rows whose first piece is a letter, as scores and as attention."""

    def answer(batch: MiniBatch, attention: bool) -> EngineOutput:
        good = echo(batch, attention)
        for row, segment in enumerate(batch.segments):
            if segment.pieces[0].id == ord(marked) + 2:
                good.log_probabilities[row * good.steps] = math.nan
                for cell in range(batch.width if attention else 0):
                    good.attention[row * good.steps * batch.width + cell] = math.nan
        return good

    return answer


async def test_a_row_that_is_no_number_fails_its_request_and_no_companion() -> None:
    engine = ScriptedEngine(nan_row("N"))
    async with service(engine, Limits(batch_rows=8)) as made:
        texts = ["Ja.", "Nein.", "Gut.\nNie.\nSo.", "Ab."]
        handles = [made.submit(request(text)) for text in texts]
        ends = [await settled(handle) for handle in handles]
        assert (made.statistics().mini_batches, made.statistics().rows) == (1, 6)
        assert [getattr(end, "text", None) for end in ends] == ["Ja.", None, None, "Ab."]
        for failed in ends[1], ends[2]:
            assert isinstance(failed, EngineError)
            assert "not numbers" in failed.message
        engine.answer = echo  # nothing of the failed rows was kept
        assert (await made.translate(request("Nein."))).text == "Nein."


async def test_an_engine_that_throws_before_it_awaits() -> None:
    class Eager(EchoEngine):
        def run(self, batch: MiniBatch, *, attention: bool) -> NoReturn:  # noqa: ARG002
            raise RuntimeError("not even a coroutine")

    async with service(Eager()) as made:
        assert isinstance(await settled(made.submit(request(TEXT))), EngineError)


async def test_a_failure_reaches_only_its_batch() -> None:
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=1)) as made:
        first, second = made.submit(request("Ja.\nJa.\nJa.")), made.submit(request("Nein."))
        await turns()
        engine.fail("out of memory")
        error = await settled(first)
        assert isinstance(error, EngineError)
        assert "out of memory" in error.message
        engine.release()
        assert (await second.response).text == "Nein."
        assert len(engine.calls) == 2  # the other sentences of the first were never run


async def test_a_stage_that_fails_unforeseen_ends_its_request_only() -> None:
    class Fragile(CharacterTokenizer):
        def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
            if any("E" in sentence for sentence in sentences):
                raise MemoryError("encode")
            return super().encode(sentences)

        def decode(self, rows: Sequence[Sequence[int]]) -> list[DetokenizedText]:
            if any(ord("D") + 2 in row for row in rows):
                raise RuntimeError("decode")
            return super().decode(rows)

    async with service(EchoEngine(), tokenizer=Fragile()) as made:
        good = made.submit(request("Ja."))
        bad = [made.submit(request("Eins.")), made.submit(request("Da."))]
        for handle in bad:
            error = await settled(handle)
            assert isinstance(error, DragomanError)
            assert json_ready(error)
        assert (await good.response).text == "Ja."
        assert leftovers(made) == EMPTY


def json_ready(error: DragomanError) -> bool:
    return isinstance(error.code, str) and isinstance(error.message, str)


# --- an engine that hangs ------------------------------------------------------------------------


async def test_an_engine_that_hangs_is_given_up() -> None:
    engine = HeldEngine()
    async with service(engine, Limits(engine_seconds=1, batch_rows=1)) as made:
        made._loop._limits = replace(made._limits, engine_seconds=0.02)  # type: ignore[arg-type]
        first, second = made.submit(request("Ja.")), made.submit(request("Nein."))
        error = await settled(first)
        assert isinstance(error, EngineError)
        assert error.message.startswith("the engine gave nothing within 0.02 s")
        await turns()
        engine.release()
        assert (await second.response).text == "Nein."


async def test_a_listener_that_cancels_what_was_taken_with_it() -> None:
    """Its sentence was translated for another one while it waited: it hears of that at once."""
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=2)) as made:

        def cancel_other(progress: Progress) -> None:
            if progress.done:
                other.cancel()

        first = made.submit(request("Ja."))
        await turns()
        between = [made.submit(request(text)) for text in ("Eh.", "Oh.")]
        second = made.submit(request("Ja."), Ticket(on_progress=cancel_other))
        other = made.submit(request("Na."))
        await turns()
        for _ in range(2):
            engine.release()
            await turns()
        served = [await settled(handle) for handle in (first, *between, second)]
        assert isinstance(await settled(other), RequestCancelledError)
        assert made.statistics().restarts == 0
    assert [getattr(end, "text", end) for end in served] == ["Ja.", "Eh.", "Oh.", "Ja."]
