"""The texts of a page: runs of inline content, and attributes that people read.

    <div>Ja <b>gut</b><p title="x">Nein</p><a>so</a></div>     "Ja gut", "Nein", "x", "so"

A run ends where a block begins or ends, also inside an inline element: `<a><p>..</p></a>` holds a
unit, it is in none. Inside a unit line breaks are spaces, as a browser shows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import justhtml

from dragoman.html import tags
from dragoman.html.tags import Node, Role, Tags
from dragoman.types import Element, ElementKind, Span

# A carriage return is one that the source says as a reference: it stays.
_BREAK = re.compile(r"[\n\t\f]")
_WITHOUT_WIDTH = "\xad\u200b\u200c\u200d\u2060\ufeff"


@dataclass(frozen=True, slots=True)
class Unit:
    """A text of a page.

    Attributes:
        parent: the node that the run, or the attribute, is of.
        run: children of `parent`, side by side; empty for an attribute.
        attribute: its name; empty for a run.
        text: with the spaces at its ends.
        elements: their parents are indexes in the unit; -1 is the unit itself.
        nodes: of each element.
    """

    parent: justhtml.Node
    run: tuple[Node, ...]
    attribute: str
    text: str
    elements: tuple[Element, ...] = ()
    nodes: tuple[justhtml.Node, ...] = ()


def units(root: justhtml.Node, language: str) -> Iterator[Unit]:
    """All units below a node, without recursion: elements may be nested without end."""
    reader = _Reader(Tags(language))
    waiting: list[tuple[justhtml.Node, bool]] = [(root, False)]
    dividing = reader.dividing(root)
    while waiting:
        node, preformatted = waiting.pop()
        preformatted = preformatted or tags.preformatted(node)
        inside: list[justhtml.Node] = []
        yield from _attributes(node)
        for run in reader.runs(node, dividing, inside):
            yield from reader.run_units(node, run, preformatted, inside)
        waiting.extend((child, preformatted) for child in reversed(inside))


def children(node: Node) -> list[Node]:
    return [] if isinstance(node, justhtml.Text) else list(node.children or ())


class _Reader:
    def __init__(self, roles: Tags) -> None:
        self._tags = roles

    def dividing(self, root: justhtml.Node) -> set[Node]:
        """The inline elements that hold a block; nodes are equal to themselves only."""
        order: list[justhtml.Node] = [root]
        for node in order:  # it grows: parents before children
            if self._tags.role(node) in (Role.INLINE, Role.BLOCK, Role.ISLAND, Role.HELD):
                order += [child for child in children(node) if isinstance(child, justhtml.Element)]
        holders: set[Node] = set()
        for node in reversed(order):
            role = self._tags.role(node)
            held = role is Role.BLOCK or (role is Role.INLINE and node in holders)
            if held and node.parent is not None:
                holders.add(node.parent)
        return holders

    def runs(
        self, node: justhtml.Node, dividing: set[Node], inside: list[justhtml.Node]
    ) -> Iterator[tuple[Node, ...]]:
        """Runs of inline children; to `inside` go the others that may hold text."""
        run: list[Node] = []
        for child in children(node):
            role = self._tags.role(child)
            if role is Role.BLOCK or (role is Role.INLINE and child in dividing):
                if run:
                    yield tuple(run)
                run = []
                if isinstance(child, justhtml.Element) and self._entered(child):
                    inside.append(child)
            else:
                run.append(child)
        if run:
            yield tuple(run)

    def _entered(self, block: justhtml.Element) -> bool:
        return tags.divides(block) and not self._tags.opaque(block)

    def run_units(
        self,
        parent: justhtml.Node,
        run: tuple[Node, ...],
        preformatted: bool,
        inside: list[justhtml.Node],
    ) -> Iterator[Unit]:
        """The unit of a run, if it has text, and those of attributes in it."""
        writer = _UnitWriter()
        # A node, or the index of an element to end.
        waiting: list[Node | int] = list(reversed(run))
        while waiting:
            node = waiting.pop()
            if isinstance(node, int):
                writer.end(node)
                continue
            role = self._tags.role(node)
            if isinstance(node, justhtml.Text):
                writer.add(node.data or "", translated=True)
                continue
            if role is not Role.OPAQUE:
                yield from _attributes(node)
            if role is Role.INLINE:
                waiting.append(writer.begin(node, _inline_kind(node)))
                waiting.extend(reversed(children(node)))
                continue
            if role is Role.ISLAND:
                inside.append(node)
            elif role is Role.HELD and tags.holds_elements(node):
                yield from self._held_attributes(node)
            hidden = _hidden_text(node, role)
            if role is Role.HELD and tags.is_seen(node) and writer.ends_in_word:
                # What can be seen between two words parts them.
                following = waiting[-1] if waiting else None
                if isinstance(following, justhtml.Text) and (following.data or "")[:1].isalnum():
                    hidden = " "
            writer.atom(node, hidden)
        if writer.translated:
            yield writer.unit(parent, run, preformatted)

    def _held_attributes(self, node: justhtml.Node) -> Iterator[Unit]:
        waiting = children(node)
        while waiting:
            child = waiting.pop()
            if isinstance(child, justhtml.Element) and not self._tags.opaque(child):
                yield from _attributes(child)
                waiting += children(child)


class _UnitWriter:
    def __init__(self) -> None:
        self.translated = False
        self._text: list[str] = []
        self._length = 0
        self._elements: list[Element] = []
        self._nodes: list[justhtml.Node] = []
        self._open = [-1]

    def add(self, text: str, *, translated: bool) -> None:
        self._text.append(text)
        self._length += len(text)
        self.translated = self.translated or (translated and not _is_blank(text))

    @property
    def ends_in_word(self) -> bool:
        return bool(self._text) and self._text[-1][-1:].isalnum()

    def begin(self, node: justhtml.Node, kind: ElementKind) -> int:
        here = Span(self._length, self._length)
        self._elements.append(Element(here, kind, self._open[-1]))
        self._nodes.append(node)
        index = len(self._nodes) - 1
        self._open.append(index)
        return index

    def end(self, index: int) -> None:
        element = self._elements[index]
        self._elements[index] = Element(
            Span(element.span.start, self._length), element.kind, element.parent
        )
        self._open.pop()

    def atom(self, node: justhtml.Node, text: str) -> None:
        index = self.begin(node, ElementKind.OPAQUE if text else ElementKind.VOID)
        self.add(text, translated=False)
        self.end(index)

    def unit(self, parent: justhtml.Node, run: tuple[Node, ...], preformatted: bool) -> Unit:
        text = "".join(self._text)
        if not preformatted:
            text = self._in_one_line(text)
        return Unit(parent, run, "", text, tuple(self._elements), tuple(self._nodes))

    def _in_one_line(self, text: str) -> str:
        """Line breaks between words are spaces; what is opaque stays as it is."""
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        opaque = [e.span for e in self._elements if e.kind is ElementKind.OPAQUE]
        parts, at = [], start
        for span in [*opaque, Span(end, end)]:
            if start <= span.start <= end and at <= span.start:
                parts += [_BREAK.sub(" ", text[at : span.start]), text[span.start : span.end]]
                at = span.end
        return text[:start] + "".join(parts) + text[max(at, end) :]


def _is_blank(text: str) -> bool:
    return not any(not char.isspace() and char not in _WITHOUT_WIDTH for char in text)


def _attributes(node: justhtml.Node) -> Iterator[Unit]:
    for name in tags.text_attributes(node):
        value = (node.attrs or {}).get(name) or ""
        yield Unit(node, (), name, _BREAK.sub(" ", value))


def _inline_kind(node: justhtml.Node) -> ElementKind:
    style = isinstance(node, justhtml.Element) and tags.style(node)
    return ElementKind.STYLE if style else ElementKind.INLINE


def _hidden_text(node: justhtml.Node, role: Role) -> str:
    """What stands in the text for something that is not translated."""
    if role is Role.BREAK:
        return "\n"
    if role is not Role.OPAQUE:
        return ""
    texts: list[str] = []
    waiting: list[Node] = [node]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, justhtml.Text):
            texts.append(inner.data or "")
        elif isinstance(inner, justhtml.Element):
            waiting.extend(reversed(children(inner)))
    return "".join(texts)
