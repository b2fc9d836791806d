"""Whether two trees are one and the same to a browser."""

from __future__ import annotations

from collections.abc import Iterator

import justhtml
from justhtml.core.types import Doctype

from dragoman.html.tags import Node


def same(one: justhtml.Node, other: justhtml.Node) -> bool:
    """Whether two trees have the same nodes in the same places; without recursion."""
    waiting: list[tuple[Node, Node]] = [(one, other)]
    while waiting:
        pair = waiting.pop()
        if _face(pair[0]) != _face(pair[1]):
            return False
        given, wanted = list(_inside(pair[0])), list(_inside(pair[1]))
        if len(given) != len(wanted):
            return False
        for first, second in zip(given, wanted, strict=True):
            if isinstance(first, str) or isinstance(second, str):
                if first != second:
                    return False
            else:
                waiting.append((first, second))
    return True


def _face(node: Node) -> tuple[object, ...]:
    """What a node is by itself."""
    attributes = {} if isinstance(node, justhtml.Text) else node.attrs or {}
    return (
        node.name,
        node.namespace or "html",
        {n: v or "" for n, v in attributes.items()},
        _data(node),
    )


def _data(node: Node) -> object:
    kind = node.data
    if isinstance(kind, Doctype):
        return kind.name or "", kind.public_id or "", kind.system_id or ""
    return kind or ""


def _inside(node: Node) -> Iterator[str | Node]:
    """Texts, those side by side as one, and nodes; what a template holds comes last."""
    text = ""
    for child in node.children or ():
        if isinstance(child, justhtml.Text):
            text += child.data or ""
            continue
        if text:
            yield text
            text = ""
        yield child
    if text:
        yield text
    content = getattr(node, "template_content", None)
    if content is not None:
        yield content
