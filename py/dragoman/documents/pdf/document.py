"""A PDF as a document: its text, which is written as a page in HTML."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator, Sequence

from dragoman.config import DocumentLimits
from dragoman.documents.passage import Passage, Translated, has_words
from dragoman.documents.pdf.blocks import Block, Blocks, blocks_of
from dragoman.documents.pdf.pages import read_lines
from dragoman.errors import DocumentError

_TITLE_CHARACTERS = 80
_HEAD = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ max-width: 42em; margin: auto; padding: 1em; line-height: 1.5; overflow-wrap: anywhere }}
</style>
</head>
<body dir="auto">
"""


def read_pdf(content: bytes, limits: DocumentLimits) -> PdfDocument:
    """The text of a PDF as a document.

    Raises:
        DocumentError: it has no text, or as `read_lines`.
        DocumentTooLargeError: as `read_lines`.
    """
    blocks = blocks_of(read_lines(content, limits))
    if not any(has_words(block.text) for block in blocks.body + blocks.repeated):
        raise DocumentError(
            "no-text",
            "there is no text in it: its pages are pictures, as of a scanner; a program that "
            "recognizes text (OCR) makes text of them",
        )
    return PdfDocument(blocks)


class PdfDocument:
    """A passage a paragraph; headers and footers come once, at the end."""

    def __init__(self, blocks: Blocks) -> None:
        self._body, self._repeated = blocks.body, blocks.repeated
        self.passages: Sequence[Passage] = [
            Passage(block.text) for block in self._body + self._repeated
        ]

    def write(self, translations: Sequence[Translated], language: str) -> bytes:
        """A page in HTML, UTF-8."""
        texts = [translated.text for translated in translations]
        middle = len(self._body)
        title = textwrap.shorten(self._title(texts), _TITLE_CHARACTERS, placeholder=" …")
        parts = [_HEAD.format(language=html.escape(language), title=html.escape(title))]
        parts += _elements(self._body, texts[:middle])
        if self._repeated:
            parts += ["<footer>\n", *_elements(self._repeated, texts[middle:]), "</footer>\n"]
        parts.append("</body>\n</html>\n")
        return "".join(parts).encode()

    def _title(self, texts: Sequence[str]) -> str:
        """The first heading, or what comes first."""
        headings = (text for block, text in zip(self._body, texts, strict=False) if block.level)
        return next(headings, texts[0])


def _elements(blocks: Sequence[Block], texts: Sequence[str]) -> Iterator[str]:
    for block, text in zip(blocks, texts, strict=True):
        name = f"h{block.level}" if block.level else "p"
        yield f"<{name}>{html.escape(text, quote=False)}</{name}>\n"
