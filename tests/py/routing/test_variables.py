"""Dependent requests: each starts when its inputs are there; an end reaches its dependants only."""

import asyncio
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import (
    DependencyError,
    DragomanError,
    EngineError,
    GraphCycleError,
    GraphTooLargeError,
    LanguagePairError,
    RequestCancelledError,
    TextTooLongError,
    UnboundVariableError,
    WrittenTwiceError,
)
from dragoman.routing.graph import DependentRequest
from dragoman.routing.registry import ModelRegistry
from dragoman.routing.variables import VariableScope, VariableState
from dragoman.types import (
    AlignmentKind,
    LanguagePair,
    Span,
    TranslationRequest,
    TranslationResponse,
)
from tests.support.helpers import (
    FakeSource,
    assert_covers,
    dependent,
    leftovers,
    request,
    service,
    turns,
)


class FakeTranslate:
    """Brackets around each text; fails and waits where it is told to."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.failing: set[str] = set()
        self.held: dict[str, asyncio.Event] = {}
        self.cancelled: list[str] = []

    async def __call__(self, asked: TranslationRequest) -> TranslationResponse:
        self.seen.append(asked.text)
        try:
            if asked.text in self.held:
                await self.held[asked.text].wait()
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.cancelled.append(asked.text)
            raise
        if asked.text in self.failing:
            raise EngineError("out of memory")
        return TranslationResponse(asked, f"[{asked.text}]", ())

    def hold(self, text: str) -> asyncio.Event:
        self.held[text] = asyncio.Event()
        return self.held[text]


def session(translate: Any = None, **limits: Any) -> VariableScope:
    return VariableScope(translate or FakeTranslate(), Limits(**limits))


async def text(made: VariableScope, name: str) -> str:
    return (await asyncio.wait_for(made.value(name), 10)).text


# --- values --------------------------------------------------------------------------------------


async def test_an_output_is_the_input_of_another() -> None:
    async with session() as made:
        made.set("de", "Hallo")
        assert made.submit([dependent("<en", ">fr"), dependent("<de", ">en")]) == ("en", "fr")
        assert await text(made, "fr") == "[[Hallo]]"
        assert await text(made, "en") == "[Hallo]"
        assert set(made.states.values()) == {VariableState.DONE}


async def test_constants_are_not_translated() -> None:
    translate = FakeTranslate()
    async with session(translate) as made:
        made.set("a", "A")
        made.set("b", "B")
        made.submit([dependent("# ", "<a", " und ", "<b", "<a", "!", ">c")])
        assert await text(made, "c") == "# [A] und [B][A]!"
        assert sorted(translate.seen) == ["A", "B"]  # what stands twice is translated once


async def test_constants_alone() -> None:
    async with session() as made:
        made.submit([dependent("Guten Tag", ">x"), dependent("<x", ">y")])
        assert await text(made, "y") == "[Guten Tag]"


async def test_requests_can_come_one_after_the_other() -> None:
    async with session() as made:
        made.declare("de")
        made.submit([dependent("<de", ">en")])
        made.submit([dependent("<en", ">fr")])
        await turns()
        assert made.states == {
            "de": VariableState.DECLARED,
            "en": VariableState.WAITING,
            "fr": VariableState.WAITING,
        }
        made.set("de", "Hallo")
        assert await text(made, "fr") == "[[Hallo]]"


async def test_independent_requests_run_at_the_same_time() -> None:
    translate = FakeTranslate()
    slow = translate.hold("lang")
    async with session(translate) as made:
        made.set("a", "lang")
        made.set("b", "kurz")
        made.submit([dependent("<a", ">c"), dependent("<b", ">d"), dependent("<d", ">e")])
        assert await text(made, "e") == "[[kurz]]"
        assert made.states["c"] is VariableState.RUNNING
        slow.set()
        assert await text(made, "c") == "[lang]"


async def test_independent_requests_share_a_mini_batch() -> None:
    engine = EchoEngine()
    async with service(engine) as served, session(served.translate) as made:
        made.set("a", "Ja.")
        made.set("b", "Nein.")
        made.submit([dependent("<a", ">c"), dependent("<b", ">d")])
        assert (await text(made, "c"), await text(made, "d")) == ("Ja.", "Nein.")
    assert [batch.rows for batch in engine.batches] == [2]


async def test_a_translation_keeps_the_sentences_of_its_source() -> None:
    """What looks like one sentence in the middle stays two."""
    commas = EchoEngine(lambda id_: ord(chr(id_ - 2).replace(".", ",")) + 2)
    async with service(commas) as served, session(served.translate) as made:
        made.set("a", "Ja. Nein.")
        made.submit([dependent("Z. B.: ", "<a", ">b"), dependent("<b", ">c")])
        value = await made.value("c")
        assert value.text == "Z. B.: Ja, Nein,"  # the constant is never translated
        assert value.sentences == (Span(7, 10), Span(11, 16))
        assert value.response is not None
        assert_covers(value.response)


async def test_the_response_of_a_template() -> None:
    async with service(EchoEngine()) as served, session(served.translate) as made:
        made.set("a", "Ja. Nein.")
        made.set("b", "Gut so.")
        made.submit([dependent("1. ", "<a", "\n2. ", "<b", ">c")])
        response = (await made.value("c")).response
    assert response is not None
    assert response.request.text == response.text == "1. Ja. Nein.\n2. Gut so."
    assert [sentence.source.of(response.text) for sentence in response.sentences] == [
        "Ja.",
        "Nein.",
        "Gut so.",
    ]
    words = [span.of(response.text) for span in response.alignment.source_words]
    assert words == ["Ja", ".", "Nein", ".", "Gut", "so", "."]
    assert response is not None
    assert response.alignment.links == tuple((n, n) for n in range(7))
    assert_covers(response)


# --- checks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requests", "error"),
    [
        ([["<a", ">b"], ["<b", "<c", ">c"]], GraphCycleError),
        ([["<a", ">b"], ["<x", ">c"]], UnboundVariableError),
        ([["<a", ">b"], ["<a", ">a"]], WrittenTwiceError),
    ],
)
async def test_nothing_starts_when_something_is_wrong(
    requests: list[list[str]], error: type[DragomanError]
) -> None:
    translate = FakeTranslate()
    async with session(translate) as made:
        made.set("a", "A")
        with pytest.raises(error):
            made.submit([dependent(*template) for template in requests])
        await turns()
        assert translate.seen == []
        assert made.states == {"a": VariableState.DONE}


async def test_a_value_is_given_once() -> None:
    async with session() as made:
        made.set("a", "A")
        with pytest.raises(WrittenTwiceError):
            made.set("a", "B")
        with pytest.raises(WrittenTwiceError):
            made.declare("a")
        made.submit([dependent("<a", ">b")])
        with pytest.raises(WrittenTwiceError):
            made.set("b", "B")
        assert await text(made, "b") == "[A]"


async def test_no_such_variable() -> None:
    async with session() as made:
        with pytest.raises(UnboundVariableError):
            await made.value("x")
        made.cancel("x")


async def test_limits() -> None:
    async with session(graph_chunks=4, graph_characters=20, text_characters=8) as made:
        made.set("a", "1234")
        made.submit([dependent("<a", ">b")])
        with pytest.raises(GraphTooLargeError) as chunks:
            made.submit([dependent("<a", "<a", ">c")])
        assert (chunks.value.requested, chunks.value.allowed) == (5, 4)
        assert await text(made, "b") == "[1234]"
        made.submit([dependent("<b", ">c")])
        assert await text(made, "c") == "[[1234]]"
        with pytest.raises(TextTooLongError) as characters:
            made.set("d", "123")
        assert (characters.value.requested, characters.value.allowed) == (21, 20)


async def test_doubling_again_and_again_ends() -> None:
    async with session(text_characters=100) as made:
        made.set("v0", "x")
        made.submit([dependent(f"<v{n}", f"<v{n}", f">v{n + 1}") for n in range(30)])
        with pytest.raises(DependencyError) as caught:
            await made.value("v30")
        assert caught.value.details == {"variable": "v5", "cause": "text-too-long"}


# --- failures ------------------------------------------------------------------------------------


async def test_a_failure_reaches_its_dependants_only() -> None:
    translate = FakeTranslate()
    translate.failing = {"A"}
    async with session(translate) as made:
        made.set("a", "A")
        made.set("b", "B")
        made.submit(
            [dependent("<a", ">c"), dependent("<b", ">d"), dependent("<c", "<d", ">e"),
             dependent("<e", ">f"), dependent("<d", ">g")]
        )  # fmt: skip
        assert await text(made, "g") == "[[B]]"
        with pytest.raises(EngineError):
            await made.value("c")
        for name in "ef":
            with pytest.raises(DependencyError) as caught:
                await made.value(name)
            assert caught.value.details == {"variable": "c", "cause": "engine"}
        assert "out of memory" in caught.value.message
        assert made.states["d"] is VariableState.DONE
        assert made.states["f"] is VariableState.FAILED


async def test_a_failed_part_takes_the_others_of_its_chain_along() -> None:
    translate = FakeTranslate()
    translate.hold("A")
    translate.failing = {"B"}
    async with session(translate) as made:
        made.set("a", "A")
        made.set("b", "B")
        made.submit([dependent("<a", "<b", ">c")])
        with pytest.raises(EngineError):
            await asyncio.wait_for(made.value("c"), 5)
        assert translate.cancelled == ["A"]


async def test_a_failed_input_is_told_although_another_is_still_waited_for() -> None:
    translate = FakeTranslate()
    translate.failing = {"A"}
    async with session(translate) as made:
        made.set("a", "A")
        made.declare("never")
        made.submit([dependent("<a", ">b"), dependent("<never", "<b", ">c")])
        with pytest.raises(DependencyError):
            await asyncio.wait_for(made.value("c"), 5)


async def test_what_no_one_foresaw() -> None:
    async def broken(_: object) -> None:
        raise ZeroDivisionError

    async with session(broken) as made:
        made.set("a", "A")
        made.submit([dependent("<a", ">b")])
        with pytest.raises(DragomanError, match="unforeseen") as caught:
            await made.value("b")
        assert caught.value.code == "error"


async def test_a_cancel_reaches_its_dependants_only() -> None:
    translate = FakeTranslate()
    translate.hold("A")
    async with session(translate) as made:
        made.set("a", "A")
        made.set("b", "B")
        made.submit(
            [dependent("<a", ">c"), dependent("<c", ">d"), dependent("<d", "<b", ">e"),
             dependent("<b", ">f")]
        )  # fmt: skip
        await turns()
        made.cancel("c")
        for name in "cde":
            with pytest.raises(RequestCancelledError):
                await asyncio.wait_for(made.value(name), 5)
        assert await text(made, "f") == "[B]"
        assert translate.cancelled == ["A"]
        made.cancel("f")  # has ended
        made.cancel("a")  # is no output
        assert await text(made, "f") == "[B]"
        assert made.states["e"] is VariableState.CANCELLED


async def test_closing_settles_everything() -> None:
    translate = FakeTranslate()
    translate.hold("A")
    made = session(translate)
    made.set("a", "A")
    made.declare("never")
    made.submit([dependent("<a", ">b"), dependent("<b", ">c")])
    waiting = [asyncio.ensure_future(made.value(name)) for name in ("b", "c", "never")]
    await turns()
    await asyncio.wait_for(made.close(), 5)
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(end) for end in ends] == [RequestCancelledError] * 3
    assert made._tasks == set()
    assert made.states == {}
    with pytest.raises(RequestCancelledError):
        made.set("x", "X")
    with pytest.raises(RequestCancelledError):
        made.submit([])


async def test_cancelling_stops_the_request_in_the_service() -> None:
    engine = HeldEngine()
    async with service(engine) as served, session(served.translate) as made:
        made.set("a", "Ja.")
        made.submit([dependent("<a", ">b")])
        await turns()
        made.cancel("b")
        await turns()
        assert leftovers(served)["jobs"] == 0


# --- over several models -------------------------------------------------------------------------


async def test_a_graph_over_several_models() -> None:
    pairs = [LanguagePair("de", "en"), LanguagePair("en", "fr"), LanguagePair("en", "es")]
    registry = ModelRegistry(FakeSource(dict.fromkeys(pairs, 10)), Limits())

    def to(source: str, target: str, *template: str) -> DependentRequest:
        return replace(dependent(*template), options=request("", source=source, target=target))

    async with session(registry.translate) as made:
        made.set("de", "Ja. Nein.")
        made.submit(
            [
                to("de", "en", "<de", ">en"),
                to("en", "fr", "<en", ">fr"),
                to("en", "es", "<en", ">es"),
                to("en", "it", "<en", ">it"),
            ]
        )
        assert await text(made, "fr") == await text(made, "es") == "Ja. Nein."
        with pytest.raises(LanguagePairError):
            await made.value("it")
    await registry.close()


# --- any graph -----------------------------------------------------------------------------------


@given(
    edges=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=40),
    failing=st.sets(st.integers(2, 11), max_size=2),
    cancelled=st.sets(st.integers(2, 11), max_size=2),
    seed=st.integers(0, 1 << 16),
)
@settings(max_examples=150, deadline=None)
def test_any_dag_ends_as_a_recursion_says(
    edges: list[tuple[int, int]], failing: set[int], cancelled: set[int], seed: int
) -> None:
    """Nodes 0 and 1 are given; each other one reads what stands before it in number."""
    needs = {n: sorted({a for a, b in edges if b == n and a < n} | {n % 2}) for n in range(2, 12)}

    def expected(node: int) -> object:
        if node < 2:
            return f"v{node}"
        if node in cancelled:
            return RequestCancelledError
        inner = [expected(other) for other in needs[node]]
        if any(end is RequestCancelledError or isinstance(end, set) for end in inner):
            return {RequestCancelledError, DependencyError}  # whichever came first
        if any(end in (EngineError, DependencyError) for end in inner):
            return DependencyError
        if node in failing:
            return EngineError
        return f"{node}:" + "".join(f"[{end}]" for end in inner)

    async def translate(asked: TranslationRequest) -> TranslationResponse:
        for _ in range(random.Random(asked.text).randrange(4)):
            await asyncio.sleep(0)
        if asked.source == "failing":
            raise EngineError("no")
        return TranslationResponse(asked, f"[{asked.text}]", ())

    async def run() -> list[Any]:
        async with VariableScope(translate, Limits()) as made:
            requests = [
                replace(
                    dependent(f"{node}:", *(f"<v{other}" for other in needs[node]), f">v{node}"),
                    options=request(
                        "",
                        AlignmentKind.NONE,
                        source="failing" if node in failing else "de",
                    ),
                )
                for node in range(2, 12)
            ]
            random.Random(seed).shuffle(requests)
            made.set("v0", "v0")
            made.set("v1", "v1")
            made.submit(requests)
            for node in cancelled:
                made.cancel(f"v{node}")
            return await asyncio.wait_for(
                asyncio.gather(*(made.value(f"v{n}") for n in range(12)), return_exceptions=True),
                20,
            )

    for node, end in enumerate(asyncio.run(run())):
        wanted = expected(node)
        if isinstance(wanted, str):
            assert end.text == wanted
        elif isinstance(wanted, set):
            assert type(end) in wanted
        else:
            assert type(end) is wanted
