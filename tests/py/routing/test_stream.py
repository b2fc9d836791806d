"""Text in pieces of any size, translated sentences in order: those of the whole text at once."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.engines.port import Engine
from dragoman.errors import (
    BundleError,
    EngineError,
    InvalidRequestError,
    LanguagePairError,
    RequestCancelledError,
    SentenceTooLongError,
)
from dragoman.routing.registry import ModelRegistry
from dragoman.routing.router import Router
from dragoman.routing.stream import (
    LONGEST_PENDING,
    StreamPiece,
    StreamState,
    TranslationStream,
    stream_pieces,
)
from dragoman.types import (
    LanguagePair,
    OverlongPolicy,
    Span,
    TranslationRequest,
    TranslationResponse,
)
from tests.support.helpers import FakeSource, leftovers, request, service, turns


def capitals(id_: int) -> int:
    upper = chr(id_ - 2).upper()
    return ord(upper) + 2 if len(upper) == 1 else id_


@asynccontextmanager
async def stream(
    engine: Engine | None = None,
    options: TranslationRequest | None = None,
    pieces: int = 80,
    **limits: Any,
) -> AsyncIterator[Any]:
    made = Limits(**limits)
    async with service(engine or EchoEngine(capitals), made, source_pieces=pieces) as served:
        opened = TranslationStream(served.translate, options or request(""), made)
        try:
            yield opened
        finally:
            await asyncio.wait_for(opened.close(), 10)


async def test_a_prefix_is_of_one_text() -> None:
    with pytest.raises(InvalidRequestError, match="a prefix is of one text"):
        async with stream(options=request("", prefix="")):
            pass


async def read(opened: TranslationStream) -> list[Any]:
    return [piece async for piece in opened]


async def pieces_of(opened: TranslationStream, chunks: Iterable[str]) -> list[StreamPiece]:
    """Feed and read at the same time."""

    async def source() -> AsyncIterator[Any]:
        for chunk in chunks:
            yield chunk

    return [piece async for piece in stream_pieces(opened, source())]


def utf16_units(text: str) -> list[str]:
    encoded = text.encode("utf-16-le", "surrogatepass")
    return [encoded[n : n + 2].decode("utf-16-le", "surrogatepass")
            for n in range(0, len(encoded), 2)]  # fmt: skip


# --- what comes out ------------------------------------------------------------------------------


async def test_sentences_come_as_soon_as_they_are_sure() -> None:
    async with stream() as opened:
        await opened.feed(" Guten Mor")
        await opened.feed("gen! Wie geht")
        await turns(30)
        assert not opened._open
        await opened.feed(" es dir, Dr. M")
        first = await asyncio.wait_for(anext(opened), 5)
        assert (first.text, first.source, first.target) == (
            " GUTEN MORGEN!",
            Span(0, 14),
            Span(0, 14),
        )
        await opened.feed("eier?\n")
        assert (await asyncio.wait_for(anext(opened), 5)).text == " WIE GEHT ES DIR, DR. MEIER?"
        await opened.finish()
        assert [piece.text for piece in await read(opened)] == ["\n"]
        assert opened.state is StreamState.FINISHED


@pytest.mark.parametrize("chunks", [[], [""], ["", ""]])
async def test_nothing(chunks: list[str]) -> None:
    async with stream() as opened:
        assert await pieces_of(opened, chunks) == []


@pytest.mark.parametrize("text", [" ", "\n", "\r\n", " \n \n"])
async def test_white_space_alone(text: str) -> None:
    async with stream() as opened:
        assert [piece.text for piece in await pieces_of(opened, text)] == [text]


@pytest.mark.parametrize(
    ("chunks", "texts"),
    [
        (["Ja 😀 nein.\n"[:4], "Ja 😀 nein.\n"[4:]], ["JA 😀 NEIN.", "\n"]),
        (["Ja \ud83d", "\ude00 nein.\n"], ["JA 😀 NEIN.", "\n"]),
        (["Ja \ud83d", "", "\ude00.\n"], ["JA 😀.", "\n"]),
        (["Ja \ud83d", "x.\n"], ["JA \ufffdX.", "\n"]),
        (["Ja \ud83d"], ["JA \ufffd"]),
        (["\ude00 Ja"], ["\ufffd JA"]),
        (["Ja.\r", "\nNein."], ["JA.", "\r\nNEIN."]),
        (["Wir, z", ". B. Dr.", " Mei", "er."], ["WIR, e.g. DR. MEIER."]),
        (["e", "\u0301.\n"], ["E\u0301.", "\n"]),
    ],
)
async def test_cuts_in_all_places(chunks: Iterable[str], texts: list[str]) -> None:
    async with stream() as opened:
        assert [piece.text for piece in await pieces_of(opened, chunks)] == texts


WORDS = ("Das ist ", "Dr. Meier", "z. B. ", "gut", "U\u0308ber ", "wort " * 30, "Oktober ")
MARKS = (". ", "! ", "?", "\n", "\r\n", " ", "(ja.) ", "„Nein.“ ", "1. Eins ", "2. Zwei ", " 3. ")
OTHERS = ("😀", "👩\u200d👩\u200d👧 ", "你好。", "\ud83d", "12.", "\u0301")
TEXTS = st.lists(st.sampled_from(WORDS + MARKS + OTHERS) | st.text(max_size=4), max_size=30).map(
    "".join
)


@given(TEXTS, st.none() | st.integers(1, 40), st.sampled_from([12, 80]))
@settings(max_examples=200, deadline=None)
def test_any_text_in_pieces_is_translated_as_the_whole(
    text: str, size: int | None, most: int
) -> None:
    """Fed one UTF-16 unit at a time, or by so many code points."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    chunks = utf16_units(text) if size is None else [
        text[n : n + size] for n in range(0, len(text), size)
    ]  # fmt: skip

    async def run() -> tuple[TranslationResponse, list[StreamPiece]]:
        async with service(EchoEngine(capitals), source_pieces=most) as served:
            whole = await served.translate(request(text))
            opened = TranslationStream(served.translate, request(""), Limits(stream_sentences=3))
            return whole, await asyncio.wait_for(pieces_of(opened, chunks), 20)

    whole, pieces = asyncio.run(run())
    assert_same(whole, pieces)


