"""Every request settles exactly once, with its own text, and nothing is left over."""

import asyncio
import gc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine, echo
from dragoman.errors import (
    DragomanError,
    EngineError,
    InvalidRequestError,
    LanguagePairError,
    RequestCancelledError,
    SentenceTooLongError,
    TextTooLongError,
)
from dragoman.service.service import RequestState, Ticket, TranslationService
from dragoman.types import AlignmentKind, MiniBatch, OverlongPolicy, TranslationResponse
from tests.support.helpers import (
    EMPTY,
    ScriptedEngine,
    assert_covers,
    leftovers,
    pipeline,
    request,
    service,
    settled,
    turns,
)

TEXT = "Eins. Zwei, drei.\n\nVier!"


# --- responses -----------------------------------------------------------------------------------


async def test_a_response() -> None:
    async with service(EchoEngine()) as made:
        response = await made.translate(request(TEXT))
        assert response.text == TEXT
        assert len(response.sentences) == 3
        assert_covers(response)
        assert leftovers(made) == EMPTY


@pytest.mark.parametrize("text", ["", " \n", "123", "你好。"])
async def test_what_needs_no_engine(text: str) -> None:
    engine = EchoEngine()
    async with service(engine) as made:
        response = await asyncio.wait_for(made.translate(request(text)), 10)
        assert response.text == text
        assert engine.batches == []


async def test_upper_case() -> None:
    upper = EchoEngine(lambda id_: ord(chr(id_ - 2).upper()) + 2)
    async with service(upper) as made:
        assert (await made.translate(request("Ja. Nein."))).text == "JA. NEIN."


async def test_timings() -> None:
    async with service(EchoEngine()) as made:
        timings = (await made.translate(request(TEXT))).timings
    stages = (timings.queued, timings.tokenize, timings.engine, timings.assemble)
    assert all(0 < stage <= timings.total for stage in stages)


async def test_requests_share_mini_batches() -> None:
    engine = EchoEngine()
    async with service(engine) as made:
        handles = [made.submit(request(f"Satz {chr(65 + i)}.")) for i in range(10)]
        assert [(await handle.response).text for handle in handles] == [
            f"Satz {chr(65 + i)}." for i in range(10)
        ]
    assert len(engine.batches) == 1


async def test_what_is_not_asked_for_is_not_computed() -> None:
    engine = HeldEngine()
    async with service(engine) as made:
        handle = made.submit(request("Ja.", AlignmentKind.NONE))
        await turns()
        assert [attention for *_, attention in engine.calls] == [False]
        engine.release()
        assert (await handle.response).alignment.links == ()


async def test_kinds_of_alignment_in_one_batch() -> None:
    engine = EchoEngine()
    async with service(engine) as made:
        none, hard, soft = [made.submit(request("Ja.", kind)) for kind in AlignmentKind]
        assert (await none.response).alignment.source_words == ()
        assert (await hard.response).alignment.links == ((0, 0), (1, 1))
        assert (await hard.response).sentences[0].soft is None
        assert (await soft.response).sentences[0].soft is not None
    assert len(engine.batches) == 1


