"""The translator for asyncio: the names of the plain one, awaited."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from dragoman.documents.translate import TranslatedDocument
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import (
    InvalidRequestError,
    LanguageNotSureError,
    LanguagePairError,
    RequestCancelledError,
    SentenceTooLongError,
    TextTooLongError,
)
from dragoman.native.asynchronous import AsyncTranslator, Loading
from dragoman.native.bundles import Parts
from dragoman.native.translator import Translator
from dragoman.routing.graph import DependentRequest, Input, Output
from dragoman.routing.stream import StreamPiece
from dragoman.service.service import Progress
from dragoman.types import Element, ElementKind, Span
from tests.support.helpers import pipeline, request
from tests.support.hosts import capital_parts
from tests.support.waiting import PATIENCE, until, until_told


@pytest.fixture
async def translator() -> AsyncIterator[AsyncTranslator]:
    async with AsyncTranslator(Translator(capital_parts())) as made:
        yield made


@pytest.fixture
async def held() -> AsyncIterator[tuple[AsyncTranslator, HeldEngine]]:
    engine = HeldEngine()
    async with AsyncTranslator(Translator(Parts(pipeline(), engine))) as made:
        yield made, engine


async def all_of(pieces: AsyncIterator[StreamPiece]) -> list[StreamPiece]:
    """The pieces of a stream; one that never ends fails the test."""
    async with asyncio.timeout(PATIENCE):
        return [piece async for piece in pieces]


def names(cls: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(cls) if not name.startswith("_")}


def test_the_names_are_those_of_the_plain_translator() -> None:
    attributes = {"source", "target", "legs", "manifest"}
    assert names(AsyncTranslator) == names(Translator) | attributes


async def test_translate_tells_progress_in_this_loop(translator: AsyncTranslator) -> None:
    heard: list[tuple[asyncio.AbstractEventLoop, Progress]] = []
    response = await translator.translate(
        "eins. zwei.",
        on_progress=lambda progress: heard.append((asyncio.get_running_loop(), progress)),
    )
    assert response.text == "EINS. ZWEI."
    assert {loop for loop, _ in heard} == {asyncio.get_running_loop()}
    assert (translator.source, translator.target) == ("de", "en")


async def test_a_prefix_is_of_one_text(translator: AsyncTranslator) -> None:
    for several in (translator.translate_many, translator.stream):
        with pytest.raises(InvalidRequestError, match="a prefix is of one text"):
            await anext(several(["Ja."], prefix="Yes"))


async def test_elements_are_of_one_text(translator: AsyncTranslator) -> None:
    elements = [Element(Span(0, 2), ElementKind.INLINE)]
    for several in (translator.translate_many, translator.stream):
        with pytest.raises(InvalidRequestError, match="elements are of one text"):
            await anext(several(["Ja."], elements=elements))


async def test_an_option_that_is_none(translator: AsyncTranslator) -> None:
    options: Any = {"colour": "red"}
    said = r"^AsyncTranslator\.{}\(\) got an unexpected keyword argument 'colour'$"
    with pytest.raises(TypeError, match=said.format("translate")):
        await translator.translate("Ja.", **options)
    with pytest.raises(TypeError, match=said.format("submit")):
        translator.submit("Ja.", **options)
    with pytest.raises(TypeError, match=said.format("translate_many")):
        await anext(translator.translate_many(["Ja."], **options))
    with pytest.raises(TypeError, match=said.format("stream")):
        await anext(translator.stream("Ja.", **options))


async def test_one_text_is_not_taken_letter_by_letter(translator: AsyncTranslator) -> None:
    with pytest.raises(InvalidRequestError, match="texts is one text: put it into a list"):
        await anext(translator.translate_many("Eins."))


async def test_many_share_mini_batches_and_keep_their_order(translator: AsyncTranslator) -> None:
    async def texts() -> AsyncIterator[str]:
        for number in range(3):
            yield f"nummer {number}."

    plain = [r.text async for r in translator.translate_many(["eins.", "zwei."])]
    assert plain == ["EINS.", "ZWEI."]
    assert [r.text async for r in translator.translate_many(texts())] == [
        "NUMMER 0.", "NUMMER 1.", "NUMMER 2.",
    ]  # fmt: skip


async def test_the_language_of_each_of_many_is_found_out(translator: AsyncTranslator) -> None:
    texts = ["Guten Morgen, wie geht es dir heute?", "xx", "Und was machst du morgen?"]
    responses = translator.translate_many(texts, source="auto")
    assert (await anext(responses)).text == "GUTEN MORGEN, WIE GEHT ES DIR HEUTE?"
    with pytest.raises(LanguageNotSureError):
        await anext(responses)
    assert await anext(responses, None) is None


async def test_a_stream_gives_sentences_while_its_text_still_comes(
    translator: AsyncTranslator,
) -> None:
    more = asyncio.Event()

    async def text() -> AsyncIterator[str]:
        yield "Ja. Und dann kam"
        await more.wait()  # The first sentence must have come out before this goes on.
        yield " er."

    pieces = []
    async for piece in translator.stream(text()):
        pieces.append(piece.text)
        more.set()
    assert pieces == ["JA.", " UND DANN KAM ER."]


async def test_what_the_texts_raise_ends_the_stream(translator: AsyncTranslator) -> None:
    async def text() -> AsyncIterator[str]:
        yield "eins. "
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        _ = [piece async for piece in translator.stream(text())]


async def test_typed_errors_of_the_texts_end_the_stream_too(translator: AsyncTranslator) -> None:
    async def awaited() -> AsyncIterator[str]:
        yield "eins. "
        raise LanguagePairError("fr", "es", "")

    def plain() -> Iterator[str]:
        yield "eins. "
        raise LanguagePairError("fr", "es", "")

    for text in (awaited(), plain()):
        with pytest.raises(LanguagePairError):
            await all_of(translator.stream(text))


async def test_texts_that_are_cancelled_end_the_stream(translator: AsyncTranslator) -> None:
    async def text() -> AsyncIterator[str]:
        yield "eins. "
        raise asyncio.CancelledError

    with pytest.raises(RequestCancelledError, match="the reading of the texts was cancelled"):
        await all_of(translator.stream(text()))


async def test_whatever_the_texts_raise_ends_the_stream(translator: AsyncTranslator) -> None:
    class ForeignError(BaseException):
        """Such as pytest's own: no Exception."""

    def text() -> Iterator[str]:
        yield "eins. "
        raise ForeignError

    with pytest.raises(ForeignError):
        await all_of(translator.stream(text()))


