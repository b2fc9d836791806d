"""A sentence is translated once."""

import asyncio
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.service.cache import SentenceCache
from dragoman.service.service import TranslationService
from dragoman.types import AlignmentKind, Priority
from tests.support.helpers import (
    assert_covers,
    leftovers,
    pipeline,
    request,
    service,
    settled,
    turns,
)

TEXT = "Eins. Zwei, drei.\n\nVier!"


async def test_a_sentence_is_translated_once() -> None:
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


async def test_what_comes_from_the_cache_needs_no_engine() -> None:
    engine = HeldEngine()
    async with service(engine) as made:
        first = made.submit(request("Ja."))
        await turns()
        engine.release()
        await first.response
        again = await asyncio.wait_for(made.translate(request("Ja.\n12\nJa.")), 5)
        assert again.text == "Ja.\n12\nJa."
        assert len(engine.calls) == 1


async def test_no_cache_for_those_who_want_none() -> None:
    engine = EchoEngine()
    async with service(engine) as made:
        for _ in range(2):
            await made.translate(request("Ja.", cache=False))
        await made.translate(request("Ja."))
        assert made.statistics().cache_hits == 0
        await made.translate(request("Ja.", cache=False))
        assert (made.statistics().cache_hits, made.statistics().cache_misses) == (0, 1)
    assert len(engine.batches) == 4


async def test_the_kind_of_alignment_is_part_of_the_key() -> None:
    engine = EchoEngine()
    async with service(engine) as made:
        for kind in AlignmentKind:
            response = await made.translate(request("Ja.", kind))
            assert bool(response.alignment.links) == (kind is not AlignmentKind.NONE)
    assert len(engine.batches) == 3


async def test_what_was_translated_while_others_waited_is_not_translated_again() -> None:
    """The second mini-batch is under way before the first is in the cache."""
    engine = EchoEngine()
    async with service(engine, Limits(batch_rows=10)) as made:
        assert (await made.translate(request("Ja.\n" * 100))).text == "Ja.\n" * 100
        assert made.statistics().cache_hits == 80
    assert len(engine.batches) == 2


async def test_cancelling_frees_what_only_the_request_had() -> None:
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


async def test_two_models_may_share_a_cache() -> None:
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
def test_a_result_depends_neither_on_companions_nor_on_the_cache(
    texts: list[str], data: DataObject
) -> None:
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

    async def together() -> list[Any]:
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

    async def alone() -> list[Any]:
        result = []
        for text, kind in zip(texts, kinds, strict=True):
            async with service(EchoEngine()) as made:
                response = await made.translate(request("\n".join(text), kind, cache=False))
                result.append(replace(response, request=unasked))
        return result

    expected = asyncio.run(alone())
    for end, own, cancel in zip(asyncio.run(together()), expected, cancelled, strict=True):
        assert end == own or (cancel and end is None)
