"""Models on demand: loaded once, unloaded only when idle; a failure is told, then forgotten."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine, HeldEngine
from dragoman.errors import (
    BundleCorruptError,
    BundleError,
    LanguagePairError,
    RequestCancelledError,
)
from dragoman.routing.registry import ModelRegistry, ModelState
from dragoman.types import LanguagePair, TranslationResponse
from tests.support.helpers import FakeSource, request, turns

DE_EN, EN_FR, EN_ES = (LanguagePair(*pair.split("-")) for pair in ("de-en", "en-fr", "en-es"))


@asynccontextmanager
async def registry(source: FakeSource, budget: int = 1_000) -> AsyncIterator[Any]:
    """A registry that is closed at the end, and must then be empty."""
    made = ModelRegistry(source, Limits(model_bytes=budget))
    try:
        yield made
    finally:
        await asyncio.wait_for(made.close(), 10)
        assert made.models == ()
        assert source.alive == []


def pairs(made: ModelRegistry) -> list[str]:
    return [str(use.pair) for use in made.models]


# --- loading -------------------------------------------------------------------------------------


async def test_a_model_is_loaded_at_its_first_request_and_kept() -> None:
    source = FakeSource({DE_EN: 10, EN_FR: 10})
    async with registry(source) as made:
        assert made.pairs == (DE_EN, EN_FR)
        assert made.models == ()
        assert (await made.translate(request("Ja."))).text == "Ja."
        assert (await made.translate(request("Nein."))).text == "Nein."
        assert (await made.translate(request("Yes.", source="en", target="fr"))).text == "Yes."
        assert source.loads == [DE_EN, EN_FR]
        assert [(use.state, use.bytes, use.leases) for use in made.models] == [
            (ModelState.LOADED, 10, 0)
        ] * 2


async def test_first_requests_at_once_load_once() -> None:
    source = FakeSource({DE_EN: 10})
    source.hold()
    async with registry(source) as made:
        waiting = [asyncio.ensure_future(made.translate(request(f"Satz {n}."))) for n in range(5)]
        await turns()
        assert made.models[0].state is ModelState.LOADING
        assert made.models[0].leases == 5
        source.release()
        assert [done.text for done in await asyncio.gather(*waiting)] == [
            f"Satz {n}." for n in range(5)
        ]
        assert source.loads == [DE_EN]


async def test_who_leaves_does_not_take_the_model_from_those_who_wait() -> None:
    source = FakeSource({DE_EN: 10})
    source.hold()
    async with registry(source) as made:
        leaving = asyncio.ensure_future(made.translate(request("Eins.")))
        staying = asyncio.ensure_future(made.translate(request("Zwei.")))
        await turns()
        leaving.cancel()
        await turns()
        source.release()
        assert (await staying).text == "Zwei."
        assert leaving.cancelled()
        assert source.loads == [DE_EN]


async def test_no_model_for_the_pair() -> None:
    async with registry(FakeSource({DE_EN: 10, EN_FR: 10})) as made:
        with pytest.raises(LanguagePairError, match="available: de-en, en-fr"):
            await made.translate(request("Ja.", source="fr"))


# --- failures ------------------------------------------------------------------------------------


async def test_a_model_that_fails_to_load_fails_its_requests_and_others_go_on() -> None:
    source = FakeSource({DE_EN: 10, EN_FR: 10})
    source.failures[DE_EN] = BundleCorruptError("a hash differs")
    async with registry(source) as made:
        results = await asyncio.gather(
            made.translate(request("Ja.")),
            made.translate(request("Nein.")),
            made.translate(request("Yes.", source="en", target="fr")),
            return_exceptions=True,
        )
        assert [type(end) for end in results[:2]] == [BundleCorruptError] * 2
        assert isinstance(results[2], TranslationResponse)
        assert results[2].text == "Yes."
        assert pairs(made) == ["en-fr"]


async def test_the_next_request_tries_again() -> None:
    source = FakeSource({DE_EN: 10})
    source.failures[DE_EN] = BundleCorruptError("a hash differs")
    async with registry(source) as made:
        with pytest.raises(BundleCorruptError):
            await made.translate(request("Ja."))
        del source.failures[DE_EN]
        assert (await made.translate(request("Ja."))).text == "Ja."
        assert source.loads == [DE_EN, DE_EN]


@pytest.mark.parametrize("error", [OSError("the disk is gone"), MemoryError(), KeyError("x")])
async def test_what_a_loader_throws_is_a_bundle_error(error: Exception) -> None:
    source = FakeSource({DE_EN: 10})
    source.failures[DE_EN] = error
    async with registry(source) as made:
        with pytest.raises(BundleError, match="the model de-en could not be loaded") as caught:
            await made.translate(request("Ja."))
        assert caught.value.code == "bundle"
        assert caught.value.details == {"source": "de", "target": "en"}


async def test_an_engine_that_does_not_end_well_takes_nobodys_room() -> None:
    class Stubborn(EchoEngine):
        async def close(self) -> None:
            await super().close()
            raise OSError("no")

    seen = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: seen.append(context))
    source = FakeSource({DE_EN: 10, EN_FR: 10}, engine=Stubborn)
    async with registry(source, budget=10) as made:
        await made.translate(request("Ja."))
        await made.translate(request("Yes.", source="en", target="fr"))
        assert pairs(made) == ["en-fr"]
    assert [str(context["message"]) for context in seen] == [
        "the model de-en did not end well",
        "the model en-fr did not end well",
    ]


# --- the budget ----------------------------------------------------------------------------------


async def test_the_one_used_longest_ago_goes() -> None:
    source = FakeSource({DE_EN: 10, EN_FR: 10, EN_ES: 10})
    async with registry(source, budget=20) as made:
        await made.translate(request("Ja."))
        await made.translate(request("Yes.", source="en", target="fr"))
        await made.translate(request("Ja."))
        await made.translate(request("Yes.", source="en", target="es"))
        assert pairs(made) == ["de-en", "en-es"]
        await made.translate(request("Yes.", source="en", target="fr"))
        assert pairs(made) == ["en-es", "en-fr"]
        assert source.most_alive == 2  # the room is made before the model comes


async def test_a_model_with_requests_stays_over_the_budget() -> None:
    source = FakeSource({DE_EN: 10, EN_FR: 10}, engine=HeldEngine)
    async with registry(source, budget=10) as made:
        first = asyncio.ensure_future(made.translate(request("Ja.")))
        await turns()
        second = asyncio.ensure_future(made.translate(request("Yes.", source="en", target="fr")))
        await turns()
        assert pairs(made) == ["de-en", "en-fr"]
        source.engines[DE_EN].release()
        assert (await first).text == "Ja."
        await turns()
        assert pairs(made) == ["en-fr"]  # idle now, so it went
        source.engines[EN_FR].release()
        assert (await second).text == "Yes."


async def test_a_model_over_the_budget_by_itself_is_loaded_and_kept() -> None:
    source = FakeSource({DE_EN: 50})
    async with registry(source, budget=10) as made:
        await made.translate(request("Ja."))
        await made.translate(request("Ja."))
        assert source.loads == [DE_EN]


async def test_a_model_is_never_loaded_while_it_is_being_unloaded() -> None:
    ending = asyncio.Event()

    class Slow(EchoEngine):
        async def close(self) -> None:
            await ending.wait()
            await super().close()

    source = FakeSource({DE_EN: 10, EN_FR: 10}, engine=Slow)
    async with registry(source, budget=10) as made:
        await made.translate(request("Ja."))
        other = asyncio.ensure_future(made.translate(request("Yes.", source="en", target="fr")))
        await turns()
        again = asyncio.ensure_future(made.translate(request("Ja.")))
        await turns()
        assert made.models[0].state is ModelState.UNLOADING
        assert source.loads == [DE_EN]
        ending.set()
        await other
        assert (await again).text == "Ja."
        assert source.loads == [DE_EN, EN_FR, DE_EN]


async def test_a_lease_keeps_a_model_without_requests() -> None:
    source = FakeSource({DE_EN: 10, EN_FR: 10})
    async with registry(source, budget=10) as made:
        async with made.lease("de", "en") as service:
            await made.translate(request("Yes.", source="en", target="fr"))
            assert pairs(made) == ["de-en", "en-fr"]
            assert (await service.translate(request("Ja."))).text == "Ja."
        await turns()
        assert pairs(made) == ["en-fr"]


async def test_a_model_that_nobody_waited_for_in_the_end() -> None:
    source = FakeSource({DE_EN: 10, EN_FR: 10})
    async with registry(source, budget=10) as made:
        source.hold()
        leaving = asyncio.ensure_future(made.translate(request("Ja.")))
        await turns()
        leaving.cancel()
        source.release()
        await turns()
        await made.translate(request("Yes.", source="en", target="fr"))
        assert pairs(made) == ["en-fr"]


# --- closing -------------------------------------------------------------------------------------


async def test_closing_settles_those_who_wait_for_a_model() -> None:
    source = FakeSource({DE_EN: 10})
    source.hold()
    async with registry(source) as made:
        waiting = asyncio.ensure_future(made.translate(request("Ja.")))
        await turns()
        await asyncio.wait_for(made.close(), 5)
        with pytest.raises(RequestCancelledError, match="closed"):
            await waiting
        assert source.cancelled == [DE_EN]


async def test_closing_settles_requests_that_are_under_way() -> None:
    source = FakeSource({DE_EN: 10}, engine=HeldEngine)
    async with registry(source) as made:
        waiting = asyncio.ensure_future(made.translate(request("Ja.")))
        await turns()
        await asyncio.wait_for(made.close(), 5)
        with pytest.raises(RequestCancelledError):
            await waiting


async def test_a_closed_registry_says_so() -> None:
    async with registry(FakeSource({DE_EN: 10})) as made:
        await made.close()
        await made.close()
        with pytest.raises(RequestCancelledError, match="the models are closed"):
            await made.translate(request("Ja."))


# --- anything at all -----------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(st.sampled_from(["de-en", "en-fr", "en-es", "fr-en"]),
              st.sampled_from(["translate", "cancel", "fail", "heal", "turn"])),
    max_size=30,
)  # fmt: skip


@given(STEPS, st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_every_request_settles_with_its_own_text(steps: list[Any], budget: int) -> None:
    async def run() -> None:
        sizes = {LanguagePair("de", "en"): 10, LanguagePair("en", "fr"): 15, EN_ES: 20}
        source = FakeSource(sizes)
        async with AsyncExitStack() as stack:
            made = await stack.enter_async_context(registry(source, budget))
            tasks = []
            for number, (name, step) in enumerate(steps):
                pair = LanguagePair(*name.split("-"))
                text = f"Satz {number}."
                if step in ("translate", "cancel"):
                    work = made.translate(request(text, source=pair.source, target=pair.target))
                    tasks.append((text, pair, asyncio.ensure_future(work)))
                    if step == "cancel":
                        await turns(number % 7)
                        tasks[-1][2].cancel()
                elif step == "fail":
                    source.failures[pair] = BundleError("broken")
                elif step == "heal":
                    source.failures.pop(pair, None)
                else:
                    await turns(3)
            ends = await asyncio.wait_for(
                asyncio.gather(*(task for *_, task in tasks), return_exceptions=True), 20
            )
            for (text, pair, _), end in zip(tasks, ends, strict=True):
                if pair not in sizes:
                    assert isinstance(end, LanguagePairError | asyncio.CancelledError)
                elif not isinstance(end, BundleError | asyncio.CancelledError):
                    assert isinstance(end, TranslationResponse)
                    assert end.text == text
            await turns(20)
            idle = made.models
            assert all(use.leases == 0 for use in idle)
            assert sum(use.bytes for use in idle[:-1]) <= budget

    asyncio.run(run())
