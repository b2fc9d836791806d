"""Plain text, in parts that a request may have; a page in HTML, which the host's parser reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dragoman.documents.passage import Marked, Passage, Translated
from dragoman.documents.text.source import TextBlock, TextDocument, TextSource
from dragoman.text.lines.parts import lines_end
from dragoman.types import TextFormat

# Characters of a part, but for a line that is longer.
_PART = 16_000


def read_plain(source: TextSource) -> TextDocument:
    """Text as a document, in parts of whole lines."""
    return TextDocument(source, list(_parts(source.text)))


def _parts(text: str) -> Iterator[TextBlock]:
    start = 0
    while start < len(text):
        end = _end_of_part(text, start)
        marked: Marked[None] = Marked(Passage(text[start:end]))
        yield TextBlock(marked, start, end, lambda translated: translated.text)
        start = end


def _end_of_part(text: str, start: int) -> int:
    most = start + _PART
    if most >= len(text):
        return len(text)
    end = lines_end(text, start, most)
    return end if end > start else text.find("\n", most) + 1 or len(text)


class HtmlDocument:
    """A page: one passage, in HTML."""

    def __init__(self, source: TextSource) -> None:
        self._source = source
        self.passages: Sequence[Passage] = [Passage(source.text, format=TextFormat.HTML)]

    def write(self, translations: Sequence[Translated], language: str) -> bytes:  # noqa: ARG002
        (translated,) = translations
        if translated.text == self._source.text:
            return self._source.content
        return self._source.encoded(translated.text)
