"""Source to tree, as a browser reads it, within bounds.

A few kilobytes can ask for millions of nodes: an element that is never closed, as `<b a=1>`, is
opened again in every block that follows. The parser has no bounds of its own, so each element is
counted where it comes into being. What a page may have of them grows with its length, and is never
more than its characters, which no honest page comes near: time and memory grow no faster.
"""

from __future__ import annotations

import re
from typing import Any

import justhtml
from justhtml.parser.context import FragmentContext
from justhtml.parser.engine import ParseEngine, compile_raw_engine_plan

from dragoman.config import CHARACTERS_A_NODE, Limits
from dragoman.errors import PageTooLargeError

SPARE_NODES = 100  # of a page without characters: html, head, body ...

# What a browser skips, to the end where it has none: so no place of a page is looked at twice.
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.DOTALL)
_SKIPPED = re.compile(
    rf"{_COMMENT.pattern}|<(script|style|template)\b.*?(?:</\1(?=[\s/>])|\Z)", re.I | re.S
)
# A server's warning, a script, an XML declaration may be before it.
_DOCUMENT = re.compile(r"<(?:!doctype\s+html|html|head|body)(?=[\s/>])", re.IGNORECASE)
# Comments, and what else a browser takes for one: "<?xml version='1.0'?>".
_UNSEEN = re.compile(rf"{_COMMENT.pattern}|<(?:[?!]|/(?![A-Za-z]))[^>]*(?:>|\Z)", re.S)
_DOCTYPE = re.compile(rf"{_SKIPPED.pattern}|(?P<type><!doctype[^>]*(?:>|\Z))", _SKIPPED.flags)


def is_fragment(source: str) -> bool:
    """Whether a source is no document of its own."""
    return _DOCUMENT.search(_SKIPPED.sub("", source)) is None


def parse(source: str, fragment: bool, limits: Limits) -> justhtml.Node:
    """The root of the tree of a document, or of a fragment of one.

    Raises:
        PageTooLargeError: it has too many elements and attributes, or too many levels of them.
    """
    text = source if fragment else _as_browsers_read(source)
    return _BoundedEngine(text.removeprefix("\ufeff"), fragment, limits).parse()


def _as_browsers_read(source: str) -> str:
    """A document of the same length, without what no browser takes for text: a byte order mark is a
    space, and a document type that comes too late a comment."""
    text = source.replace("\ufeff", " ", 1) if source.startswith("\ufeff") else source
    for match in _DOCTYPE.finditer(text):
        if match["type"]:
            late = bool(_UNSEEN.sub("", text[: match.start()]).strip())
            return _replaced(text, match) if late else text
    return text


def _replaced(text: str, match: re.Match[str]) -> str:
    return text[: match.start()] + _commented(match.group()) + text[match.end() :]


def _commented(markup: str) -> str:
    """A comment as long as some markup, which has seven characters at least."""
    return "<!--" + " " * (len(markup) - 7) + "-->"


class _BoundedEngine(ParseEngine):
    __slots__ = ("_limits", "_most", "_nodes")

    def __init__(self, source: str, fragment: bool, limits: Limits) -> None:
        super().__init__(
            source,
            fragment=fragment,
            fragment_context=FragmentContext("div") if fragment else None,
            plan=compile_raw_engine_plan(fragment),
            track_node_locations=True,
        )
        self._limits, self._nodes = limits, 0
        most = max(limits.page_nodes, len(source) // CHARACTERS_A_NODE)
        self._most = min(most, SPARE_NODES + len(source))

    def _insert_raw_element(
        self, name: str, attrs: dict[str, str | None], *arguments: Any, **options: Any
    ) -> justhtml.Element:
        self._count(attrs)
        return super()._insert_raw_element(name, attrs, *arguments, **options)

    def _clone_formatting_entry(self, entry: Any) -> justhtml.Element:
        self._count(entry.attrs)
        return super()._clone_formatting_entry(entry)

    def _count(self, attributes: dict[str, str | None]) -> None:
        self._nodes += 1 + len(attributes)
        if self._nodes > self._most:
            raise PageTooLargeError(self._nodes, self._most, "elements and attributes")
        if len(self._stack) > self._limits.page_depth:
            raise PageTooLargeError(len(self._stack), self._limits.page_depth, "levels")
