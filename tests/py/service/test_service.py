"""Every request settles exactly once, with its own text, and nothing is left over."""

import asyncio
import gc
import math
import random
from array import array
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine, echo
from dragoman.errors import (
    DeadlineError,
    DragomanError,
    EngineError,
    InvalidRequestError,
    LanguagePairError,
    QueueFullError,
    RequestCancelledError,
    SentenceTooLongError,
    TextTooLongError,
)
from dragoman.service.cache import SentenceCache
from dragoman.service.service import Progress, RequestState, Ticket, TranslationService
from dragoman.types import AlignmentKind, EngineOutput, OverlongPolicy, Priority, WhenFull
from tests.support.helpers import (
    CharacterTokenizer,
    ScriptedEngine,
    assert_covers,
    counted_calls,
    leftovers,
    pipeline,
    request,
    service,
    settled,
    turns,
)

EMPTY = {"queue": 0, "jobs": 0, "tasks": 2}  # one prepares, one works for the engine
TEXT = "Eins. Zwei, drei.\n\nVier!"


# --- responses -----------------------------------------------------------------------------------


async def test_a_response():
    async with service(EchoEngine()) as made:
        response = await made.translate(request(TEXT))
        assert response.text == TEXT
        assert len(response.sentences) == 3
        assert_covers(response)
        assert leftovers(made) == EMPTY


@pytest.mark.parametrize("text", ["", " \n", "123", "你好。"])
async def test_what_needs_no_engine(text):
    engine = EchoEngine()
    async with service(engine) as made:
        response = await asyncio.wait_for(made.translate(request(text)), 10)
        assert response.text == text
        assert engine.batches == []


async def test_upper_case():
    upper = EchoEngine(lambda id_: ord(chr(id_ - 2).upper()) + 2)
    async with service(upper) as made:
        assert (await made.translate(request("Ja. Nein."))).text == "JA. NEIN."


async def test_timings():
    async with service(EchoEngine()) as made:
        timings = (await made.translate(request(TEXT))).timings
    stages = (timings.queued, timings.tokenize, timings.engine, timings.assemble)
    assert all(0 < stage <= timings.total for stage in stages)


async def test_requests_share_mini_batches():
    engine = EchoEngine()
    async with service(engine) as made:
        handles = [made.submit(request(f"Satz {chr(65 + i)}.")) for i in range(10)]
        assert [(await handle.response).text for handle in handles] == [
            f"Satz {chr(65 + i)}." for i in range(10)
        ]
    assert len(engine.batches) == 1


async def test_what_is_not_asked_for_is_not_computed():
    engine = HeldEngine()
    async with service(engine) as made:
        handle = made.submit(request("Ja.", AlignmentKind.NONE))
        await turns()
        assert [attention for *_, attention in engine.calls] == [False]
        engine.release()
        assert (await handle.response).alignment.links == ()


async def test_kinds_of_alignment_in_one_batch():
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
def test_a_result_does_not_depend_on_companions(texts, batch_pieces, batch_rows):
    async def together(limits: Limits):
        async with service(EchoEngine(), limits) as made:
            handles = [made.submit(request(text, AlignmentKind.SOFT)) for text in texts]
            return [await handle.response for handle in handles]

    async def alone():
        async with service(EchoEngine()) as made:
            return [await made.translate(request(text, AlignmentKind.SOFT)) for text in texts]

    limits = Limits(batch_pieces=batch_pieces, batch_rows=batch_rows, slice_sentences=1)
    assert asyncio.run(together(limits)) == asyncio.run(alone())


# --- refusals ------------------------------------------------------------------------------------


async def test_languages():
    async with service(EchoEngine()) as made:
        for source, target in [("de", "fr"), ("en", "de"), ("", ""), ("de", "\ud800")]:
            with pytest.raises(LanguagePairError):
                made.submit(request("Ja", source=source, target=target))
        assert leftovers(made) == EMPTY


