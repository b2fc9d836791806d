"""Markup over a pivot: the elements of one leg's translation become those of the next leg's text.

    elements of A --first leg--> content of B --carry--> elements of B
                                   elements of B --second leg--> content of C, by B's elements
                                                    --returned-> content of C, by A's elements

Invariants, so that those of each leg are those of the whole: the elements of B are nested as the
content says, each with the one around it as its parent, and opaque ones enclose the text that they
had in A.

Worked: "hier" in a link, "da" in bold, the second put first: content (1: "there"), " ", (0: "here")
carries the elements [0, 5) style and [6, 10) inline, whose origins are 1 and 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.types import Content, Element, PlacedElement, Span


@dataclass(frozen=True, slots=True)
class Carried:
    """Elements of a translation.

    Attributes:
        origins: of each, its index among the elements of the source.
    """

    elements: tuple[Element, ...]
    origins: tuple[int, ...]

    def returned(self, content: Content) -> Content:
        """What the next leg made of these elements, by their indices in the source."""
        return tuple(
            item
            if isinstance(item, Span)
            else PlacedElement(
                self.origins[item.element],
                None if item.content is None else self.returned(item.content),
            )
            for item in content
        )


def carry(content: Content, elements: Sequence[Element]) -> Carried:
    """The elements of a translation whose content is of the source's `elements`."""
    writer = _Writer(elements)
    writer.write(content, None)
    return Carried(tuple(writer.elements), tuple(writer.origins))


class _Writer:
    """Counts through the translation, from left to right."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._sources = elements
        self._at = 0
        self.elements: list[Element] = []
        self.origins: list[int] = []

    def write(self, content: Content, parent: int | None) -> None:
        """Nested as deep as the elements, which `Limits.element_depth` bounds."""
        for item in content:
            if isinstance(item, Span):
                self._at = item.end
            else:
                self._place(item, parent)

    def _place(self, item: PlacedElement, parent: int | None) -> None:
        source = self._sources[item.element]
        index, start = len(self.elements), self._at
        self.elements.append(Element(Span(start, start), source.kind, parent))
        self.origins.append(item.element)
        if item.content is None:
            self._at += len(source.span)  # opaque text is as it was; void has none
        else:
            self.write(item.content, index)
        self.elements[index] = Element(Span(start, self._at), source.kind, parent)