def assert_same(whole: TranslationResponse, pieces: list[StreamPiece]) -> None:
    """The pieces cover both texts, and all of the response is in them."""
    assert "".join(piece.text for piece in pieces) == whole.text
    assert "".join(piece.response.request.text for piece in pieces) == whole.request.text
    read = written = 0
    sentences: list[Any] = []
    words: tuple[list[Any], list[Any]] = ([], [])
    links: list[Any] = []
    for piece in pieces:
        assert (piece.source.start, piece.target.start) == (read, written)
        read, written = piece.source.end, piece.target.end
        by = piece.source.start, piece.target.start
        sentences += [
            (sentence.source.shifted(by[0]), sentence.target.shifted(by[1]), sentence.score)
            for sentence in piece.response.sentences
        ]
        alignment = piece.response.alignment
        links += [(s + len(words[0]), t + len(words[1])) for s, t in alignment.links]
        words[0].extend(word.shifted(by[0]) for word in alignment.source_words)
        words[1].extend(word.shifted(by[1]) for word in alignment.target_words)
    assert sentences == [(s.source, s.target, s.score) for s in whole.sentences]
    assert tuple(words[0]) == whole.alignment.source_words
    assert tuple(words[1]) == whole.alignment.target_words
    assert tuple(links) == whole.alignment.links


# --- bounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["wort " * 3_000, "x" * 12_000, "ja, nein; " * 1_500])
async def test_a_sentence_that_does_not_end_is_cut_where_one_request_would_cut_it(
    text: str,
) -> None:
    text += "Ende. Und dann noch einer.\n"
    async with service(EchoEngine(capitals)) as served:
        whole = await served.translate(request(text))
        opened = TranslationStream(served.translate, request(""), Limits())
        pieces = await pieces_of(opened, [text[n : n + 7] for n in range(0, len(text), 7)])
    assert_same(whole, pieces)
    assert all(len(piece.text) < LONGEST_PENDING for piece in pieces)
    warning = pieces[0].response.warnings[-1]
    assert warning.code == "sentence-wrapped"
    assert warning.message == "the stream was cut: no end of the sentence"


