from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dragoman.config import Limits
from dragoman.errors import (
    InvalidElementsError,
    PageTooLargeError,
    TextTooLongError,
    UnsupportedFormatError,
)
from dragoman.pipeline.page import Page, Pages
from dragoman.types import Content, Element, Span, TextFormat
from tests.support.helpers import request

HTML = TextFormat.HTML


class FakePage:
    """Its text is in capitals, with as many elements as it has stars."""

    def __init__(self, source: str) -> None:
        self.text = source.upper()
        self.elements: Sequence[Element] = [Element(Span(0, 0))] * source.count("*")

    async def write(self, text: str, content: Content | None, language: str) -> str:
        raise NotImplementedError


async def read(source: str, language: str) -> Page:
    assert language == "de"
    return FakePage(source)


def pages(**limits: int) -> Pages:
    return Pages("de", Limits(**limits), read)


async def test_plain_text_has_none() -> None:
    assert await pages(page_characters=1).of(request("Ja.")) is None


async def test_the_host_reads_it() -> None:
    page = await pages().of(request("ja *", format=HTML))
    assert page is not None
    assert (page.text, len(page.elements)) == ("JA *", 1)


@pytest.mark.parametrize(
    ("limits", "error", "figures"),
    [
        ({"page_characters": 3}, TextTooLongError, (4, 3)),
        ({"page_text_characters": 3}, TextTooLongError, (4, 3)),
        ({"page_elements": 1}, PageTooLargeError, (2, 1)),
    ],
)
async def test_limits(limits: dict[str, int], error: Any, figures: tuple[int, int]) -> None:
    with pytest.raises(error) as caught:
        await pages(**limits).of(request("ja**", format=HTML))
    assert (caught.value.requested, caught.value.allowed) == figures
    at_limits = pages(page_characters=4, page_text_characters=4, page_elements=2)
    assert await at_limits.of(request("ja**", format=HTML)) is not None


async def test_elements_belong_to_plain_text() -> None:
    asked = request("ja", format=HTML, elements=(Element(Span(0, 1)),))
    with pytest.raises(InvalidElementsError, match="elements belong to plain text"):
        await pages().of(asked)


async def test_a_host_without_a_parser() -> None:
    with pytest.raises(UnsupportedFormatError, match="send its text with elements"):
        await Pages("de", Limits(), None).of(request("ja", format=HTML))