async def test_text_too_long():
    async with service(EchoEngine(), Limits(text_characters=5)) as made:
        error = await settled(made.submit(request("zu lang")))
        assert isinstance(error, TextTooLongError)
        assert leftovers(made) == EMPTY


async def test_sentence_too_long():
    async with service(EchoEngine(), source_pieces=10) as made:
        asked = request("Ja.\nEin langer Satz ist das.", overlong=OverlongPolicy.REFUSE)
        assert isinstance(await settled(made.submit(asked)), SentenceTooLongError)
        assert leftovers(made) == EMPTY


async def test_queue_full():
    limits = Limits(queued_sentences=10, slice_sentences=4, batch_rows=1)
    engine = HeldEngine()
    async with service(engine, limits) as made:
        first = made.submit(request("Ja.\n" * 9, cache=False))
        await turns(20)
        error = await settled(made.submit(request("Nein.\n" * 20)))
        assert isinstance(error, QueueFullError)
        assert error.allowed == 10
        for _ in range(9):
            await turns()
            engine.release()
        assert (await first.response).text == "Ja.\n" * 9
        assert leftovers(made) == EMPTY


async def test_a_long_text_waits_for_room_instead_of_being_refused():
    limits = Limits(queued_sentences=10, slice_sentences=4, batch_rows=2)
    async with service(EchoEngine(), limits) as made:
        text = "Ja.\n" * 50
        assert (await made.submit(request(text)).response).text == text
        assert leftovers(made) == EMPTY


async def test_cancelling_while_waiting_for_room():
    limits = Limits(queued_sentences=10, slice_sentences=4, batch_rows=1)
    async with service(HeldEngine(), limits) as made:
        handle = made.submit(request("Ja.\n" * 50))
        await turns(40)
        handle.cancel()
        assert isinstance(await settled(handle), RequestCancelledError)
        await turns(5)
        assert leftovers(made) == EMPTY


# --- progress ------------------------------------------------------------------------------------


async def test_progress_and_states():
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


async def test_states_of_failure():
    async with service(HeldEngine()) as made:
        cancelled = made.submit(request("Ja."))
        cancelled.cancel()
        failed = made.submit(request("a" * 600_000))
        await settled(failed)
        assert cancelled.progress.state is RequestState.CANCELLED
        assert failed.progress.state is RequestState.FAILED


async def test_a_listener_that_throws_hurts_nobody():
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


async def test_a_listener_may_cancel_and_submit():
    async with service(EchoEngine()) as made:
        more = []

        def listener(_progress: Progress) -> None:
            handle.cancel()
            if not more:
                more.append(made.submit(request("Nein.")))

        handle = made.submit(request(TEXT), Ticket(on_progress=listener))
        assert isinstance(await settled(handle), RequestCancelledError)
        assert (await more[0].response).text == "Nein."


# --- cancelling ----------------------------------------------------------------------------------


async def test_cancel_before_the_first_turn_does_no_work():
    made_drafts = []

    class Watched(CharacterTokenizer):
        def encode(self, sentences):
            made_drafts.append(sentences)
            return super().encode(sentences)

    engine = EchoEngine()
    async with service(engine, tokenizer=Watched()) as made:
        made.submit(request(TEXT)).cancel()
        await turns()
        assert leftovers(made) == EMPTY
    assert made_drafts == engine.batches == []


async def test_cancel_frees_the_queue_at_once():
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


async def test_cancel_while_a_long_text_is_split_up():
    engine = EchoEngine()
    async with service(engine, Limits(slice_sentences=1)) as made:
        handle = made.submit(request("Ja.\n" * 500))
        await turns(5)
        handle.cancel()
        await turns(5)
        assert leftovers(made) == EMPTY
        assert sum(batch.rows for batch in engine.batches) < 20


async def test_cancel_after_the_end_changes_nothing():
    async with service(EchoEngine()) as made:
        handle = made.submit(request("Ja."))
        response = await handle.response
        handle.cancel()
        handle.cancel()
        assert handle.response.result() is response
        assert handle.progress.state is RequestState.DONE


