"""Documents that are archives of XML parts: which parts have text, and how they are written again.

Archive --read--> XmlSource --reader--> Block, ...      a block is a passage with its place
translations --> edits of each part --> Archive.written
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dragoman.documents.passage import Marked, Passage, Translated
from dragoman.documents.xml.archive import Archive
from dragoman.documents.xml.tree import XmlSource
from dragoman.edits import Edit, Stretch, edited

# Writes a translation, given what writes a stretch of the source with the edits inside of it.
Write = Callable[[Translated, Stretch], str]


@dataclass(frozen=True, slots=True)
class Block:
    """A passage of an XML part: what it is, and what takes the place of [start, end).

    Attributes:
        always: whether it is written where it says what its source says, too: the source stands
            elsewhere.
    """

    marked: Marked[Any]
    start: int
    end: int
    write: Write
    always: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part with text.

    Attributes:
        relabelled: what the part says of its language, changed to that of a translation.
        is_of_all: whether that holds for the document, whatever of this part was translated.
    """

    name: str
    source: XmlSource
    blocks: tuple[Block, ...]
    relabelled: Callable[[str, str], str] = lambda text, _: text
    is_of_all: bool = False

    def written(self, translations: Sequence[Translated], language: str) -> str | None:
        """Its text with the translations; None where nothing has changed."""
        edits = [
            Edit(block.start, block.end, _bound(block.write, translated))
            for block, translated in zip(self.blocks, translations, strict=True)
            if block.always or block.marked.changed(translated)
        ]
        if not edits:
            return None
        return self.relabelled(edited(self.source.text, edits), language)


def _bound(write: Write, translated: Translated) -> Callable[[Stretch], str]:
    return lambda stretch: write(translated, stretch)


class ArchiveDocument:
    """A document of an archive's parts; those without blocks say its language only."""

    def __init__(self, archive: Archive, parts: Sequence[Part]) -> None:
        self._archive, self._parts = archive, parts

    @property
    def passages(self) -> Sequence[Passage]:
        return [block.marked.passage for part in self._parts for block in part.blocks]

    def write(self, translations: Sequence[Translated], language: str) -> bytes:
        changed: dict[str, bytes] = {}
        at = 0
        for part in self._parts:
            own = translations[at : at + len(part.blocks)]
            at += len(part.blocks)
            text = part.written(own, language)
            if text is not None:
                changed[part.name] = part.source.encoded(text)
        if not changed:
            return self._archive.content
        relabelled = {
            part.name: part.source.encoded(part.relabelled(part.source.text, language))
            for part in self._parts
            if part.name not in changed and (part.is_of_all or not part.blocks)
        }
        return self._archive.written(relabelled | changed)


class XmlDocument:
    """A document of one file in XML."""

    def __init__(self, content: bytes, part: Part) -> None:
        self._content, self._part = content, part

    @property
    def passages(self) -> Sequence[Passage]:
        return [block.marked.passage for block in self._part.blocks]

    def write(self, translations: Sequence[Translated], language: str) -> bytes:
        text = self._part.written(translations, language)
        return self._content if text is None else self._part.source.encoded(text)
