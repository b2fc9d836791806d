"""Where the nodes of a page are in its source, and the source with some of it written anew.

What is not translated stays byte for byte as it was: only the runs and the attributes that changed
are written over. A run is found by reading the source beside its nodes, tag by tag and text by
text; one that does not agree with the tree (misnested tags, ends that are only implied) is not
found, and the page is serialized as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

import justhtml

from dragoman.html.tags import VOID, Node

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
# Comments, and what a browser takes for one: "<![if !mso]>", "<?php echo 1; ?>", "</ a>".
_COMMENT = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?:[!?]|/(?![A-Za-z]))[^>]*(?:>|\Z)", re.DOTALL
)
_COMMENTS = ("#comment", "#processing-instruction")
_TAG_NAME = re.compile(r"</?[A-Za-z][^\s/>]*")
_ATTRIBUTE = re.compile(
    r"[\s/]*(?P<name>=?[^\s/>=]+|=)(?:\s*=\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s>\"'][^\s>]*|(?=>)))?"
)
_TAG_END = re.compile(r"[\s/]*>")
# What is in these is no markup.
_RAW_NAMES = "iframe noembed noframes noscript plaintext script style textarea title xmp"
_RAW = frozenset(_RAW_NAMES.split())


@dataclass(frozen=True, slots=True)
class Place:
    """An element's place: `start` of its start tag, `inside` up to `outside`, then its end tag.

    Without an end tag, `outside` is `end`.
    """

    start: int
    inside: int
    outside: int
    end: int


class Places:
    """Finds runs of nodes in the source of their page.

    Attributes:
        of_node: places of the elements and comments of the runs that were found.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self.of_node: dict[justhtml.Node, Place] = {}

    def run(self, nodes: Sequence[Node]) -> tuple[int, int] | None:
        """Start and end of nodes that are side by side; None if tree and source do not agree."""
        start = _offset(nodes[0])
        if start is None:
            return None
        places: dict[justhtml.Node, Place] = {}
        end = self._walk(nodes, start, places)
        if end is None:
            return None
        self.of_node |= places
        return start, end

    def after_name(self, node: justhtml.Node) -> int | None:
        """Where an attribute can be put into the start tag of an element."""
        tag = self._tag(node)
        name = _TAG_NAME.match(self._source, tag[0]) if tag else None
        return name.end() if name else None

    def _tag(self, node: justhtml.Node) -> tuple[int, int] | None:
        start = _offset(node)
        end = None if start is None else self._start_tag(node, start)
        return None if start is None or end is None else (start, end)

    def _walk(
        self, nodes: Sequence[Node], start: int, places: dict[justhtml.Node, Place]
    ) -> int | None:
        """End of the nodes; without recursion, as elements may be nested without end."""
        at = start
        stack: list[tuple[justhtml.Node | None, int, int, list[Node]]] = [
            (None, start, start, list(reversed(nodes)))
        ]
        while stack:
            parent, began, inside, rest = stack[-1]
            if not rest:
                stack.pop()
                if parent is not None:
                    end = self._end_tag(parent, at)
                    if end is None:
                        return None
                    places[parent] = Place(began, inside, at, end)
                    at = end
                continue
            node = rest.pop()
            if isinstance(node, justhtml.Text):
                ended = self._text(node.data or "", at)
            elif node.name in _COMMENTS:
                match = _COMMENT.match(self._source, at)
                ended = match.end() if match else None
                places[node] = Place(at, ended or at, ended or at, ended or at)
            elif isinstance(node, justhtml.Element):
                ended = self._start_tag(node, at)
                if ended is not None and _has_end(node, self._source[at:ended]):
                    content = getattr(node, "template_content", None)
                    inner = list((content or node).children or ())
                    if node.name in _RAW and node.namespace in (None, "html"):
                        ended, inner = self._raw_end(node.name, ended), []
                        if ended is None:
                            return None
                    stack.append((node, at, ended, inner[::-1]))
                elif ended is not None:
                    places[node] = Place(at, ended, ended, ended)
            else:
                return None
            if ended is None:
                return None
            at = ended
        return at

    def _text(self, data: str, start: int) -> int | None:
        """End of a text: the source may say it with references."""
        markup = _MARKUP.search(self._source, start)
        end = markup.start() if markup else len(self._source)
        raw = self._source[start:end].replace("\r\n", "\n").replace("\r", "\n")
        return end if unescape(raw) == data else None

    def _start_tag(self, node: justhtml.Node, start: int) -> int | None:
        name = _TAG_NAME.match(self._source, start)
        if name is None or name.group()[1:].lower() != node.name.lower():
            return None
        at = name.end()
        while attribute := _ATTRIBUTE.match(self._source, at):
            at = attribute.end()
        end = _TAG_END.match(self._source, at)
        return end.end() if end else None

    def _end_tag(self, node: justhtml.Node, start: int) -> int | None:
        name = _TAG_NAME.match(self._source, start)
        if name is None or name.group().lower() != f"</{node.name.lower()}":
            return None
        end = self._source.find(">", name.end())
        return end + 1 if end >= 0 else None

    def _raw_end(self, name: str, start: int) -> int | None:
        end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self._source, start)
        return end.start() if end else None

    def attribute(self, node: justhtml.Node, name: str) -> tuple[int, int] | None:
        """Where the value of an attribute is, with its quotes."""
        tag = self._tag(node)
        head = _TAG_NAME.match(self._source, tag[0]) if tag else None
        if tag is None or head is None:
            return None
        at = head.end()
        while attribute := _ATTRIBUTE.match(self._source, at, tag[1]):
            if attribute["name"].lower() == name and attribute["value"] is not None:
                return attribute.span("value")
            at = attribute.end()
        return None


def _offset(node: Node) -> int | None:
    return node.origin_offset


def _has_end(node: justhtml.Element, tag: str) -> bool:
    if node.namespace in (None, "html"):
        return node.name not in VOID
    return not tag.endswith("/>")


def escaped(text: str) -> str:
    """Text as a text node says it."""
    for character, reference in _REFERENCES:
        text = text.replace(character, reference)
    return text


def quoted(text: str) -> str:
    """Text as an attribute says it, with quotes."""
    return '"' + escaped(text).replace('"', "&quot;") + '"'


_REFERENCES = (
    ("&", "&amp;"), ("\xa0", "&nbsp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;"),
)  # fmt: skip
