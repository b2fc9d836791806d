"""XML as a tree that knows where each of its elements is in the source.

So that only what is translated is written anew. What is well-formed is for expat to say, which also
refuses to go beyond the document: no entities are declared or expanded, nothing outside is opened.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from xml.parsers import expat

from dragoman.config import DocumentLimits
from dragoman.errors import DocumentError, DocumentTooLargeError

_MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[(?P<verbatim>.*?)\]\]>|<\?.*?\?>"
    r"|<!(?:[^>\"']|\"[^\"]*\"|'[^']*')*>"  # a document type's address may have a ">"
    r"|<(?P<close>/)?(?P<name>[^\s/>!?]+)(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*?)"
    r"(?P<empty>/)?>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.DOTALL)
_ENCODING = re.compile(rb"\A<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_BREAK = re.compile(r"\r\n?")
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"),
          (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_XML = "http://www.w3.org/XML/1998/namespace"


@dataclass(slots=True)
class Text:
    """A text between tags.

    Attributes:
        data: as it is read, without references.
    """

    data: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class Node:
    """An element: `start` of its start tag, `inside` up to `outside`, then its end tag.

    Attributes:
        name: with the prefix that this package gives its namespace, such as "w:p".
        written: its name as the source writes it.
        attributes: by their names as the source writes them.
    """

    name: str
    written: str
    attributes: dict[str, str]
    start: int
    inside: int
    outside: int = 0
    end: int = 0
    parent: Node | None = None
    children: list[Node | Text] = field(default_factory=list)

    def elements(self) -> Iterator[Node]:
        return (child for child in self.children if isinstance(child, Node))

    def child(self, name: str) -> Node | None:
        return next((child for child in self.elements() if child.name == name), None)

    def walk(self) -> Iterator[Node]:
        """This element and all in it, in document order; without recursion."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(list(node.elements()))

    def get(self, name: str) -> str:
        """An attribute by its local name; "" without it."""
        for written, value in self.attributes.items():
            if written.rpartition(":")[2] == name:
                return value
        return ""

    def words(self) -> str:
        """All text inside."""
        parts: list[str] = []
        waiting: list[Node | Text] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Text):
                parts.append(node.data)
            else:
                waiting += reversed(node.children)
        return "".join(parts)


@dataclass(frozen=True, slots=True)
class XmlSource:
    """A document in XML.

    Attributes:
        text: decoded; places of nodes are in it.
        encoding: that it had, and gets again.
    """

    text: str
    encoding: str
    root: Node

    def encoded(self, text: str) -> bytes:
        return text.encode(self.encoding, "xmlcharrefreplace")

    def of(self, node: Node | Text) -> str:
        """What the source says of a node."""
        return self.text[node.start : node.end]


def read_xml(
    content: bytes, name: str, namespaces: dict[str, str], limits: DocumentLimits
) -> XmlSource:
    """Read XML.

    Args:
        name: of the part of the document, for messages.
        namespaces: prefix of this package by the address of a namespace; names of others have "?".

    Raises:
        DocumentError: it is not well-formed, or declares entities.
        DocumentTooLargeError: its elements are nested too deep.
    """
    text, encoding = _decoded(content, name)
    _check(text, name)
    return XmlSource(text, encoding, tree_of(text, namespaces, limits))


def read_flat_xml(content: bytes, name: str) -> XmlSource:
    """Read XML whose elements nobody will ask for: `root` is empty.

    Args:
        name: as of `read_xml`.

    Raises:
        DocumentError: as `read_xml`.
    """
    text, encoding = _decoded(content, name)
    _check(text, name)
    return XmlSource(text, encoding, Node("", "", {}, 0, 0))


def _decoded(content: bytes, name: str) -> tuple[str, str]:
    encoding = next((known for mark, known in _MARKS if content.startswith(mark)), "")
    if not encoding:
        said = _ENCODING.match(content)
        encoding = said[1].decode("ascii") if said else "utf-8"
    try:
        return content.decode(encoding), encoding
    except (LookupError, UnicodeError) as error:
        raise DocumentError("damaged", f"{name} is not in {encoding}, as it says") from error


def _check(text: str, name: str) -> None:
    """Have expat read it, for what is well-formed."""

    def refuse_declarations(_: str, __: str | None, ___: str | None, declares: int) -> None:
        if declares:
            raise DocumentError(
                "entities", f"{name} declares entities or a document type: 0 are allowed"
            )

    parser = expat.ParserCreate("utf-8")
    parser.StartDoctypeDeclHandler = refuse_declarations
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(text.removeprefix("\ufeff").encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise DocumentError(
            "damaged", f"{name} is no XML: {message}, line {error.lineno}", line=error.lineno
        ) from error


def tree_of(text: str, namespaces: dict[str, str], limits: DocumentLimits) -> Node:
    """The root of well-formed XML.

    Args:
        namespaces: as of `read_xml`.

    Raises:
        DocumentTooLargeError: its elements are nested too deep.
    """
    top = Node("", "", {}, 0, 0)
    spaces: list[dict[str, str]] = [{"xml": _XML}]
    open_: list[Node] = [top]
    deepest = at = 0
    for match in _MARKUP.finditer(text):
        here = open_[-1]
        if match.start() > at and here is not top:
            here.children.append(_text(text[at : match.start()], at, match.start()))
        at = match.end()
        if match["verbatim"] is not None:
            here.children.append(Text(match["verbatim"], match.start(), at))
        if not match["name"]:
            continue
        if match["close"]:
            spaces.pop()
            node = open_.pop()
            node.outside, node.end = match.start(), at
            continue
        if len(open_) > limits.depth:  # only counted from here on
            deepest = max(deepest, len(open_))
        node, inner = _node(match, spaces[-1], namespaces)
        node.parent = here
        here.children.append(node)
        if match["empty"]:
            node.outside = node.end = at
        else:
            open_.append(node)
            spaces.append(inner)
    if deepest:
        raise DocumentTooLargeError(deepest, limits.depth, counted="levels of elements")
    return next(top.elements())


def _text(raw: str, start: int, end: int) -> Text:
    data = _BREAK.sub("\n", raw) if "\r" in raw else raw
    return Text(unescape(data) if "&" in data else data, start, end)


def _node(
    match: re.Match[str], around: dict[str, str], namespaces: dict[str, str]
) -> tuple[Node, dict[str, str]]:
    """An element, and the namespaces that are in force in it."""
    attributes = {
        name: unescape(one or other) for name, one, other in _ATTRIBUTE.findall(match["attributes"])
    }
    written = match["name"]
    inner = _spaces(attributes, around) if "xmlns" in match["attributes"] else around
    node = Node("", written, attributes, match.start(), match.end())
    prefix, _, local = written.rpartition(":")
    address = inner.get(prefix, "")
    known = namespaces.get(address, "?")
    node.name = f"{known}:{local}" if known else local
    return node, inner


def _spaces(attributes: dict[str, str], around: dict[str, str]) -> dict[str, str]:
    """The namespaces in force in an element, by the prefixes of the source."""
    own = {
        name.partition(":")[2]: value
        for name, value in attributes.items()
        if name == "xmlns" or name.startswith("xmlns:")
    }
    return {**around, **own}


def escaped(text: str) -> str:
    """Text as XML says it; what XML cannot say is left out."""
    text = _NO_XML.sub("", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
