"""A text decoded, and written in the encoding that it had, where that is Unicode."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.documents.charset import written_in
from dragoman.documents.passage import Marked, Passage, Translated
from dragoman.edits import Edit, edited
from dragoman.errors import DocumentError


@dataclass(frozen=True, slots=True)
class TextSource:
    """A decoded document.

    Attributes:
        encoding: what its translation is written in, by Python's name for it.
        mark: the byte order mark before that.
    """

    content: bytes
    text: str
    encoding: str
    mark: bytes = b""

    def encoded(self, text: str) -> bytes:
        return self.mark + text.encode(self.encoding, "replace")


def read_text(content: bytes, encoding: str) -> TextSource:
    """Decode a document.

    Raises:
        DocumentError: it is not in the encoding; says which byte is not.
    """
    try:
        encoding = codecs.lookup(encoding).name
        text = content.decode(encoding).removeprefix("\ufeff")
    except (LookupError, UnicodeError) as error:
        place = getattr(error, "start", 0)
        raise DocumentError(
            "damaged",
            f"the document is not {encoding}: byte at offset {place:,}; name its --encoding",
            offset=place,
        ) from error
    return TextSource(content, text, *written_in(content, encoding))


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A passage of a text, and what takes the place of [start, end).

    Attributes:
        always: whether it is written where it says what its source says, too: the source stands
            elsewhere.
    """

    marked: Marked[Any]
    start: int
    end: int
    write: Callable[[Translated], str]
    always: bool = False


class TextDocument:
    """A document of passages that stand in a text side by side.

    Args:
        header: edits of what the document says of itself, made where anything is translated.
    """

    def __init__(
        self,
        source: TextSource,
        blocks: Sequence[TextBlock],
        header: Callable[[str], Sequence[Edit]] = lambda _: (),
    ) -> None:
        self._source, self._blocks, self._header = source, blocks, header

    @property
    def passages(self) -> Sequence[Passage]:
        return [block.marked.passage for block in self._blocks]

    def write(self, translations: Sequence[Translated], language: str) -> bytes:
        edits = [
            Edit(block.start, block.end, _constant(block.write(translated)))
            for block, translated in zip(self._blocks, translations, strict=True)
            if block.always or block.marked.changed(translated)
        ]
        if not edits:
            return self._source.content
        return self._source.encoded(edited(self._source.text, [*edits, *self._header(language)]))


def _constant(text: str) -> Callable[[object], str]:
    return lambda _: text