async def test_white_space_without_end() -> None:
    text = "Ja" + " " * 5_000 + "Nein" + " " * 5_000
    async with stream() as opened:
        pieces = await pieces_of(opened, text)
    assert "".join(piece.text for piece in pieces) == text.upper()
    assert pieces[0].response.warnings[0].message == "the stream was cut: white space without end"
    assert max(len(piece.text) for piece in pieces) < 2_000


async def test_an_over_long_sentence_can_be_refused() -> None:
    options = replace(request(""), overlong=OverlongPolicy.REFUSE)
    async with stream(options=options) as opened:
        with pytest.raises(SentenceTooLongError):
            await pieces_of(opened, ["wort " * 3_000])


async def test_the_state_of_a_stream_is_small() -> None:
    """However much has gone through it."""
    most = 0
    async with stream(stream_sentences=4) as opened:

        async def feed() -> None:
            nonlocal most
            for _ in range(300):
                await opened.feed("Das ist ein ganz gewöhnlicher Satz, wie man ihn liest. " * 5)
                most = max(most, opened.held)
            await opened.finish()

        feeding = asyncio.ensure_future(feed())
        count = len(await read(opened))
        await feeding
        assert opened.held == 0
    assert count == 1_501
    assert most < 1_000


async def test_memory_of_a_stream() -> None:
    """A stream that waits holds its own state and nothing else."""
    async with service(EchoEngine()) as served:
        tracemalloc.start()
        streams = [TranslationStream(served.translate, request(""), Limits()) for _ in range(500)]
        for opened in streams:
            await opened.feed("Das ist ein ganz gewöhnlicher Satz, der noch")
        bytes_each = tracemalloc.get_traced_memory()[0] / len(streams)
        tracemalloc.stop()
    assert bytes_each < 4_000


async def test_many_streams_share_one_model() -> None:
    engine = EchoEngine(capitals)
    async with service(engine) as served:
        streams = [TranslationStream(served.translate, request(""), Limits()) for _ in range(50)]
        results = await asyncio.gather(
            *(pieces_of(opened, f"Satz {n}. Noch einer.\n") for n, opened in enumerate(streams))
        )
    for n, pieces in enumerate(results):
        assert "".join(piece.text for piece in pieces) == f"SATZ {n}. NOCH EINER.\n"
    assert len(engine.batches) < 50


async def test_feeding_waits_for_the_reader() -> None:
    async with stream(stream_sentences=2) as opened:
        feeding = asyncio.ensure_future(opened.feed("Ja.\n" * 10))
        await turns(50)
        assert not feeding.done()
        assert len(opened._open) == 2
        texts = [(await anext(opened)).text for _ in range(8)]
        await asyncio.wait_for(feeding, 5)
        await opened.finish()
        assert texts == ["JA."] + ["\nJA."] * 7
        assert len(await read(opened)) == 3


# --- ends ----------------------------------------------------------------------------------------


async def test_a_finished_stream_takes_nothing() -> None:
    async with stream() as opened:
        await opened.feed("Ja.")
        await opened.finish()
        with pytest.raises(InvalidRequestError, match="finished"):
            await opened.feed("Nein.")
        with pytest.raises(InvalidRequestError, match="finished"):
            await opened.finish()
        assert [piece.text for piece in await read(opened)] == ["JA."]


async def test_a_sentence_that_fails_closes_the_stream() -> None:
    engine = HeldEngine()
    async with service(engine, Limits(batch_rows=1)) as served:
        opened = TranslationStream(served.translate, request(""), Limits())
        await opened.feed("Ja.\nNein.\n")
        await turns(30)
        engine.release()
        assert (await anext(opened)).text == "Ja."
        await turns(30)
        engine.fail("out of memory")
        with pytest.raises(EngineError, match="out of memory"):
            await anext(opened)
        assert opened.state is StreamState.CLOSED
        for step in (anext(opened), opened.feed("x"), opened.finish()):
            with pytest.raises(EngineError, match="out of memory"):
                await step
        assert opened.held == 0


