"""A tree as HTML that is read as it stands there.

Some things do not come out of the serializer by themselves: line breaks that the parser leaves out,
names of attributes that begin with "=", values that say the name of theirs, comments with odd
dashes, what is in `noscript`, and the ends of elements of SVG and MathML that are called as those
are that HTML never ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape

import justhtml

from dragoman.html.tags import VOID, Node
from dragoman.html.units import children

# Of these the parser leaves out a line break that comes first: one more keeps it.
_FIRST_BREAK = ("listing", "pre", "textarea")
# Stands for the "=" that a name of an attribute may begin with, as in `<a =b>`: so says the
# standard, and so reads the parser, but the serializer refuses it.
_EQUALS = "equals-sign"


def serialized(root: justhtml.Node, source: str, text: str) -> str:
    """The HTML of a tree, in which nothing changes.

    Args:
        source, text: what the names and the texts of the tree are from.
    """
    stand_in = _name_that_nothing_has(unescape(source).lower() + text)
    kept: list[str] = []
    undo: list[Callable[[], None]] = []

    def instead(value: str) -> str:
        kept.append(value)
        return f"{stand_in}.{len(kept) - 1}."

    for exact in list(_verbatim(root)):
        undo.append(partial(setattr, exact, "data", exact.data))
        exact.data = instead(str(exact.data or ""))
    for first in list(_first_breaks(root)):
        undo.append(partial(setattr, first, "data", first.data))
        first.data = f"\n{first.data}"
    for node in nodes_below(root):
        if node.namespace not in (None, "html") and node.name in VOID:
            undo.append(partial(setattr, node, "name", node.name))
            node.name = instead(node.name)
        if not isinstance(node, justhtml.Text) and _has_odd_attribute(node):
            attributes = node.attrs or {}
            undo.append(partial(setattr, node, "attrs", attributes))
            node.attrs = {
                stand_in + name[1:] if name.startswith("=") else name: instead(value)
                if value and value.lower() == name
                else value
                for name, value in attributes.items()
            }
    html = root.to_html(pretty=False).replace("\r", "&#13;")
    for restore in reversed(undo):
        restore()
    pattern = re.compile(rf"{re.escape(stand_in)}\.(\d+)\.")
    html = pattern.sub(lambda match: kept[int(match[1])], html)
    return html.replace(stand_in, "=")


def nodes_below(root: justhtml.Node) -> Iterator[Node]:
    """A node and all in it, templates too, in no order."""
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        waiting += children(node)
        content = getattr(node, "template_content", None)
        if content is not None:
            waiting.append(content)
        yield node


def _name_that_nothing_has(taken: str) -> str:
    # No dashes: the serializer parts them in comments.
    more = max(map(len, re.findall(rf"{_EQUALS}(s*)", taken)), default=-1)
    return _EQUALS + "s" * (more + 1)


def _verbatim(root: justhtml.Node) -> Iterator[Node]:
    """Comments, and texts of `noscript`."""
    for node in nodes_below(root):
        if node.name == "#comment":
            yield node
        elif node.name == "noscript" and node.namespace in (None, "html"):
            yield from (child for child in children(node) if isinstance(child, justhtml.Text))


def _first_breaks(root: justhtml.Node) -> Iterator[justhtml.Text]:
    """Texts whose line break at the beginning the parser would leave out."""
    for node in nodes_below(root):
        inside = children(node)
        breaks = node.name in _FIRST_BREAK and node.namespace in (None, "html")
        first = inside[0] if inside and breaks else None
        if isinstance(first, justhtml.Text) and (first.data or "").startswith("\n"):
            yield first


def _has_odd_attribute(node: justhtml.Node) -> bool:
    """Whether the serializer would refuse an attribute, or write it in another way."""
    return any(
        name.startswith("=") or (value is not None and value.lower() == name)
        for name, value in (node.attrs or {}).items()
    )
