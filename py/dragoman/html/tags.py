"""What each element is to a translator: tables, and the questions that they answer."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import justhtml

from dragoman.markup.html_names import (
    ATTRIBUTES,
    HELD,
    HOLDERS,
    INLINE,
    ISLANDS,
    OPAQUE,
    PREFORMATTED,
    REFERENCES,
    SEEN,
    STYLE,
)

Node = justhtml.Node | justhtml.Text

# HTML never ends these (HTML standard, 13.1.2); elements of SVG and MathML of these names it does.
_VOID_NAMES = "area base br col embed hr img input link meta param source track wbr"
VOID = frozenset(_VOID_NAMES.split())
META_NAMES = ("description", "keywords")
BUTTON_TYPES = ("button", "reset")  # the value of a submit button may mean something to a server


class Role(StrEnum):
    TEXT = "text"
    BREAK = "break"  # br: ends a sentence
    INLINE = "inline"
    OPAQUE = "opaque"
    HELD = "held"  # comments too
    ISLAND = "island"
    BLOCK = "block"


class Tags:
    """The role of each node, for a page in `language` (BCP 47)."""

    def __init__(self, language: str) -> None:
        self._language = _primary(language)

    def role(self, node: Node) -> Role:
        """What a node is in a run of inline content, or that it divides it."""
        if isinstance(node, justhtml.Text):
            return Role.TEXT
        if not isinstance(node, justhtml.Element):
            return Role.HELD
        if not inline(node):
            return Role.BLOCK
        if node.name in HELD:
            return Role.HELD
        if node.name == "br":
            return Role.BREAK
        if self.opaque(node):
            return Role.OPAQUE
        return Role.ISLAND if node.name in ISLANDS else Role.INLINE

    def opaque(self, node: justhtml.Element) -> bool:
        """Whether nothing inside, attributes included, is to be translated."""
        attributes = node.attrs
        editable = attributes.get("contenteditable", "false")
        language = attributes.get("lang")
        return (
            node.name in OPAQUE
            or (attributes.get("translate") or "").lower() == "no"
            or "notranslate" in (attributes.get("class") or "").split()
            or (editable or "true").lower() != "false"
            # The root says what the whole page is in, which the client knows better.
            or (
                bool(language and node.name not in ("html", "body"))
                and _primary(language or "") != self._language
            )
        )


def inline(node: justhtml.Element) -> bool:
    """Whether an element is part of a line."""
    return node.name in INLINE or "-" in node.name or node.namespace not in (None, "html")


def style(node: justhtml.Element) -> bool:
    """Whether an element only says what its words look like: nothing knows it, nothing hears it."""
    names = node.attrs
    return (
        node.name in STYLE
        and not any(name in names for name in REFERENCES)
        and not any(name.startswith("on") for name in names)
    )


def preformatted(node: justhtml.Node) -> bool:
    return node.name in PREFORMATTED


def is_seen(node: justhtml.Node) -> bool:
    """Whether a held element is something to look at, which parts the words beside it."""
    return node.name in SEEN


def holds_elements(node: justhtml.Node) -> bool:
    """Whether a held element may have elements with text in attributes."""
    return node.name in HOLDERS


def divides(node: justhtml.Node) -> bool:
    """Whether to look for text inside an element that is a block."""
    return node.name not in HELD


def text_attributes(node: justhtml.Node) -> Iterator[str]:
    """Names of the attributes that people read."""
    attributes = node.attrs or {}
    for name, value in attributes.items():
        if not value or not value.strip():
            continue
        if name in ATTRIBUTES:
            if not ATTRIBUTES[name] or node.name in ATTRIBUTES[name]:
                yield name
        elif (node.name, name) == ("meta", "content"):
            if (attributes.get("name") or "").lower() in META_NAMES:
                yield name
        elif (node.name, name) == ("input", "value") and _is_button(attributes.get("type")):
            yield name


def _is_button(kind: str | None) -> bool:
    return (kind or "").lower() in BUTTON_TYPES


def _primary(language: str) -> str:
    return language.partition("-")[0].strip().lower()
