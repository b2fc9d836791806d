"""What each element is to a translator: tables, and the questions that they answer."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import justhtml

Node = justhtml.Node | justhtml.Text

# Part of the sentence around them; so are custom elements. All others divide the text.
_INLINE_NAMES = """
    a abbr acronym applet area audio b base bdi bdo big br button canvas cite code data datalist
    del dfn em embed font i iframe img input ins kbd label link map mark math meta meter nobr
    noscript object output param picture progress q rb rp rt rtc ruby s samp script select slot
    small source span strike strong style sub sup svg template textarea time track tt u var video
    wbr
"""
_INLINE = frozenset(_INLINE_NAMES.split())
# Not translated: a word of the sentence that stays as it is.
OPAQUE = frozenset(["acronym", "code", "kbd", "math", "samp", "var"])
# A thing in the sentence. Nothing in it is text that could be put into other words.
_HELD_NAMES = """
    applet area audio base canvas embed frame frameset iframe img input link map meta meter
    noembed noframes noscript object param picture plaintext progress rp rt rtc script source
    style svg template textarea track video wbr xmp
"""
_HELD = frozenset(_HELD_NAMES.split())
# Of these, what is inside may have attributes to translate.
_HOLDERS = frozenset(["audio", "map", "object", "picture", "video"])
# A thing in the sentence; what is in it is text by itself.
_ISLANDS = frozenset(["button", "datalist", "select"])
# Only look: the words that they style may be parted, unless something refers to the element.
_STYLE_NAMES = """
    b big em font i mark nobr s small span strike strong sub sup tt u
"""
_STYLE = frozenset(_STYLE_NAMES.split())
_REFERENCES = ("id", "is", "name", "slot", "tabindex")
_PREFORMATTED = frozenset(["listing", "plaintext", "pre", "textarea", "xmp"])

# Attribute -> elements that have it; none named: all.
ATTRIBUTES: dict[str, frozenset[str]] = {
    "abbr": frozenset(["th"]),
    "alt": frozenset(["area", "img", "input"]),
    "label": frozenset(["optgroup", "option", "track"]),
    "placeholder": frozenset(["input", "textarea"]),
    "title": frozenset(),
    "aria-label": frozenset(),
    "aria-description": frozenset(),
    "aria-placeholder": frozenset(),
    "aria-roledescription": frozenset(),
    "aria-valuetext": frozenset(),
    "aria-brailleroledescription": frozenset(),
    "aria-braillelabel": frozenset(),
    "aria-colindextext": frozenset(),
    "aria-rowindextext": frozenset(),
}
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
        if node.name in _HELD:
            return Role.HELD
        if node.name == "br":
            return Role.BREAK
        if self.opaque(node):
            return Role.OPAQUE
        return Role.ISLAND if node.name in _ISLANDS else Role.INLINE

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
    return node.name in _INLINE or "-" in node.name or node.namespace not in (None, "html")


def style(node: justhtml.Element) -> bool:
    """Whether an element only says what its words look like: nothing knows it, nothing hears it."""
    names = node.attrs
    return (
        node.name in _STYLE
        and not any(name in names for name in _REFERENCES)
        and not any(name.startswith("on") for name in names)
    )


def preformatted(node: justhtml.Node) -> bool:
    return node.name in _PREFORMATTED


def holds_elements(node: justhtml.Node) -> bool:
    """Whether a held element may have elements with text in attributes."""
    return node.name in _HOLDERS


def divides(node: justhtml.Node) -> bool:
    """Whether to look for text inside an element that is a block."""
    return node.name not in _HELD


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
