"""Stage 1, elements: the markup of a request, checked, as a flat run of tags.

Invariant of the tags of a text: in document order, texts and atoms cover the text exactly, no
text is empty, tags are balanced. Worked (``<b>hi</b>`` is the element [0, 2)):

    ""   no element        nothing
    "hi" no element        nothing: a text without elements has no tags
    "hi" [0, 2)            OPEN 0, TEXT "hi", CLOSE 0
    "hi" [0, 1), [1, 2)    OPEN 0, TEXT "h", CLOSE 0, OPEN 1, TEXT "i", CLOSE 1
    "hi" [0, 2), [2, 2)    ... CLOSE 0, OPEN 1, CLOSE 1; inside, if element 1 says "parent 0"
"""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.config import Limits
from dragoman.errors import InvalidElementsError
from dragoman.markup.bits import BIT, Work, at_once
from dragoman.types import Element, ElementKind, Span, Tag, TagKind

_ATOMS = (ElementKind.OPAQUE, ElementKind.VOID)


def tags_of(text: str, elements: Sequence[Element], limits: Limits) -> tuple[Tag, ...]:
    """The markup of `text`; nothing when there are no elements.

    Raises:
        InvalidElementsError: they overlap, are out of range or of order, or there are too many.
    """
    return at_once(tags_bit_by_bit(text, elements, limits))


def tags_bit_by_bit(
    text: str, elements: Sequence[Element], limits: Limits
) -> Work[tuple[Tag, ...]]:
    """The same, bit by bit."""
    if len(elements) > limits.elements:
        message = f"{len(elements):,} elements requested, {limits.elements:,} allowed"
        raise _invalid(limits.elements, "count", message, len(elements), limits.elements)
    writer = _TagWriter(text, elements, limits)
    for index in range(len(elements)):
        writer.add(index)
        if index % BIT == BIT - 1:
            yield
    return writer.finished() if elements else ()


class _TagWriter:
    """Writes tags from left to right."""

    def __init__(self, text: str, elements: Sequence[Element], limits: Limits) -> None:
        self._text, self._elements, self._limits = text, elements, limits
        self._tags: list[Tag] = []
        self._open: list[int] = []
        self._at = 0
        self._atom = -1  # the last one

    def add(self, index: int) -> None:
        element = self._elements[index]
        self._check_span(index)
        self._close_before(index)
        self._check_place(index)
        self._read_to(element.span.start)
        if element.kind in _ATOMS:
            self._tags.append(Tag(TagKind.ATOM, index, element.span))
            self._at, self._atom = element.span.end, index
            return
        self._tags.append(Tag(TagKind.OPEN, index, Span(self._at, self._at)))
        self._open.append(index)
        if len(self._open) > self._limits.element_depth:
            allowed = self._limits.element_depth
            message = f"nested deeper than {allowed:,}"
            raise _invalid(index, "depth", message, len(self._open), allowed)

    def finished(self) -> tuple[Tag, ...]:
        while self._open:
            self._close()
        self._read_to(len(self._text))
        return tuple(self._tags)

    def _check_span(self, index: int) -> None:
        element, length = self._elements[index], len(self._text)
        span = element.span
        if not 0 <= span.start <= span.end <= length:
            raise _invalid(index, "range", f"[{span.start}, {span.end}) is not in [0, {length})")
        if element.kind is ElementKind.VOID and len(span):
            raise _invalid(index, "void", "a void element encloses nothing")

    def _close_before(self, index: int) -> None:
        """Close what ends before the element begins; with a parent, what is not around it."""
        element = self._elements[index]
        while self._open:
            around = self._open[-1]
            ended = self._elements[around].span.end <= element.span.start
            if around == element.parent or (element.parent is None and not ended):
                return
            if not ended:
                raise _invalid(index, "nesting", f"its parent does not enclose element {around}")
            self._close()
        if element.parent is not None:
            raise _invalid(index, "nesting", f"element {element.parent} is not around it")

    def _check_place(self, index: int) -> None:
        span = self._elements[index].span
        if span.start < self._at:
            inside = self._atom >= 0 and self._elements[self._atom].span.start <= span.start
            if inside and span.start < self._elements[self._atom].span.end:
                raise _invalid(index, "nesting", f"it is inside the opaque element {self._atom}")
            raise _invalid(index, "order", "it begins before the one before it")
        if self._open and span.end > self._elements[self._open[-1]].span.end:
            raise _invalid(index, "nesting", f"it overlaps element {self._open[-1]}")

    def _read_to(self, end: int) -> None:
        if self._at < end:
            self._tags.append(Tag(TagKind.TEXT, -1, Span(self._at, end)))
            self._at = end

    def _close(self) -> None:
        index = self._open[-1]
        self._read_to(self._elements[index].span.end)
        self._open.pop()
        self._tags.append(Tag(TagKind.CLOSE, index, Span(self._at, self._at)))


def _invalid(
    element: int, reason: str, message: str, requested: int | None = None, allowed: int = 0
) -> InvalidElementsError:
    if requested is None:
        return InvalidElementsError(element, reason, message)
    return InvalidElementsError(element, reason, message, requested=requested, allowed=allowed)