@given(
    st.lists(st.sampled_from(["Ja.", "Nein, nie!", "Eins! Zwei?", "a" * 50, "", "12"]), max_size=8),
    st.integers(1, 60),
    st.integers(1, 5),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_a_result_does_not_depend_on_companions(
    texts: list[str], batch_pieces: int, batch_rows: int
) -> None:
    async def together(limits: Limits) -> list[TranslationResponse]:
        async with service(EchoEngine(), limits) as made:
            handles = [made.submit(request(text, AlignmentKind.SOFT)) for text in texts]
            return [await handle.response for handle in handles]

    async def alone() -> list[TranslationResponse]:
        async with service(EchoEngine()) as made:
            return [await made.translate(request(text, AlignmentKind.SOFT)) for text in texts]

    limits = Limits(batch_pieces=batch_pieces, batch_rows=batch_rows, slice_sentences=1)
    assert asyncio.run(together(limits)) == asyncio.run(alone())


# --- refusals ------------------------------------------------------------------------------------


async def test_languages() -> None:
    async with service(EchoEngine()) as made:
        for source, target in [("de", "fr"), ("en", "de"), ("", ""), ("de", "\ud800")]:
            with pytest.raises(LanguagePairError):
                made.submit(request("Ja", source=source, target=target))
        assert leftovers(made) == EMPTY


@pytest.mark.parametrize(
    "wrong", [{"text": 5}, {"text": None}, {"text": b"Ja."}, {"elements": None}]
)
async def test_what_is_of_another_kind_is_refused_and_holds_nothing_up(
    wrong: dict[str, Any],
) -> None:
    ((name, value),) = wrong.items()
    async with service(EchoEngine()) as made:
        told = f"{name} is of type {type(value).__name__}"
        with pytest.raises(InvalidRequestError, match=told):
            made.submit(replace(request("Ja."), **wrong))
        assert leftovers(made) == EMPTY


async def test_a_priority_by_its_name() -> None:
    async with service(EchoEngine()) as made:
        with pytest.raises(ValueError, match="urgent"):
            made.submit(request("Ja.", priority="urgent"))
        assert (await made.translate(request("Ja.", priority="near"))).text == "Ja."


async def test_text_too_long() -> None:
    async with service(EchoEngine(), Limits(text_characters=5)) as made:
        error = await settled(made.submit(request("zu lang")))
        assert isinstance(error, TextTooLongError)
        assert leftovers(made) == EMPTY


async def test_sentence_too_long() -> None:
    async with service(EchoEngine(), source_pieces=10) as made:
        asked = request("Ja.\nEin langer Satz ist das.", overlong=OverlongPolicy.REFUSE)
        assert isinstance(await settled(made.submit(asked)), SentenceTooLongError)
        assert leftovers(made) == EMPTY


# --- closing -------------------------------------------------------------------------------------


async def test_close_settles_what_is_open() -> None:
    engine = HeldEngine()
    made = TranslationService(pipeline(), engine, Limits(batch_rows=1))
    running = made.submit(request("Ja.\nJa."))
    await turns()
    unprepared = made.submit(request("Nein."))
    closing = asyncio.ensure_future(made.close())
    for handle in (running, unprepared):
        error = await settled(handle)
        assert isinstance(error, RequestCancelledError)
        assert handle.progress.state is RequestState.CANCELLED
    await asyncio.wait_for(closing, 5)  # although the engine never answered
    assert leftovers(made) == {"queue": 0, "jobs": 0, "tasks": 0}
    with pytest.raises(RequestCancelledError):
        made.submit(request("zu spät"))


async def test_close_closes_the_engine_once_after_its_last_run() -> None:
    engine = EchoEngine()
    made = TranslationService(pipeline(), engine, Limits())
    made.submit(request("Ja."))
    await turns(2)
    await asyncio.gather(made.close(), made.close())
    await made.close()
    assert engine.closed


async def test_close_with_a_listener_that_submits() -> None:
    made = TranslationService(pipeline(), HeldEngine(), Limits())
    errors = []

    def resubmit(_future: object) -> None:
        try:
            made.submit(request("noch eins"))
        except RequestCancelledError as error:
            errors.append(error)

    made.submit(request("Ja.")).response.add_done_callback(resubmit)
    await asyncio.wait_for(made.close(), 5)
    await turns()
    assert len(errors) == 1


def throws(_batch: MiniBatch, _attention: bool) -> None:
    raise ValueError("boom")


async def test_an_unread_failure_is_no_unhandled_error() -> None:
    problems = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
    async with service(ScriptedEngine(throws)) as made:
        handle = made.submit(request("Ja."))
        while not handle.response.done():
            await turns(1)
        del handle
    gc.collect()
    await turns()
    assert problems == []


# --- statistics ----------------------------------------------------------------------------------


async def test_statistics() -> None:
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=2)) as made:
        handles = [made.submit(request(text)) for text in ("Ja.\nJa.\nJa.", "So.")]
        handles[1].cancel()
        await turns()
        now = made.statistics()
        assert (now.submitted, now.open_requests, now.cancelled) == (2, 1, 1)
        assert (now.queued_sentences, now.queued_characters, now.running_sentences) == (1, 3, 2)
        for _ in range(2):
            engine.release()
            await turns()
        after = made.statistics()
        assert (after.done, after.open_requests, after.queued_sentences) == (1, 0, 0)
        assert (after.mini_batches, after.rows, after.padded_pieces) == (2, 3, 12)
        assert after.running_sentences == 0
        assert after.engine_seconds > 0
        assert after.done + after.failed + after.cancelled == after.submitted