async def test_cancelling_the_task_that_waits():
    engine = HeldEngine()
    async with service(engine) as made:
        task = asyncio.ensure_future(made.translate(request("Ja.")))
        await turns()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert leftovers(made)["jobs"] == 0


async def test_a_cancelled_future_is_a_cancelled_request():
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


# --- engines that fail ---------------------------------------------------------------------------


def nan_scores(batch, attention):
    good = echo(batch, attention)
    return EngineOutput(
        good.steps, good.ids, array("f", [math.nan] * len(good.ids)), good.attention
    )


def nan_attention(batch, attention):
    good = echo(batch, attention)
    nans = array("f", [math.nan] * len(good.attention))
    return EngineOutput(good.steps, good.ids, good.log_probabilities, nans)


def a_row_too_few(batch, attention):
    good = echo(batch, attention)
    return EngineOutput(good.steps, good.ids[: -good.steps], good.log_probabilities, good.attention)


def no_attention(batch, _attention):
    return echo(batch, attention=False)


def unknown_pieces(batch, attention):
    return echo(batch, attention, lambda _: 2**31 - 1)


def throws(_batch, _attention):
    raise ValueError("boom")


def cancels(_batch, _attention):
    raise asyncio.CancelledError


def gives_nothing(_batch, _attention):
    return None


@pytest.mark.parametrize(
    "answer",
    [
        nan_scores, nan_attention, a_row_too_few, no_attention, unknown_pieces, throws, cancels,
        gives_nothing,
    ],
)  # fmt: skip
async def test_an_engine_that_gives_nonsense(answer):
    engine = ScriptedEngine(answer)
    async with service(engine) as made:
        for _ in range(2):
            error = await settled(made.submit(request(TEXT)))
            assert isinstance(error, EngineError), error
            assert error.code == "engine"
            assert leftovers(made) == EMPTY
        engine.answer = echo  # it comes back to its senses, and the service is as good as new
        assert (await asyncio.wait_for(made.translate(request(TEXT)), 10)).text == TEXT


def nan_row(marked):
    """NaN in the rows whose first piece is a letter, as scores and as attention."""

    def answer(batch, attention):
        good = echo(batch, attention)
        for row, segment in enumerate(batch.segments):
            if segment.pieces[0].id == ord(marked) + 2:
                good.log_probabilities[row * good.steps] = math.nan
                for cell in range(batch.width if attention else 0):
                    good.attention[row * good.steps * batch.width + cell] = math.nan
        return good

    return answer


async def test_a_row_that_is_no_number_fails_its_request_and_no_companion():
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


async def test_an_engine_that_throws_before_it_awaits():
    class Eager(EchoEngine):
        def run(self, batch, *, attention):  # noqa: ARG002
            raise RuntimeError("not even a coroutine")

    async with service(Eager()) as made:
        assert isinstance(await settled(made.submit(request(TEXT))), EngineError)


async def test_a_failure_reaches_only_its_batch():
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


async def test_a_stage_that_fails_unforeseen_ends_its_request_only():
    class Fragile(CharacterTokenizer):
        def encode(self, sentences):
            if any("E" in sentence for sentence in sentences):
                raise MemoryError("encode")
            return super().encode(sentences)

        def decode(self, rows):
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


# --- closing -------------------------------------------------------------------------------------


async def test_close_settles_what_is_open():
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


async def test_close_closes_the_engine_once_after_its_last_run():
    engine = EchoEngine()
    made = TranslationService(pipeline(), engine, Limits())
    made.submit(request("Ja."))
    await turns(2)
    await asyncio.gather(made.close(), made.close())
    await made.close()
    assert engine.closed


async def test_close_with_a_listener_that_submits():
    made = TranslationService(pipeline(), HeldEngine(), Limits())
    errors = []

    def resubmit(_future) -> None:
        try:
            made.submit(request("noch eins"))
        except RequestCancelledError as error:
            errors.append(error)

    made.submit(request("Ja.")).response.add_done_callback(resubmit)
    await asyncio.wait_for(made.close(), 5)
    await turns()
    assert len(errors) == 1


