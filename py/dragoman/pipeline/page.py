"""Requests that are no plain text: the host reads their page before stage 1, and writes it after
stage 10.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol

from dragoman.config import Limits
from dragoman.errors import (
    InvalidElementsError,
    PageTooLargeError,
    TextTooLongError,
    UnsupportedFormatError,
)
from dragoman.types import (
    Content,
    Element,
    TextFormat,
    TranslationRequest,
    TranslationResponse,
    WordAlignment,
)


class Page(Protocol):
    """Text of a format that is not plain: what to translate, and how to write it afterwards."""

    @property
    def text(self) -> str: ...

    @property
    def elements(self) -> Sequence[Element]: ...

    async def write(self, text: str, content: Content | None, language: str) -> str:
        """The page with a translation of its text, and its elements in their places.

        Args:
            language: of the translation, BCP 47.
        """
        ...


# From the text of a request and its language; a host without a parser has none.
PageReader = Callable[[str, str], Awaitable[Page]]


class Pages:
    """Args:
    language: of the pages.
    read: the host's parser, if it has one.
    """

    def __init__(self, language: str, limits: Limits, read: PageReader | None) -> None:
        self._language, self._limits, self._read = language, limits, read

    async def of(self, request: TranslationRequest) -> Page | None:
        """The page of a request, if it has one.

        Raises:
            TextTooLongError: over the limit of characters.
            PageTooLargeError: over a limit of pages, of elements in its text too.
            InvalidElementsError: there are elements beside it.
            UnsupportedFormatError: this host has no parser for the format.
        """
        if request.format is TextFormat.TEXT:
            return None
        check_length(request.text, self._limits.page_characters)
        if self._read is None:
            raise UnsupportedFormatError(request.format, "send its text with elements")
        if request.elements:
            raise InvalidElementsError(0, "format", "elements belong to plain text")
        page = await self._read(request.text, self._language)
        check_length(page.text, self._limits.page_text_characters)
        elements, most = len(page.elements), self._limits.page_elements
        if elements > most:
            raise PageTooLargeError(elements, most, "elements with text")
        return page


async def written(page: Page, response: TranslationResponse) -> TranslationResponse:
    """The response of a page. Ranges in its text mean nothing to who sent HTML."""
    return replace(
        response,
        text=await page.write(response.text, response.content, response.request.target),
        sentences=(),
        page=response.count,
        alignment=WordAlignment(),
        warnings=tuple(replace(notice, span=None) for notice in response.warnings),
        content=None,
        terms=tuple(replace(use, source=None, target=None) for use in response.terms),
    )


def check_length(text: str, allowed: int) -> None:
    """Raises:
    TextTooLongError: a text has more characters than are allowed.
    """
    if len(text) > allowed:
        raise TextTooLongError(len(text), allowed)
