"""HTML, for hosts with a parser: a document or a fragment becomes text with elements, and back.

    "<p>Ja <b>gut</b></p><p>Nein"         parsed as a browser does: broken HTML is no error
    units   "Ja gut", "Nein"              each with the elements in it
    text    "Ja gut\\nNein"                one text, an element around each unit
    ...     translated, elements placed
    "<p>Yes <b>good</b></p><p>No</p>"     the same nodes, moved where word order needs it

No attribute is touched but those that people read; nothing changes outside of units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape

import justhtml

from dragoman.html.tags import Node
from dragoman.html.units import Unit, children, units
from dragoman.types import Content, Element, PlacedElement, Span

_DOCUMENT = re.compile(r"\s*(?:<!--.*?-->\s*)*<(?:!doctype|html|head|body)\b", re.I | re.S)
# Of these the parser leaves out a line break that comes first: one more keeps it.
_FIRST_BREAK = ("listing", "pre", "textarea")
# Stands for the "=" that a name of an attribute may begin with, as in `<a =b>`: so says the
# standard, and so reads the parser, but the serializer refuses it.
_EQUALS = "equals-sign"


class HtmlPage:
    """A parsed document or fragment; it can be written once.

    Attributes:
        text: of all units; a line break parts them.
        elements: around each unit, and those in it.
    """

    def __init__(self, source: str, language: str) -> None:
        fragment = _DOCUMENT.match(source) is None
        self._document = justhtml.JustHTML(source, fragment=fragment, sanitize=False)
        self._source = source
        self._units = list(units(self._document.root, language))
        self._owners: list[Unit | justhtml.Node] = []
        self.text = "\n".join(unit.text for unit in self._units)
        self.elements = tuple(self._placed_elements())

    def write(self, text: str, content: Content | None) -> str:
        """The HTML of a translation.

        Args:
            content: spans in `text`, and `elements` in their places.
        """
        runs: dict[Node, list[Node]] = {}
        for item in content or ():
            unit = self._owners[item.element] if isinstance(item, PlacedElement) else None
            if isinstance(unit, Unit) and isinstance(item, PlacedElement):
                inside = item.content or ()
                if unit.attribute:
                    _write_attribute(unit, text, inside)
                else:
                    runs[unit.run[0]] = self._nodes(text, inside)
        self._replace_runs(runs)
        return self._serialized(text)

    def _serialized(self, text: str) -> str:
        """The page as HTML that is read as it stands here; nothing in the tree changes.

        Two things do not come out by themselves: line breaks that the parser leaves out, and names
        of attributes that begin with "=".
        """
        breaks = list(self._first_breaks())
        odd = [
            (node, node.attrs)
            for node in self._nodes_of_page()
            if not isinstance(node, justhtml.Text)
            and any(name.startswith("=") for name in node.attrs or ())
        ]
        stand_in = self._name_that_nothing_has(text) if odd else ""
        for node, attributes in odd:
            node.attrs = {
                stand_in + name[1:] if name.startswith("=") else name: value
                for name, value in (attributes or {}).items()
            }
        for first in breaks:
            first.data = f"\n{first.data}"
        html = self._document.to_html(pretty=False)
        for first in breaks:
            first.data = (first.data or "")[1:]
        for node, attributes in odd:
            node.attrs = attributes
        return html.replace(stand_in, "=") if odd else html

    def _name_that_nothing_has(self, text: str) -> str:
        taken = unescape(self._source).lower() + text
        name = _EQUALS
        while name in taken:
            name += "-"
        return name

    def _placed_elements(self) -> Iterator[Element]:
        start = 0
        for unit in self._units:
            around = len(self._owners)
            self._owners += [unit, *unit.nodes]
            yield Element(Span(start, start + len(unit.text)))
            for element in unit.elements:
                parent = around + 1 + (-1 if element.parent is None else element.parent)
                yield replace(element, span=element.span.shifted(start), parent=parent)
            start += len(unit.text) + 1

    def _nodes(self, text: str, content: Content) -> list[Node]:
        """The nodes of a unit, without recursion: elements may be nested without end."""
        top: list[Node] = []
        used: set[int] = set()
        stack: list[tuple[justhtml.Node | None, list[Node], Iterator[Span | PlacedElement]]]
        stack = [(None, top, iter(content))]
        while stack:
            node, inside, items = stack[-1]
            item = next(items, None)
            if item is None:
                stack.pop()
                if node is not None:
                    _set_children(node, inside)
                continue
            if isinstance(item, Span):
                inside.append(justhtml.Text(item.of(text)))
                continue
            placed = self._owners[item.element]
            if isinstance(placed, Unit):
                continue
            placed = placed.clone_node() if item.element in used else placed
            used.add(item.element)
            inside.append(placed)
            if item.content is not None:
                stack.append((placed, [], iter(item.content)))
        return top

    def _replace_runs(self, runs: dict[Node, list[Node]]) -> None:
        """Put each run's new nodes, by its first old one, where the run was."""
        parents = dict.fromkeys(unit.parent for unit in self._units if unit.run)
        gone = {node for unit in self._units for node in unit.run if unit.run[0] in runs}
        for parent in parents:
            after: list[Node] = []
            for child in children(parent):
                after += runs.get(child, ())
                if child not in gone:
                    after.append(child)
            _set_children(parent, after)

    def _nodes_of_page(self) -> Iterator[Node]:
        waiting: list[Node] = [self._document.root]
        while waiting:
            node = waiting.pop()
            waiting += children(node)
            content = getattr(node, "template_content", None)
            if content is not None:
                waiting.append(content)
            yield node

    def _first_breaks(self) -> Iterator[justhtml.Text]:
        """Texts whose line break at the beginning the parser would leave out."""
        for node in self._nodes_of_page():
            inside = children(node)
            breaks = node.name in _FIRST_BREAK and node.namespace in (None, "html")
            first = inside[0] if inside and breaks else None
            if isinstance(first, justhtml.Text) and (first.data or "").startswith("\n"):
                yield first


def _write_attribute(unit: Unit, text: str, content: Content) -> None:
    value = "".join(item.of(text) for item in content if isinstance(item, Span))
    if unit.parent.attrs is not None:
        unit.parent.attrs[unit.attribute] = value


def _set_children(node: justhtml.Node, inside: list[Node]) -> None:
    for child in inside:
        child.parent = node
    node.children = inside
