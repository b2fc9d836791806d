"""What crosses to and from the process that reads a page, and writes it: text and plain numbers.

    message = a line of JSON: what is asked, and the lengths of the parts; then the parts

Elements are four numbers each (start, end, kind, parent), content is a flat run of numbers: two of
a span, or one that says that an element begins, or ends, and its index. Nothing is unpickled, and
what is made of numbers is made a little at a time: the other end may be an event loop.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple

from dragoman.types import Content, Element, ElementKind, PlacedElement, Span

READ, WRITE = "read", "write"

_KINDS = tuple(ElementKind)
_NONE = -1
# In the place of a span's start.
_OPEN, _CLOSE, _ATOM, _NO_CONTENT = -1, -2, -3, -4


class Message(NamedTuple):
    """A head, as JSON has it, and parts."""

    head: Mapping[str, Any]
    parts: Sequence[bytes] = ()


def send(message: Message, stream: IO[bytes]) -> None:
    head = {**message.head, "lengths": [len(part) for part in message.parts]}
    stream.write(json.dumps(head).encode() + b"\n")
    for part in message.parts:
        stream.write(part)
    stream.flush()


def receive(stream: IO[bytes]) -> Message | None:
    """The next message, or None at the end of the stream, in the middle of one too."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    head = json.loads(line)
    parts = []
    for length in head.pop("lengths"):
        part = stream.read(length)
        if len(part) < length:
            return None
        parts.append(part)
    return Message(head, parts)


def text_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def text_of(part: bytes) -> str:
    return part.decode("utf-8", "surrogatepass")


def element_numbers(elements: Sequence[Element]) -> bytes:
    numbers = array("q")
    for element in elements:
        parent = _NONE if element.parent is None else element.parent
        span, kind = element.span, _KINDS.index(element.kind)
        numbers.extend((span.start, span.end, kind, parent))
    return numbers.tobytes()


def elements_of(part: bytes) -> Iterator[Element]:
    numbers = array("q", part)
    for at in range(0, len(numbers), 4):
        start, end, kind, parent = numbers[at : at + 4]
        yield Element(Span(start, end), _KINDS[kind], None if parent == _NONE else parent)


def content_numbers(content: Content | None) -> Iterator[array[int]]:
    """To be put together; without recursion, as elements may be nested without end."""
    if content is None:
        yield array("q", [_NO_CONTENT])
        return
    stack = [iter(content)]
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
            if stack:
                yield array("q", [_CLOSE])
        elif isinstance(item, Span):
            yield array("q", [item.start, item.end])
        elif item.content is None:
            yield array("q", [_ATOM, item.element])
        else:
            yield array("q", [_OPEN, item.element])
            stack.append(iter(item.content))


def content_of(part: bytes) -> Content | None:
    numbers = iter(array("q", part))
    open_: list[tuple[int, list[Span | PlacedElement]]] = [(_NONE, [])]
    for number in numbers:
        inside = open_[-1][1]
        if number == _NO_CONTENT:
            return None
        if number == _OPEN:
            open_.append((next(numbers), []))
        elif number == _ATOM:
            inside.append(PlacedElement(next(numbers)))
        elif number == _CLOSE:
            element, _ = open_.pop()
            open_[-1][1].append(PlacedElement(element, tuple(inside)))
        else:
            inside.append(Span(number, next(numbers)))
    return tuple(open_[0][1])
