"""The direction of an OpenDocument, where a translation runs the other way: its styles say it.

    <style:default-style style:family="paragraph">
      <style:paragraph-properties fo:text-align="right" style:writing-mode="rl-tb"/>

It holds for all paragraphs but for those whose own style says another: that is turned, too.

"start" and "end" are the sides of the text for the standard, but left and right for LibreOffice up
to 24: only "left" and "right" are the same everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from dragoman.documents.xml.direction import with_attributes
from dragoman.documents.xml.tree import Node
from dragoman.edits import Edit, edited

_RIGHTWARDS = {"text-align": "left", "writing-mode": "lr-tb"}
_LEFTWARDS = {"text-align": "right", "writing-mode": "rl-tb"}
# What is said another way where text runs from right to left, and where it does not any more.
_TURNED = {
    True: {
        "writing-mode": {"lr-tb": "rl-tb", "lr": "rl"},
        "text-align": {"start": "right", "left": "right", "end": "left", "right": "left"},
        "align": {"left": "right", "right": "left"},  # of a table
    },
    False: {
        "writing-mode": {"rl-tb": "lr-tb", "rl": "lr"},
        "text-align": {"start": "left", "right": "left", "end": "left", "left": "right"},
        "align": {"left": "right", "right": "left"},
    },
}
_PROPERTIES = "style:paragraph-properties"
_DIRECTED = frozenset([_PROPERTIES, "style:page-layout-properties", "style:table-properties"])
_PREFIXES = {"text-align": "fo", "writing-mode": "style"}
_SPACES = {
    "xmlns:style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "xmlns:fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
}


def directed(text: str, root: Node, leftwards: bool, code: re.Pattern[str]) -> str:
    """A part whose styles say the direction of its language.

    Args:
        root: of the text.
        leftwards: whether it runs from right to left, else from left to right.
        code: names of styles of code, which runs as before.
    """
    usual = _LEFTWARDS if leftwards else _RIGHTWARDS
    edits: list[Edit] = []
    for node in root.walk():
        if node.name == "office:styles" and not any(map(_is_default, node.elements())):
            made = _tag("style:default-style", _SPACES | {"style:family": "paragraph"})
            made += f"{_properties(usual)}</style:default-style>"
            edits.append(_first(text, node, made))
        elif _is_code(node, code):
            edits.append(_of_style(text, node, _RIGHTWARDS, {}))
        elif _is_default(node):
            edits.append(_of_style(text, node, usual, _TURNED[leftwards]))
        elif node.name in _DIRECTED and not _is_said(node, code):
            edits.append(_with(text, node, _turned(node, _TURNED[leftwards])))
    return edited(text, edits)


def _is_default(node: Node) -> bool:
    return node.name == "style:default-style" and node.get("family") == "paragraph"


def _is_code(node: Node, code: re.Pattern[str]) -> bool:
    is_paragraphs = node.name == "style:style" and node.get("family") == "paragraph"
    return is_paragraphs and code.match(node.get("name")) is not None


def _is_said(properties: Node, code: re.Pattern[str]) -> bool:
    """Whether the style that has them says it as a whole."""
    style = properties.parent
    whole = style is not None and (_is_default(style) or _is_code(style, code))
    return whole and properties.name == _PROPERTIES


def _of_style(
    text: str, style: Node, usual: Mapping[str, str], turned: Mapping[str, Mapping[str, str]]
) -> Edit:
    """All of it, where it leaves a side open; a side that is said is kept, or the other one."""
    properties = style.child(_PROPERTIES)
    if properties is None:
        return _first(text, style, _properties(usual))
    said = {name.rpartition(":")[2] for name in properties.attributes}
    missing = {name: value for name, value in usual.items() if name not in said}
    wanted = _turned(properties, turned)
    wanted |= _spaced(missing) if missing else {}
    wanted |= {
        name: usual["writing-mode"]
        for name in properties.attributes
        if name.rpartition(":")[2] == "writing-mode"
    }
    return _with(text, properties, wanted)


def _turned(properties: Node, turned: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The attributes that say another direction or side then."""
    wanted = {}
    for name, value in properties.attributes.items():
        other = turned.get(name.rpartition(":")[2], {}).get(value)
        if other is not None:
            wanted[name] = other
    return wanted


def _with(text: str, node: Node, wanted: Mapping[str, str]) -> Edit:
    tag = with_attributes(text[node.start : node.inside], wanted)
    return Edit(node.start, node.inside, lambda _: tag)


def _properties(wanted: Mapping[str, str]) -> str:
    return _tag(_PROPERTIES, _spaced(wanted)).removesuffix(">") + "/>"


def _spaced(wanted: Mapping[str, str]) -> dict[str, str]:
    """With prefixes, which an element may be the first to use."""
    return _SPACES | {f"{_PREFIXES[name]}:{name}": value for name, value in wanted.items()}


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    return f"<{name}" + "".join(f' {key}="{value}"' for key, value in attributes.items()) + ">"


def _first(text: str, holder: Node, made: str) -> Edit:
    """At the beginning of an element, which may be empty yet."""
    tag = text[holder.start : holder.inside]
    if holder.end > holder.inside:
        return Edit(holder.inside, holder.inside, lambda _: made)
    whole = f"{tag[:-1].rstrip('/ ')}>{made}</{holder.written}>"
    return Edit(holder.start, holder.end, lambda _: whole)
