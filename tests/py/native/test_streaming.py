"""Streams and dependent requests of the synchronous `Translator`."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from dragoman.engines.fake import EchoEngine
from dragoman.errors import (
    DependencyError,
    GraphCycleError,
    InvalidRequestError,
    RequestCancelledError,
    SentenceTooLongError,
)
from dragoman.native.bundles import Parts
from dragoman.native.translator import Translator
from dragoman.routing.graph import Constant, DependentRequest, Input, Output
from dragoman.types import OverlongPolicy, Span
from tests.support.helpers import pipeline, request

TEXT = "Ja 😀. Um ca. 8 Uhr.\n\nNein! Gut"


@pytest.fixture
def translator() -> Iterator[Translator]:
    with Translator(Parts(pipeline(), EchoEngine())) as made:
        yield made


def test_a_prefix_is_of_one_text(translator: Translator) -> None:
    for several in (translator.translate_many, translator.stream):
        with pytest.raises(InvalidRequestError, match="a prefix is of one text"):
            next(several(["Ja."], prefix="Yes"))


@pytest.mark.parametrize("parts", [TEXT, [TEXT], list(TEXT), [], ""])
def test_however_it_is_cut_it_is_the_text(translator: Translator, parts: str | list[str]) -> None:
    pieces = list(translator.stream(parts))
    whole = translator.translate("".join(parts))
    assert "".join(piece.text for piece in pieces) == whole.text
    shifted = [
        sentence.source.shifted(piece.source.start)
        for piece in pieces
        for sentence in piece.response.sentences
    ]
    assert shifted == [sentence.source for sentence in whole.sentences]


def test_a_sentence_comes_while_the_text_is_awaited(translator: Translator) -> None:
    texts: queue.Queue[str | None] = queue.Queue()
    stream = translator.stream(iter(texts.get, None))
    texts.put("Ja. Und dann kam")
    first = next(stream)
    assert (first.text, first.source) == ("Ja.", Span(0, 3))
    texts.put(" er.")
    texts.put(None)
    assert [piece.text for piece in stream] == [" Und dann kam er."]


def test_what_the_texts_raise_is_raised(translator: Translator) -> None:
    def texts() -> Iterator[str]:
        yield "Ja. "
        raise OSError("the microphone is gone")

    with pytest.raises(OSError, match="microphone"):
        list(translator.stream(texts()))
    assert translator.translate("Ja.").text == "Ja."


def test_a_sentence_that_fails_ends_the_stream(translator: Translator) -> None:
    stream = translator.stream(["Ja.\n", "wort " * 90], overlong="refuse")
    assert next(stream).text == "Ja."
    with pytest.raises(SentenceTooLongError):
        list(stream)


def test_ending_the_iteration_early_leaves_nothing(translator: Translator) -> None:
    read = threading.Event()

    def endless() -> Iterator[str]:
        while True:
            read.set()
            yield "Ja.\n"

    stream = translator.stream(endless())
    next(stream)
    assert read.is_set()
    stream.close()
    assert translator.translate("Nein.").text == "Nein."


def test_closing_the_translator_ends_a_stream_that_waits_for_text() -> None:
    texts: queue.Queue[str | None] = queue.Queue()
    translator = Translator(Parts(pipeline(), EchoEngine()))
    stream = translator.stream(iter(texts.get, None))
    texts.put("Ja. Und")
    ends: queue.Queue[BaseException] = queue.Queue()

    def read() -> None:
        try:
            list(stream)
        except RequestCancelledError as error:
            ends.put(error)

    reader = threading.Thread(target=read)
    reader.start()
    translator.close()
    reader.join(60)
    assert ends.get(timeout=60).args
    texts.put(None)
    with pytest.raises(RequestCancelledError):
        translator.stream("Ja.")


def test_a_graph(translator: Translator) -> None:
    options = request("")
    refusing = request("", overlong=OverlongPolicy.REFUSE)
    ends = translator.graph(
        {"a": "Ja.", "long": "wort " * 90},
        [
            DependentRequest((Constant("# "), Input("a"), Output("b")), options),
            DependentRequest((Input("b"), Output("c")), options),
            DependentRequest((Input("long"), Output("d")), refusing),
            DependentRequest((Input("d"), Output("e")), options),
        ],
    )
    assert [getattr(ends[name], "text", None) for name in "bc"] == ["# Ja."] * 2
    assert isinstance(ends["d"], SentenceTooLongError)
    assert isinstance(ends["e"], DependencyError)
    with pytest.raises(GraphCycleError):
        translator.graph({}, [DependentRequest((Input("b"), Output("b")), options)])


def test_an_option_that_is_none(translator: Translator) -> None:
    options: Any = {"colour": "red"}
    said = r"^Translator\.{}\(\) got an unexpected keyword argument 'colour'$"
    with pytest.raises(TypeError, match=said.format("translate")):
        translator.translate("Ja.", **options)
    with pytest.raises(TypeError, match=said.format("submit")):
        translator.submit("Ja.", **options)
    with pytest.raises(TypeError, match=said.format("translate_many")):
        next(translator.translate_many(["Ja."], **options))
    with pytest.raises(TypeError, match=said.format("stream")):
        translator.stream("Ja.", **options)
