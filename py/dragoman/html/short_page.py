"""A page that is read and written in this process, beside all else that it does."""

from __future__ import annotations

from dragoman.config import Limits
from dragoman.html import HtmlPage
from dragoman.types import Content


class ShortPage:
    """What a pipeline takes for a page.

    Raises:
        PageTooLargeError: over the limits of its nodes or levels.
    """

    def __init__(self, source: str, language: str, limits: Limits) -> None:
        self._page = HtmlPage(source, language, limits)
        self.text, self.elements = self._page.text, self._page.elements

    async def write(self, text: str, content: Content | None, language: str) -> str:
        return self._page.write(text, content, language)
