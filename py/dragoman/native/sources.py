"""The language that is translated from, where it is to be found out: "auto"."""

from __future__ import annotations

import re

from dragoman.detection.detector import Candidate
from dragoman.detection.shipped import sure_language
from dragoman.types import TextFormat

AUTO = "auto"
# Of a page, what is looked through for text.
PAGE_CHARACTERS = 100_000
# What is not closed goes to the end of the page, as a browser has it. Each branch thus matches
# wherever it begins, so that no character is looked at again and again for an end that is not
# there: `re` lets no other thread run meanwhile.
_NOT_TEXT = re.compile(
    r"<(script|style|svg)(?=[\s/>])[^>]*(?:(?<=/)>|.*?(?:</\1\s*>|\Z))"
    r"|<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<(?=[a-z/!?])[^>]*(?:>|\Z)"  # before anything else, "<" is text
    r"|&#?\w+;",
    re.S | re.I,
)


def source_of(text: str, source: str, text_format: TextFormat | str = TextFormat.TEXT) -> str:
    """The language to translate from: `source`, or that of the text where it is "auto".

    Raises:
        LanguageNotSureError: it cannot be told.
    """
    return sure_source(text, text_format).language if source.lower() == AUTO else source


def sure_source(text: str, text_format: TextFormat | str = TextFormat.TEXT) -> Candidate:
    """The language of a text or a page.

    Raises:
        LanguageNotSureError: it cannot be told.
    """
    page = TextFormat(text_format) is TextFormat.HTML
    return sure_language(page_text(text) if page else text)


def page_text(page: str) -> str:
    """What a reader sees of a page, roughly: enough to tell its language."""
    return _NOT_TEXT.sub(" ", page[:PAGE_CHARACTERS])
