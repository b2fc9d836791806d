"""Pages of requests are read and written beside the service, and taken back with their request."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.engines.fake import EchoEngine
from dragoman.errors import DeadlineError, EngineError, PageTooLargeError, RequestCancelledError
from dragoman.pipeline.pipeline import Pipeline
from dragoman.service.service import TranslationService
from dragoman.types import Element, Span, TextFormat, TranslationRequest
from tests.support.helpers import (
    EMPTY,
    CharacterTokenizer,
    leftovers,
    manifest,
    request,
    settled,
    turns,
)


class Page:
    """Read and written by a host; either may stand still, or fail."""

    def __init__(
        self, stands_still: str = "", error: Exception | None = None, elements: int = 1
    ) -> None:
        self._stands_still, self._error = stands_still, error
        self.text, self.elements = "Ja.", tuple(Element(Span(0, 3)) for _ in range(elements))
        self.told: list[str] = []

    async def read(self, _source: str, _language: str) -> Page:
        await self._at("read")
        return self

    async def write(self, text: str, content: object, language: str) -> str:
        assert content is not None
        await self._at("write")
        return f"<{language}>{text}"

    async def _at(self, place: str) -> None:
        self.told.append(place)
        if self._error is not None and self._stands_still == place:
            raise self._error
        try:
            if self._stands_still == place:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.told.append(f"{place} taken back")
            raise


def service(page: Page, **limits: Any) -> TranslationService:
    tokenizer, allowed = CharacterTokenizer(), Limits(**limits)
    made = Pipeline(manifest(tokenizer.size), tokenizer, allowed, page.read)
    return TranslationService(made, EchoEngine(), allowed)


def html(**options: Any) -> TranslationRequest:
    return request("<p>Ja.", format=TextFormat.HTML, **options)


async def test_a_page_is_read_translated_and_written() -> None:
    page = Page()
    made = service(page)
    response = await made.translate(html())
    assert (response.text, response.content, response.sentences) == ("<en>Ja.", None, ())
    assert page.told == ["read", "write"]
    await made.close()


@pytest.mark.parametrize("place", ["read", "write"])
async def test_who_leaves_has_the_page_taken_back(place: str) -> None:
    page = Page(place)
    made = service(page)
    handle = made.submit(html())
    while place not in page.told:
        await asyncio.sleep(0)
    handle.cancel()
    assert isinstance(await settled(handle), RequestCancelledError)
    await turns()
    assert page.told[-1] == f"{place} taken back"
    assert leftovers(made) == EMPTY
    await made.close()


@pytest.mark.parametrize("place", ["read", "write"])
async def test_a_deadline_holds_meanwhile(place: str) -> None:
    page = Page(place)
    made = service(page)
    handle = made.submit(html(deadline=0.2))
    assert isinstance(await settled(handle), DeadlineError)
    await turns()
    assert page.told[-1] == f"{place} taken back"
    await made.close()


@pytest.mark.parametrize("place", ["read", "write"])
async def test_a_page_that_fails_fails_its_request_alone(place: str) -> None:
    page = Page(place, EngineError("the process was lost"))
    made = service(page)
    handle, other = made.submit(html()), made.submit(request("Nein."))
    assert isinstance(await settled(handle), EngineError)
    assert (await other.response).text == "Nein."
    assert leftovers(made) == EMPTY
    await made.close()


async def test_others_are_translated_while_a_page_is_read() -> None:
    made = service(Page("read"))
    handle = made.submit(html())
    assert (await made.translate(request("Nein."))).text == "Nein."
    await made.close()
    assert isinstance(await settled(handle), RequestCancelledError)


async def test_elements_with_text_are_bounded() -> None:
    made = service(Page(elements=4), page_elements=3)
    with pytest.raises(PageTooLargeError) as caught:
        await made.translate(html())
    assert caught.value.details == {"requested": 4, "allowed": 3, "counted": "elements with text"}
    await made.close()


async def test_others_have_their_turn_while_many_elements_are_drafted() -> None:
    made = service(Page())
    text = "Ja. " * 4_000
    elements = tuple(Element(Span(4 * at, 4 * at + 2)) for at in range(4_000))
    long = made.submit(request(text, elements=elements))
    short = made.submit(request("Nein."))
    assert (await short.response).text == "Nein."
    assert not long.response.done()
    assert (await long.response).text == text
    await made.close()