# --- when a task dies ------------------------------------------------------------------------


async def test_a_mini_batch_that_cannot_be_made_fails_those_it_was_for() -> None:
    """A figure of a manifest that no array holds."""
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=1)) as made:
        running = made.submit(request("Ja."))
        await turns()
        limits = made.pipeline.manifest.limits
        object.__setattr__(limits, "target_extra", 2**31)
        bad = made.submit(request("Nein."))
        await turns()
        object.__setattr__(limits, "target_extra", 12)
        good = made.submit(request("Nie."))
        await turns()
        engine.release()
        failed = await settled(bad)
        assert isinstance(failed, DragomanError)
        assert isinstance(failed.__cause__, OverflowError)
        await turns()
        engine.release()
        assert (await running.response).text == "Ja."
        assert (await good.response).text == "Nie."
        assert made.statistics().restarts == 0


def breaks(*_: object) -> None:
    raise RuntimeError("nobody foresaw this")


async def test_a_task_that_dies_ends_what_is_open_and_the_service_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problems = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=1)) as made:
        open_ = [made.submit(request(text)) for text in ("Ja.", "Nein.", "Nie.")]
        await turns()
        monkeypatch.setattr(made._queue, "take", breaks)
        engine.release()
        ends = [await settled(handle) for handle in open_]
        assert [getattr(end, "code", None) for end in ends] == ["error"] * 3
        await turns()
        after = made.submit(request("Gut."))
        await turns()
        engine.release()
        assert (await after.response).text == "Gut."
        assert made.statistics().restarts == len(problems) == 1
        assert leftovers(made) == EMPTY


async def test_a_preparation_that_dies_takes_the_engines_batch_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = HeldEngine()
    async with service(engine) as made:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        running = made.submit(request("Ja."))
        await turns()
        monkeypatch.setattr(made._intake._preparation, "next", breaks)
        made.submit(request("Nein."))
        error = await settled(running)
        assert isinstance(error, DragomanError)
        await turns()
        assert engine.calls[0][1].cancelled()
        after = made.submit(request("Gut."))
        await turns()
        engine.release()
        assert (await after.response).text == "Gut."
        assert made.statistics().restarts == 1


async def test_who_comes_while_the_service_begins_anew_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = HeldEngine()
    async with service(engine) as made:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        later = []
        first = made.submit(request("Ja."))
        first.response.add_done_callback(lambda _: later.append(made.submit(request("Gut."))))
        monkeypatch.setattr(made._intake._preparation, "next", breaks)
        assert isinstance(await settled(first), DragomanError)
        await turns()
        engine.release()
        assert (await later[0].response).text == "Gut."


async def test_a_service_whose_work_was_cancelled_hangs_nobody() -> None:
    made = TranslationService(pipeline(), HeldEngine(), Limits())
    handle = made.submit(request("Ja."))
    await turns()
    made._working.cancel()  # as `asyncio.run` does to all tasks at its end
    assert isinstance(await settled(handle), RequestCancelledError)
    with pytest.raises(RequestCancelledError):
        made.submit(request("Nein."))
    await made.close()


def exits(*_: object) -> None:
    raise SystemExit(3)


async def test_what_exits_hangs_nobody() -> None:
    """A listener, an engine, who hears of the end: none of them ends the event loop."""
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    engine = ScriptedEngine(exits)
    async with service(engine) as made:
        assert isinstance(await settled(made.submit(request("Ja."))), EngineError)
        engine.answer = echo
        handle = made.submit(request("Ja."), Ticket(on_progress=exits), on_end=exits)
        assert (await handle.response).text == "Ja."
        assert made.statistics().restarts == 0
