"""Who waits for room in the queue, and who is refused."""

from collections.abc import Sequence

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import (
    QueueFullError,
    RequestCancelledError,
)
from dragoman.types import Piece, Priority, WhenFull
from tests.support.helpers import (
    EMPTY,
    CharacterTokenizer,
    counted_calls,
    leftovers,
    request,
    service,
    settled,
    turns,
)


async def test_queue_full() -> None:
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


async def test_a_long_text_waits_for_room_instead_of_being_refused() -> None:
    limits = Limits(queued_sentences=10, slice_sentences=4, batch_rows=2)
    async with service(EchoEngine(), limits) as made:
        text = "Ja.\n" * 50
        assert (await made.submit(request(text)).response).text == text
        assert leftovers(made) == EMPTY


async def test_cancelling_while_waiting_for_room() -> None:
    limits = Limits(queued_sentences=10, slice_sentences=4, batch_rows=1)
    async with service(HeldEngine(), limits) as made:
        handle = made.submit(request("Ja.\n" * 50))
        await turns(40)
        handle.cancel()
        assert isinstance(await settled(handle), RequestCancelledError)
        await turns(5)
        assert leftovers(made) == EMPTY


NARROW = Limits(queued_sentences=4, slice_sentences=2, batch_rows=1)


async def test_refuse_or_wait() -> None:
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


async def test_who_comes_as_room_comes_waits_behind_the_one_that_waited() -> None:
    engine = HeldEngine()
    async with service(engine, NARROW) as made:
        first = made.submit(request("Ja.\n" * 5, cache=False))
        await turns(20)
        patient = made.submit(request("Na.\n" * 2, when_full=WhenFull.WAIT, cache=False))
        await turns(20)
        first.cancel()
        late = made.submit(request("Nein.", cache=False))  # there is room, and nobody has it yet
        for _ in range(6):
            await turns(20)
            for _, future, _ in engine.calls:
                if not future.done():
                    engine.release()
        assert late.response.done()
        assert (await patient.response).text == "Na.\n" * 2
        assert (await late.response).text == "Nein."
        assert isinstance(await settled(first), RequestCancelledError)
        assert leftovers(made) == EMPTY


async def test_those_behind_who_would_not_wait_are_refused() -> None:
    async with service(HeldEngine(), Limits(queued_sentences=4, slice_sentences=4)) as made:
        long = made.submit(request("Ja.\n" * 9))
        await turns(2)  # its first slice is in
        behind = made.submit(request("Nein.\nNein."))
        patient = made.submit(request("Na.", when_full=WhenFull.WAIT))
        assert isinstance(await settled(behind), QueueFullError)
        assert not long.response.done()
        assert not patient.response.done()


async def test_a_full_queue_of_a_page_refuses_nobody_who_types() -> None:
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


# --- long texts and short ones ---------------------------------------------------------------


class CountingTokenizer(CharacterTokenizer):
    """Knows how many code points it was given."""

    def __init__(self) -> None:
        self.given = 0

    def encode(self, sentences: Sequence[str]) -> list[tuple[Piece, ...]]:
        self.given += sum(map(len, sentences))
        return super().encode(sentences)


LONG_TEXTS = {
    "sentences": "Das ist ein Satz von vielen. " * 3_500,
    "one sentence": "haus baum garten " * 6_000,
    "stops that end nothing": "z. B. " * 16_600,
    "markers of no list": "1. " * 33_000,
}


@pytest.mark.parametrize("text", LONG_TEXTS.values(), ids=LONG_TEXTS)
async def test_a_short_text_does_not_wait_behind_a_hundred_long_ones(text: str) -> None:
    """In work, not in seconds: what is done before it is bounded, however many wait."""
    tokenizer = CountingTokenizer()
    limits = Limits(queued_sentences=1_000_000, queued_characters=100_000_000)
    async with service(HeldEngine(), limits, tokenizer=tokenizer) as made:
        for number in range(100):
            made.submit(request(f"{number} {text}"), on_end=lambda _: 0)
        await turns(8)
        before = tokenizer.given
        short = made.submit(request("Guten Tag, wie geht es dir? Und morgen?"))
        with counted_calls() as calls:
            await turns(2)
        assert short.progress.total == 2
        assert tokenizer.given - before < 30_000
        assert calls.total() < 1_500_000  # one hundred texts would be tens of millions


async def test_a_long_text_has_its_turn_among_short_ones() -> None:
    limits = Limits(queued_sentences=1_000_000, slice_sentences=4, patience=3)
    async with service(HeldEngine(), limits) as made:
        long = made.submit(request("Das ist ein Satz. " * 500))
        short = [made.submit(request("Das geht. " * 4), on_end=lambda _: 0) for _ in range(12)]
        await turns(6)
        assert 0 < long.progress.total < 40
        await turns(300)
        assert long.progress.total == 500
        assert all(handle.progress.total == 4 for handle in short)