async def test_what_no_one_foresaw() -> None:
    async def broken(_: object) -> NoReturn:
        raise ZeroDivisionError

    opened = TranslationStream(broken, request(""), Limits())
    with pytest.raises(Exception, match="unforeseen"):
        await pieces_of(opened, ["Ja.\n"])


async def test_closing_cancels_what_is_under_way() -> None:
    engine = HeldEngine()
    async with service(engine) as served:
        opened = TranslationStream(served.translate, request(""), Limits(stream_sentences=1))
        feeding = asyncio.ensure_future(opened.feed("Ja.\n" * 5))
        reading = asyncio.ensure_future(anext(opened))
        await turns(30)
        await asyncio.wait_for(opened.close(), 5)
        await opened.close()
        for task in (feeding, reading):
            with pytest.raises(RequestCancelledError):
                await asyncio.wait_for(task, 5)
        await turns()
        assert leftovers(served)["jobs"] == 0


async def test_cancelling_who_feeds_closes_the_stream() -> None:
    async with stream(stream_sentences=1) as opened:
        feeding = asyncio.ensure_future(opened.feed("Ja.\n" * 5))
        await turns(30)
        feeding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await feeding
        with pytest.raises(RequestCancelledError, match="feeding"):
            await anext(opened)


async def test_cancelling_who_reads_loses_nothing() -> None:
    engine = HeldEngine()
    async with stream(engine) as opened:
        await opened.feed("Ja.\n")
        reading = asyncio.ensure_future(anext(opened))
        await turns(30)
        reading.cancel()
        await turns()
        engine.release()
        assert (await anext(opened)).text == "Ja."


async def test_chunks_that_raise_close_the_stream() -> None:
    async def chunks() -> AsyncIterator[Any]:
        yield "Ja.\n"
        await turns(30)
        raise OSError("the connection is gone")

    async with stream() as opened:
        pieces = stream_pieces(opened, chunks())
        assert (await anext(pieces)).text == "JA."
        with pytest.raises(OSError, match="gone"):
            await anext(pieces)
        assert opened.state is StreamState.CLOSED


async def test_leaving_early_closes_the_stream() -> None:
    async def chunks() -> AsyncIterator[Any]:
        while True:
            yield "Ja.\n"

    async with stream() as opened:
        pieces = stream_pieces(opened, chunks())
        assert (await anext(pieces)).text == "JA."
        await asyncio.wait_for(pieces.aclose(), 5)
        assert opened.state is StreamState.CLOSED


# --- over several models -------------------------------------------------------------------------


async def test_a_stream_over_a_pivot() -> None:
    pairs = dict.fromkeys((LanguagePair("de", "en"), LanguagePair("en", "fr")), 10)
    registry = ModelRegistry(FakeSource(pairs), Limits())
    router = Router(registry, Limits())
    pieces = await pieces_of(router.start(request("", target="fr")), "Ja, 😀. Nein! Und\ngut")
    assert [piece.text for piece in pieces] == ["Ja, 😀.", " Nein!", " Und", "\ngut"]
    assert pieces[0].response.request.target == "fr"
    assert pieces[0].response.alignment.links == ((0, 0), (1, 1), (2, 2), (3, 3))
    with pytest.raises(LanguagePairError):
        await pieces_of(router.start(request("", target="it")), "Ja.")
    await registry.close()


async def test_a_model_that_cannot_be_loaded() -> None:
    source = FakeSource({LanguagePair("de", "en"): 10})
    source.failures[LanguagePair("de", "en")] = BundleError("broken")
    registry = ModelRegistry(source, Limits())
    with pytest.raises(BundleError):
        await pieces_of(Router(registry, Limits()).start(request("")), "Ja.\n")
    await registry.close()