async def test_a_sentence_that_fails_is_its_readers(translator: AsyncTranslator) -> None:
    long = ["eins.\n", "wort " * 90]
    with pytest.raises(SentenceTooLongError):
        await all_of(translator.stream(long, overlong="refuse"))


async def test_a_stream_that_is_left_early_lets_go(translator: AsyncTranslator) -> None:
    pieces = translator.stream(["Ja. ", "Und dann. ", "Nein."])
    assert (await anext(pieces)).text == "JA."
    await pieces.aclose()
    assert (await translator.translate("vier.")).text == "VIER."


async def test_a_graph(translator: AsyncTranslator) -> None:
    asked = DependentRequest((Input("a"), Output("b")), request(""))
    ended = await translator.graph({"a": "eins."}, [asked])
    assert getattr(ended["b"], "text", None) == "EINS."


async def test_errors_are_those_of_the_plain_translator(translator: AsyncTranslator) -> None:
    with pytest.raises(TextTooLongError):
        await translator.translate("a" * 2_000_000)


async def test_a_cancelled_wait_cancels_the_request(
    held: tuple[AsyncTranslator, HeldEngine],
) -> None:
    translator, _ = held
    waiting = asyncio.create_task(translator.translate("eins."))
    while (await translator.statistics()).open_requests == 0:
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    while (await translator.statistics()).open_requests:
        await asyncio.sleep(0)
    assert (await translator.statistics()).cancelled == 1


async def test_a_submission_is_awaited_or_taken_back(
    held: tuple[AsyncTranslator, HeldEngine],
) -> None:
    translator, _ = held
    submission = translator.submit("eins.")
    submission.prioritize("background")
    assert not submission.done()
    submission.cancel()
    with pytest.raises(RequestCancelledError):
        await submission


async def test_a_submission_is_awaited_where_it_is_made(translator: AsyncTranslator) -> None:
    assert (await translator.submit("eins.")).text == "EINS."


async def test_close_ends_what_waits(held: tuple[AsyncTranslator, HeldEngine]) -> None:
    translator, _ = held
    waiting = asyncio.create_task(translator.translate("eins."))
    await asyncio.sleep(0)
    await translator.close()
    with pytest.raises(RequestCancelledError):
        await waiting


async def test_a_document_whose_wait_is_cancelled_while_it_is_read_is_not_translated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, reading, go_on = HeldEngine(), threading.Event(), threading.Event()
    plain = Translator(Parts(pipeline(), engine))
    submit = plain._submit_document
    taken: list[Future[TranslatedDocument]] = []

    def slowly(*given: Any) -> Future[TranslatedDocument]:
        reading.set()
        assert go_on.wait(PATIENCE)
        taken.append(submit(*given))
        return taken[0]

    monkeypatch.setattr(plain, "_submit_document", slowly)
    async with AsyncTranslator(plain) as translator:
        waiting = asyncio.create_task(translator.translate_document(b"eins.", name="a.txt"))
        assert await asyncio.to_thread(reading.wait, PATIENCE)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        go_on.set()
        await until_told(lambda: taken and taken[0].cancelled())


def test_what_was_being_loaded_is_closed_when_its_loop_is_gone() -> None:
    parts, loading, go_on = capital_parts(), threading.Event(), threading.Event()
    engine = parts.engine
    assert isinstance(engine, EchoEngine)

    def load() -> AsyncTranslator:
        loading.set()
        assert go_on.wait(PATIENCE)
        return AsyncTranslator(Translator(parts))

    async def give_up() -> None:
        waiting = asyncio.ensure_future(Loading(load)._opened())
        assert await asyncio.to_thread(loading.wait, PATIENCE)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        threading.Timer(0.1, go_on.set).start()  # when the loop waits for its threads alone

    asyncio.run(give_up())
    until(lambda: engine.closed)


async def test_load_is_awaited_or_entered(real_bundle: Path) -> None:
    async with AsyncTranslator.load("de", "en", [real_bundle]) as entered:
        assert (await entered.translate("Guten Morgen!")).text == "Good morning!"
    with pytest.raises(RequestCancelledError):
        await entered.translate("Guten Morgen!")
    awaited = await AsyncTranslator.load("de", "en", [real_bundle])
    await awaited.close()


async def test_load_says_what_is_missing(real_bundle: Path) -> None:
    with pytest.raises(LanguagePairError, match="available: de-en"):
        await AsyncTranslator.load("fr", "es", [real_bundle])