async def test_an_unread_failure_is_no_unhandled_error():
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


# --- interleavings -------------------------------------------------------------------------------

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


async def interleave(steps) -> None:
    engine = HeldEngine()
    made = TranslationService(pipeline(), engine, Limits(batch_rows=3, slice_sentences=1))
    handles, texts, ends = [], [], []

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
            batch, future, attention = engine.calls[-1]
            if name == "release":
                engine.release()
            elif name == "fail":
                engine.fail("failed")
            else:
                future.set_result(no_attention(batch, attention))
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
def test_any_interleaving_settles_every_request_once(steps):
    asyncio.run(interleave(steps))


async def test_ten_thousand_requests_half_cancelled():
    chance = random.Random(4)
    ends = []

    def answer(batch, attention):
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


async def test_closing_costs_so_much_a_request():
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


async def test_a_long_text_costs_so_much_a_sentence():
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


# --- priorities ----------------------------------------------------------------------------------

PAGE = " ".join(f"Satz {'ab' * (number % 9)}." for number in range(60))


async def test_a_typed_sentence_waits_for_one_mini_batch():
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


async def test_the_order_of_priorities():
    order: list[Any] = []
    async with service(EchoEngine(), Limits(batch_rows=1)) as made:
        handles = [
            made.submit(
                request(f"{priority}.", priority=priority), on_end=lambda r: order.append(r.request)
            )
            for priority in reversed(Priority)
        ]
        await asyncio.gather(*(handle.response for handle in handles))
    assert [asked.priority for asked in order] == list(Priority)


async def test_prioritize():
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


async def test_background_is_not_starved_by_a_flood():
    engine = EchoEngine()
    async with service(engine, Limits(batch_rows=1, patience=5)) as made:
        patient = made.submit(request("Zeit.", priority=Priority.BACKGROUND))
        number = 0
        flood = set()
        while not patient.response.done():
            while len(flood) < 3:
                number += 1
                handle = made.submit(request(f"Jetzt {'x' * (number % 30)}."), on_end=lambda _: 0)
                flood.add(handle)
            await turns(1)
            flood = {handle for handle in flood if not handle.response.done()}
            assert number < 100
        assert (await patient.response).text == "Zeit."


async def test_short_texts_share_the_first_mini_batch_of_an_idle_engine():
    engine = EchoEngine()
    async with service(engine) as made:
        handles = [
            made.submit(request(f"Satz {'x' * n}.", priority=Priority.NEAR)) for n in range(9)
        ]
        await asyncio.gather(*(handle.response for handle in handles))
    assert [batch.rows for batch in engine.batches] == [9]


async def test_a_busy_engine_waits_a_moment_for_companions():
    """The second mini-batch has all of the long text, which is split in many turns."""
    engine = HeldEngine()
    limits = Limits(slice_sentences=1, batch_rows=30, gather_milliseconds=5_000)
    async with service(engine, limits) as made:
        first = made.submit(request("Ja.", priority=Priority.NEAR))
        await turns(4)
        assert len(engine.calls) == 1
        second = made.submit(request("Ja.\n" * 30, priority=Priority.NEAR))
        await turns(2)
        engine.release()
        await turns(90)
        assert [batch.rows for batch, *_ in engine.calls] == [1, 30]
        engine.release()
        assert (await first.response).text == "Ja."
        assert (await second.response).text == "Ja.\n" * 30


# --- deadlines -----------------------------------------------------------------------------------


async def test_a_deadline():
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


async def test_a_deadline_that_is_kept():
    async with service(EchoEngine()) as made:
        response = await made.translate(request("Ja.", deadline=5))
        assert response.text == "Ja."
        assert leftovers(made) == EMPTY


@pytest.mark.parametrize("deadline", [0, -1.0, math.nan, math.inf, 86_401])
async def test_deadlines_that_are_none(deadline):
    async with service(EchoEngine()) as made:
        with pytest.raises(InvalidRequestError, match="the deadline is"):
            made.submit(request("Ja.", deadline=deadline))


