"""What a document has to translate: passages, each a text with elements, as a request takes them.

    <w:p> <w:r>Ein </w:r> <w:r><w:b/>Haus</w:r> <w:r><w:footnoteReference/></w:r> </w:p>
    text       "Ein Haus"
    elements   [4, 8) style, [8, 8) void
    marks      what each element is in the document: the format's own, to write it again

A passage whose translation says the same as its source is not written at all, so that what nobody
translated stays to the letter as it was.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, Protocol, TypeVar

from dragoman.types import Content, Element, ElementKind, PlacedElement, Span, TextFormat

Mark = TypeVar("Mark")
_ATOMS = (ElementKind.OPAQUE, ElementKind.VOID)


@dataclass(frozen=True, slots=True)
class Passage:
    """What one request translates.

    Attributes:
        text: in one language, without line breaks that are none of its own.
        elements: of the text.
        format: what the text is.
    """

    text: str
    elements: tuple[Element, ...] = ()
    format: TextFormat = TextFormat.TEXT


class Translated(NamedTuple):
    """The translation of a passage: spans of `content` are in `text`; None without elements."""

    text: str
    content: Content | None = None


class Document(Protocol):
    """A document that was read; it can be written any number of times."""

    @property
    def passages(self) -> Sequence[Passage]:
        """What there is to translate, in reading order."""
        ...

    def write(self, translations: Sequence[Translated], language: str) -> bytes:
        """The document with translations in their places.

        Args:
            translations: one a passage.
            language: of the translations, BCP 47.
        """
        ...


class EventKind(StrEnum):
    """What comes next in a text with elements."""

    TEXT = "text"
    OPEN = "open"
    CLOSE = "close"
    ATOM = "atom"  # the whole of an opaque or void element


class Event(NamedTuple, Generic[Mark]):
    """A text, or the mark of an element."""

    kind: EventKind
    text: str
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class Marked(Generic[Mark]):
    """A passage, and what its elements are in the document.

    Attributes:
        marks: one an element.
    """

    passage: Passage
    marks: tuple[Mark, ...] = ()

    def source_events(self) -> list[Event[Mark]]:
        """Of the passage as it was."""
        return list(self._events(self.passage.text, _content(self.passage)))

    def events(self, translated: Translated) -> list[Event[Mark]]:
        """Of a translation."""
        content = translated.content
        if content is None:
            content = (Span(0, len(translated.text)),)
        return list(self._events(translated.text, content))

    def changed(self, translated: Translated) -> bool:
        """Whether a translation says anything else than the source."""
        return self.events(translated) != self.source_events()

    def _events(self, text: str, content: Content) -> Iterator[Event[Mark]]:
        """In order; nested as deep as the elements, which `Limits.element_depth` bounds."""
        run = ""
        for item in _flat(content):
            if isinstance(item, Span):
                run += item.of(text)
                continue
            if run:
                yield Event(EventKind.TEXT, run, None)
                run = ""
            kind, element = item
            yield Event(kind, "", self.marks[element])
        if run:
            yield Event(EventKind.TEXT, run, None)


def _flat(content: Content) -> Iterator[Span | tuple[EventKind, int]]:
    for item in content:
        if isinstance(item, Span):
            yield item
        elif item.content is None:
            yield EventKind.ATOM, item.element
        else:
            yield EventKind.OPEN, item.element
            yield from _flat(item.content)
            yield EventKind.CLOSE, item.element


def _content(passage: Passage) -> Content:
    """The elements of a passage in their places: what a translation into itself would give."""
    inside: list[list[Span | PlacedElement]] = [[]]
    opened: list[int] = []
    at = 0

    def until(end: int) -> None:
        nonlocal at
        if end > at:
            inside[-1].append(Span(at, end))
        at = max(at, end)

    def close() -> None:
        until(passage.elements[opened[-1]].span.end)
        placed = PlacedElement(opened.pop(), tuple(inside.pop()))
        inside[-1].append(placed)

    for index, element in enumerate(passage.elements):
        while opened and opened[-1] != element.parent:
            close()
        until(element.span.start)
        if element.kind in _ATOMS:
            inside[-1].append(PlacedElement(index))
            at = element.span.end
        else:
            opened.append(index)
            inside.append([])
    while opened:
        close()
    until(len(passage.text))
    return tuple(inside[0])


class PassageBuilder(Generic[Mark]):
    """Collects the text and the elements of a passage, from left to right."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._elements: list[Element] = []
        self._marks: list[Mark] = []
        self._open: list[int] = []

    def text(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def open(self, mark: Mark, kind: ElementKind = ElementKind.INLINE) -> None:
        parent = self._open[-1] if self._open else None
        here = Span(self._length, self._length)
        self._open.append(len(self._elements))
        self._elements.append(Element(here, kind, parent))
        self._marks.append(mark)

    def close(self) -> None:
        index = self._open.pop()
        element = self._elements[index]
        span = Span(element.span.start, self._length)
        self._elements[index] = Element(span, element.kind, element.parent)

    def atom(self, mark: Mark, text: str = "") -> None:
        """What is not translated; `text` is what can be read of it."""
        self.open(mark, ElementKind.OPAQUE if text else ElementKind.VOID)
        self.text(text)
        self.close()

    def built(self) -> Marked[Mark]:
        passage = Passage("".join(self._parts), tuple(self._elements))
        return Marked(passage, tuple(self._marks))


def has_words(text: str) -> bool:
    """Whether there are letters: what has none may be for programs (a column of a table)."""
    return any(character.isalpha() for character in text)


def is_said(text: str) -> bool:
    """Whether there is anything that another language would write in another way, where all is for
    people: words, or an amount ("12,50 €" is "€12.50", "12,5 %" is "12.5%")."""
    return has_words(text) or (
        any(map(str.isdecimal, text))
        and any(char in "%‰" or unicodedata.category(char) == "Sc" for char in text)
    )


def translated_name(name: str, source: str, target: str, ending: str = "") -> str:
    """ "brief.docx" as "brief.en.docx"; "brief.de.docx" too, where it says its language.

    Args:
        ending: of the translation, where it is not that of the name.
    """
    stem, dot, own = name.rpartition(".")
    if not dot or not stem:
        return f"{name}.{target}" + (ending and f".{ending}")
    if source:
        stem = re.sub(rf"[.]{re.escape(source)}$", "", stem, flags=re.IGNORECASE)
    return f"{stem}.{target}.{ending or own}"
