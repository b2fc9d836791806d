"""How terms and translated sentences are handed on: tables kept by hand, XML of programs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError

from dragoman.errors import DragomanError

# The error of a file, by what is wrong.
Invalid = Callable[[str], DragomanError]
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def numbered_lines(file: BinaryIO, invalid: Invalid) -> Iterator[tuple[int, str]]:
    """The lines of a table in UTF-8 that say something, with their numbers from 1; without a BOM.

    Raises:
        DragomanError: what `invalid` gives, for a line that is not UTF-8.
    """
    for number, line in enumerate(file, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise invalid(f"line {number} is not UTF-8") from error
        if text.strip():
            yield number, text


def units(
    file: BinaryIO,
    names: Collection[str],
    invalid: Invalid,
    at_level: Callable[[int], None] = lambda _: None,
) -> Iterator[Element]:
    """The elements of some names, each when it is complete, and one within another before that.

    What is outside of them is forgotten as it is read, and so is each of them when the next is
    asked for: an element's parent has nothing before it that would be looked through.

    Args:
        at_level: hears of each element how many are around it, and itself; may raise.

    Raises:
        DragomanError: what `invalid` gives, for what is no XML, or declares entities.
    """
    open_: list[Element] = []
    inside = 0  # how many of the open ones are units
    for event, element in _events(file, invalid):
        is_unit = local_name(element) in names
        if event == "start":
            open_.append(element)
            inside += is_unit
            at_level(len(open_))
            continue
        open_.pop()
        if is_unit:
            inside -= 1
            yield element
            element.clear()
        if open_ and not inside:
            open_[-1].remove(element)


def _events(file: BinaryIO, invalid: Invalid) -> Iterator[tuple[str, Element]]:
    """The starts and ends of the elements."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    try:
        yield from iterparse(file, ("start", "end"))
    except ParseError as error:
        raise invalid(f"it is not XML: {error}") from error
    except DefusedXmlException as error:
        raise invalid("it declares entities, which no such file needs") from error
    except (LookupError, ValueError) as error:  # what expat has Python decode
        raise invalid(f"its encoding cannot be read: {error}") from error


def local_name(element: Element) -> str:
    """Without the namespace."""
    return str(element.tag).rpartition("}")[2]


def language_of(element: Element) -> str:
    """What it says of its language; "" where it says nothing."""
    return element.get(_LANG, element.get("lang", ""))