# --- back-pressure -------------------------------------------------------------------------------

NARROW = Limits(queued_sentences=4, slice_sentences=2, batch_rows=1)


async def test_refuse_or_wait():
    engine = HeldEngine()
    async with service(engine, NARROW) as made:
        first = made.submit(request("Ja.\n" * 5, cache=False))
        await turns(20)
        patient = made.submit(request("Na.\n" * 2, when_full=WhenFull.WAIT, cache=False))
        await turns(20)
        refused = made.submit(request("Nein."))  # behind one that waits: it is told at once
        assert refused.response.done()
        error = await settled(refused)
        assert isinstance(error, QueueFullError)
        assert error.details == {"requested": 6, "allowed": 4, "counted": "sentences"}
        for _ in range(7):
            engine.release()
            await turns(20)
        assert (await first.response).text == "Ja.\n" * 5
        assert (await patient.response).text == "Na.\n" * 2
        assert leftovers(made) == EMPTY


async def test_those_behind_who_would_not_wait_are_refused():
    async with service(HeldEngine(), Limits(queued_sentences=4, slice_sentences=4)) as made:
        long = made.submit(request("Ja.\n" * 9))
        await turns(1)  # its first slice is in
        behind = made.submit(request("Nein.\nNein."))
        patient = made.submit(request("Na.", when_full=WhenFull.WAIT))
        assert isinstance(await settled(behind), QueueFullError)
        assert not long.response.done()
        assert not patient.response.done()


async def test_a_full_queue_of_a_page_refuses_nobody_who_types():
    engine = HeldEngine()
    async with service(engine, NARROW) as made:
        page = made.submit(request("Ja.\n" * 50, priority=Priority.NEAR, when_full=WhenFull.WAIT))
        await turns(20)
        typed = made.submit(request("Hallo!"))
        await turns(20)
        engine.release()
        await turns(20)
        engine.release()
        assert (await typed.response).text == "Hallo!"
        assert not page.response.done()


# --- an engine that hangs ------------------------------------------------------------------------


async def test_an_engine_that_hangs_is_given_up():
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


# --- statistics ----------------------------------------------------------------------------------


async def test_statistics():
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


# --- cache ---------------------------------------------------------------------------------------


async def test_a_sentence_is_translated_once():
    engine = EchoEngine()
    async with service(engine) as made:
        first = await made.translate(request("Ja.  Nein.", AlignmentKind.SOFT))
        again = await made.translate(request("Nein. Doch. Ja.", AlignmentKind.SOFT))
        assert again.text == "Nein. Doch. Ja."
        assert again.sentences[2].soft is not None
        assert_covers(again)
        assert first.text == "Ja.  Nein."
        figures = made.statistics()
    assert [batch.rows for batch in engine.batches] == [2, 1]
    assert (figures.cache_hits, figures.cache_misses, figures.cache_entries) == (2, 3, 3)
    assert figures.cache_hit_rate == 0.4
    assert figures.cache_bytes > 3_000


async def test_what_comes_from_the_cache_needs_no_engine():
    engine = HeldEngine()
    async with service(engine) as made:
        first = made.submit(request("Ja."))
        await turns()
        engine.release()
        await first.response
        again = await asyncio.wait_for(made.translate(request("Ja.\n12\nJa.")), 5)
        assert again.text == "Ja.\n12\nJa."
        assert len(engine.calls) == 1


async def test_no_cache_for_those_who_want_none():
    engine = EchoEngine()
    async with service(engine) as made:
        for _ in range(2):
            await made.translate(request("Ja.", cache=False))
        await made.translate(request("Ja."))
        assert made.statistics().cache_hits == 0
        await made.translate(request("Ja.", cache=False))
        assert (made.statistics().cache_hits, made.statistics().cache_misses) == (0, 1)
    assert len(engine.batches) == 4


