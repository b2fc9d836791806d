"""Every pair that the models reach, and what is built on dependent requests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import (
    BundleError,
    DeadlineError,
    InvalidElementsError,
    InvalidRequestError,
    LanguagePairError,
    SentenceTooLongError,
)
from dragoman.routing.registry import ModelRegistry
from dragoman.routing.router import Router, route
from dragoman.service.service import Progress, RequestState, Ticket
from dragoman.types import (
    Element,
    ElementKind,
    Glossary,
    LanguagePair,
    MemoryEntry,
    OverlongPolicy,
    PlacedElement,
    Priority,
    Span,
    Term,
    TextFormat,
    TranslationMemory,
)
from tests.support.helpers import FakeSource, assert_covers, request, turns

PAIRS = tuple(
    LanguagePair(*name.split("-")) for name in ("de-en", "en-de", "en-fr", "en-es", "es-fr")
)


@asynccontextmanager
async def router(source: FakeSource | None = None, **limits: Any) -> AsyncIterator[Any]:
    registry = ModelRegistry(source or FakeSource(dict.fromkeys(PAIRS, 10)), Limits(**limits))
    try:
        yield Router(registry, Limits(**limits))
    finally:
        await asyncio.wait_for(registry.close(), 10)


@pytest.mark.parametrize(
    ("source", "target", "legs"),
    [
        ("de", "en", "de-en"),
        ("de", "fr", "de-en en-fr"),
        ("es", "fr", "es-fr"),  # a direct model is preferred
        ("fr", "de", "fr-de"),  # fr-en is missing
        ("en", "it", "en-it"),
        ("de", "de", "de-de"),  # not there and back
    ],
)
def test_routes(source: str, target: str, legs: str) -> None:
    assert " ".join(map(str, route(PAIRS, source, target))) == legs


def test_another_pivot() -> None:
    pairs = [LanguagePair("pl", "cs"), LanguagePair("cs", "sk")]
    assert route(pairs, "pl", "sk", "cs") == tuple(pairs)


# --- pivots --------------------------------------------------------------------------------------


async def test_a_pivot_is_one_request() -> None:
    source = FakeSource(dict.fromkeys(PAIRS, 10))
    async with router(source) as made:
        response = await made.translate(request("Ja, 😀 gut. Nein!", target="fr"))
    assert source.loads == [LanguagePair("de", "en"), LanguagePair("en", "fr")]
    assert response.request == request("Ja, 😀 gut. Nein!", target="fr")
    assert response.text == "Ja, 😀 gut. Nein!"
    assert [s.source.of(response.text) for s in response.sentences] == ["Ja, 😀 gut.", "Nein!"]
    assert response.alignment.links == tuple((n, n) for n in range(7))
    assert response.timings.total >= response.timings.engine > 0
    assert_covers(response)


async def test_a_pivot_keeps_the_sentences_of_the_source() -> None:
    """The middle, which has commas for full stops, would be one sentence by itself."""

    def commas() -> EchoEngine:
        return EchoEngine(lambda id_: ord(chr(id_ - 2).replace(".", ",")) + 2)

    async with router(FakeSource(dict.fromkeys(PAIRS, 10), commas)) as made:
        response = await made.translate(request("Ja. Nein.", target="fr"))
    assert response.text == "Ja, Nein,"
    assert len(response.sentences) == 2


async def test_no_way_from_one_to_the_other() -> None:
    async with router() as made:
        with pytest.raises(LanguagePairError) as caught:
            await made.translate(request("Oui.", source="fr", target="de"))
    assert caught.value.details == {"source": "fr", "target": "de"}


async def test_the_error_of_a_leg_is_the_requests() -> None:
    source = FakeSource(dict.fromkeys(PAIRS, 10))
    source.failures[LanguagePair("de", "en")] = BundleError("broken")
    async with router(source) as made:
        with pytest.raises(BundleError, match="broken"):
            await made.translate(request("Ja.", target="fr"))
        refusing = replace(
            request("x" * 90, target="fr", source="en"), overlong=OverlongPolicy.REFUSE
        )
        with pytest.raises(SentenceTooLongError):
            await made.translate(refusing)


async def test_the_error_of_the_second_leg_names_its_cause() -> None:
    source = FakeSource(dict.fromkeys(PAIRS, 10))
    source.failures[LanguagePair("en", "fr")] = BundleError("broken")
    async with router(source) as made:
        with pytest.raises(BundleError, match="broken"):
            await made.translate(request("Ja.", target="fr"))


async def test_cancelling_a_pivot_cancels_its_legs() -> None:
    source = FakeSource(dict.fromkeys(PAIRS, 10), HeldEngine)
    async with router(source) as made:
        waiting = asyncio.ensure_future(made.translate(request("Ja.", target="fr")))
        await turns()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await turns()
        assert made._registry.models[0].leases == 0


async def test_progress_of_a_pivot_is_that_of_one_request() -> None:
    seen: list[Progress] = []
    async with router() as made:
        await made.translate(request("Ja. Nein.", target="fr"), Ticket(on_progress=seen.append))
    figures = [(progress.done, progress.total) for progress in seen]
    assert figures == [(0, 4), (2, 4), (2, 4), (4, 4)]
    assert seen[-1].state is RequestState.RUNNING


# --- tickets -------------------------------------------------------------------------------------


async def test_a_deadline_covers_loading() -> None:
    source = FakeSource(dict.fromkeys(PAIRS, 10))
    source.hold()
    async with router(source) as made:
        with pytest.raises(DeadlineError) as caught:
            await made.translate(request("Ja.", deadline=0.02))
        assert caught.value.details == {"deadline": 0.02, "done": 0, "total": 0}
        source.release()
        assert (await made.translate(request("Ja."))).text == "Ja."


async def test_both_legs_have_one_deadline() -> None:
    """Half of a pivot is done when it is over."""
    source = FakeSource(dict.fromkeys(PAIRS, 10), HeldEngine)
    async with router(source) as made:
        asked = request("Ja. Nein.", target="fr", deadline=0.1)
        waiting = asyncio.ensure_future(made.translate(asked))
        await turns(40)
        source.engines[LanguagePair("de", "en")].release()
        with pytest.raises(DeadlineError) as caught:
            await waiting
        assert caught.value.details == {"deadline": 0.1, "done": 2, "total": 4}
        assert not any(model.leases for model in made._registry.models)
        figures = made._registry.statistics()
        assert (figures.done, figures.failed, figures.cancelled) == (1, 1, 0)


@pytest.mark.parametrize("deadline", [0, -1.0, float("nan"), float("inf"), 86_401])
@pytest.mark.parametrize("target", ["en", "fr"])
async def test_a_deadline_that_is_none_loads_nothing(deadline: float, target: str) -> None:
    source = FakeSource(dict.fromkeys(PAIRS, 10))
    async with router(source) as made:
        with pytest.raises(InvalidRequestError, match="the deadline is"):
            await made.translate(request("Ja.", target=target, deadline=deadline))
    assert source.loads == []


async def test_a_priority_is_for_the_legs_to_come_too() -> None:
    source = FakeSource(dict.fromkeys(PAIRS, 10), HeldEngine)
    ticket = Ticket(Priority.BACKGROUND)
    async with router(source) as made:
        asked = request("Ja.", target="fr", priority=Priority.BACKGROUND)
        waiting = asyncio.ensure_future(made.translate(asked, ticket))
        await turns(40)
        ticket.prioritize(Priority.VISIBLE)
        source.engines[LanguagePair("de", "en")].release()
        await turns(40)
        second = made._registry._slots[LanguagePair("en", "fr")].service.result()
        (job,) = second._ledger.jobs.values()
        assert job.priority is Priority.VISIBLE
        source.engines[LanguagePair("en", "fr")].release()
        assert (await waiting).text == "Ja."


async def test_elements_go_over_a_pivot() -> None:
    text = "Ein Link, und Text. Noch einer"
    elements = (
        Element(Span(4, 8), ElementKind.INLINE),
        Element(Span(14, 18), ElementKind.OPAQUE),
        Element(Span(20, 30), ElementKind.STYLE),
        Element(Span(30, 30), ElementKind.VOID, parent=2),
    )
    async with router() as made:
        response = await made.translate(request(text, target="fr", elements=elements))
    assert response.text == text
    assert response.request.elements == elements
    assert response.content == (
        Span(0, 4),
        PlacedElement(0, (Span(4, 8),)),
        Span(8, 14),
        PlacedElement(1),
        Span(18, 20),
        PlacedElement(2, (Span(20, 30), PlacedElement(3))),
    )
    assert [sentence.source for sentence in response.sentences] == [Span(0, 19), Span(20, 30)]
    assert_covers(response)


async def test_terms_go_over_a_pivot() -> None:
    glossary = Glossary((Term("Text", "livre"), Term("Ja", "oui"), Term("Nein", "Nein")))
    async with router() as made:
        asked = request("Ein Text. Nein, ein Text.", target="fr", glossary=glossary)
        response = await made.translate(asked)
    assert response.text == "Ein livre. Nein, ein livre."
    assert response.request.glossary == glossary
    assert [(use.outcome, use.source, use.target) for use in response.terms] == [
        ("forced", Span(4, 8), Span(4, 9)),
        ("said", Span(10, 14), Span(11, 15)),
        ("forced", Span(20, 24), Span(21, 26)),
    ]


async def test_a_memory_goes_over_a_pivot() -> None:
    entries = (MemoryEntry("Ein Text.", "Un texte."), MemoryEntry("Guten Tag.", "Bonjour."))
    async with router() as made:
        asked = request(
            "Ein Text. Nein. Ein Text.",
            target="fr",
            memory=TranslationMemory(entries),
            alternatives=2,
            elements=(Element(Span(0, 9)),),
        )
        response = await made.translate(asked)
    assert response.text == "Un texte. Nein. Un texte."
    assert response.content == (PlacedElement(0, (Span(0, 9),)), Span(9, 25))
    assert [sentence.from_memory for sentence in response.sentences] == [True, False, True]
    assert all(not sentence.alternatives for sentence in response.sentences)
    assert response.request.memory == TranslationMemory(entries)


async def test_a_page_with_a_memory_needs_a_model_of_its_own() -> None:
    memory = TranslationMemory((MemoryEntry("Ja.", "Oui."),))
    async with router() as made:
        asked = request("<p>Ja.", target="fr", format=TextFormat.HTML, memory=memory)
        with pytest.raises(InvalidRequestError, match="it needs a model from 'de' to 'fr'"):
            await made.translate(asked)


async def test_wrong_elements_are_told_as_without_a_pivot() -> None:
    async with router() as made:
        with pytest.raises(InvalidElementsError):
            await made.translate(request("Ja.", target="fr", elements=(Element(Span(2, 9)),)))