async def test_the_kind_of_alignment_is_part_of_the_key():
    engine = EchoEngine()
    async with service(engine) as made:
        for kind in AlignmentKind:
            response = await made.translate(request("Ja.", kind))
            assert bool(response.alignment.links) == (kind is not AlignmentKind.NONE)
    assert len(engine.batches) == 3


async def test_what_was_translated_while_others_waited_is_not_translated_again():
    """The second mini-batch is under way before the first is in the cache."""
    engine = EchoEngine()
    async with service(engine, Limits(batch_rows=10)) as made:
        assert (await made.translate(request("Ja.\n" * 100))).text == "Ja.\n" * 100
        assert made.statistics().cache_hits == 80
    assert len(engine.batches) == 2


async def test_cancelling_frees_what_only_the_request_had():
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=1)) as made:
        handle = made.submit(request("Ja.\nNein.\nDoch."))
        for _ in range(2):
            await turns()
            engine.release()
        await turns()
        other = await asyncio.wait_for(made.translate(request("Ja.")), 5)
        assert other.text == "Ja."
        assert made.statistics().cache_entries == 2
        handle.cancel()
        assert made.statistics().cache_entries == 1  # the other has used it
        assert leftovers(made)["jobs"] == 0


async def test_two_models_may_share_a_cache():
    cache = SentenceCache(10_000_000)
    engines = [EchoEngine(), EchoEngine(lambda id_: ord(chr(id_ - 2).upper()) + 2)]
    pipelines = [pipeline(), pipeline(graph="another")]
    services = [
        TranslationService(made, engine, Limits(), cache)
        for made, engine in zip(pipelines, engines, strict=True)
    ]
    for _ in range(2):
        texts = [(await made.translate(request("Ja."))).text for made in services]
        assert texts == ["Ja.", "JA."]
    assert [len(engine.batches) for engine in engines] == [1, 1]
    assert len(cache) == 2
    await asyncio.gather(*(made.close() for made in services))


TEXTS = st.lists(
    st.lists(st.sampled_from(["Ja.", "Nein!", "So ist es.", "12", "a" * 90]), max_size=4),
    max_size=8,
)


@given(TEXTS, st.data())
@settings(max_examples=60, deadline=None)
def test_a_result_depends_neither_on_companions_nor_on_the_cache(texts, data):
    """Whatever the priorities, the size of the cache, and who is cancelled beside it."""
    kinds = [data.draw(st.sampled_from(AlignmentKind)) for _ in texts]
    priorities = [data.draw(st.sampled_from(Priority)) for _ in texts]
    cancelled = [data.draw(st.booleans()) for _ in texts]
    limits = Limits(
        batch_pieces=data.draw(st.integers(1, 60)),
        batch_rows=data.draw(st.integers(1, 5)),
        cache_bytes=data.draw(st.sampled_from([1, 10_000, 10_000_000])),
        filler_percent=data.draw(st.sampled_from([0, 25, 100])),
    )

    unasked = request("")  # the requests differ in what this is not about

    async def together():
        async with service(EchoEngine(), limits) as made:
            handles = [
                made.submit(request("\n".join(text), kind, priority=priority))
                for text, kind, priority in zip(texts, kinds, priorities, strict=True)
            ]
            await turns(data.draw(st.integers(0, 9)))
            for handle, cancel in zip(handles, cancelled, strict=True):
                if cancel:
                    handle.cancel()
            ends = [await settled(handle) for handle in handles]
            return [
                None if isinstance(end, BaseException) else replace(end, request=unasked)
                for end in ends
            ]

    async def alone():
        found = []
        for text, kind in zip(texts, kinds, strict=True):
            async with service(EchoEngine()) as made:
                response = await made.translate(request("\n".join(text), kind, cache=False))
                found.append(replace(response, request=unasked))
        return found

    expected = asyncio.run(alone())
    for end, own, cancel in zip(asyncio.run(together()), expected, cancelled, strict=True):
        assert end == own or (cancel and end is None)
