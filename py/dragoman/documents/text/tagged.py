"""Texts of programs: with tags as in HTML, and places that the program fills in.

"<b>%s</b> Dateien, {count} gewählt"
text "%s Dateien, {count} gewählt"     elements: style, and in it opaque "%s"; opaque "{count}"
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.documents.passage import EventKind, Marked, PassageBuilder, Translated
from dragoman.types import ElementKind

_MARKUP = re.compile(
    r"(?P<tag></?(?P<name>[A-Za-z][\w:-]*)(?:[\s.][^<>]*?)?(?P<empty>/)?>)"
    r"|(?P<time><[\d:.]+>)|(?P<override>\{\\[^{}]*\})"
    r"|(?P<place>\{\{[^{}]*\}\}|[$#%@]?\{[^{}\s]*\}|\$t\([^()]*\)|\[\[[^\[\]]*\]\]"
    r"|%(?:\d+\$)?[-+0#]?\d*(?:\.\d+)?(?:(?:l{0,2}|h|z)[duixX]|[sdfgcxX@])(?!\w)|%\(\w+\)[sdif]"
    r"|%[A-Za-z_]{2,}%|%%|&(?:[A-Za-z]+|#\d+|#x[\da-fA-F]+);)"
)
# {count, plural, one {...} other {...}}: a small language of its own.
_ICU = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,")
_STYLES_NAMES = """
    b big c del em font i ins mark s small span strike strong sub sup u
"""
_STYLES = frozenset(_STYLES_NAMES.split())


@dataclass(frozen=True, slots=True)
class TagMark:
    """What an element is: the tags around it, or, of an atom, all of it."""

    opening: str
    closing: str = ""


def is_translatable(text: str) -> bool:
    """Whether a text can be taken apart here."""
    return _ICU.search(text) is None


def add_tagged(builder: PassageBuilder[TagMark], text: str) -> None:
    """Add a text with its tags to a passage."""
    matches = list(_MARKUP.finditer(text))
    ends = _ends(matches)
    at = 0
    for index, match in enumerate(matches):
        builder.text(text[at : match.start()])
        at = match.end()
        if index in ends.values():
            builder.close()
        elif index in ends:
            mark = TagMark(match.group(), matches[ends[index]].group())
            style = match["name"].lower() in _STYLES
            builder.open(mark, ElementKind.STYLE if style else ElementKind.INLINE)
        else:
            builder.atom(TagMark(match.group()), _readable(match))
    builder.text(text[at:])


def tagged(text: str) -> Marked[TagMark]:
    """A text as a passage."""
    builder = PassageBuilder[TagMark]()
    add_tagged(builder, text)
    return builder.built()


def untagged(marked: Marked[TagMark], translated: Translated) -> str:
    """The text of a translation, with its tags."""
    parts: list[str] = []
    for kind, text, mark in marked.events(translated):
        if mark is None:
            parts.append(text)
        else:
            parts.append(mark.closing if kind is EventKind.CLOSE else mark.opening)
    return "".join(parts)


def _readable(match: re.Match[str]) -> str:
    if match["place"]:
        return match.group()
    return "\n" if (match["name"] or "").lower() == "br" else ""


def _ends(matches: Sequence[re.Match[str]]) -> dict[int, int]:
    """The end tag of each start tag that has one, by their places in the list."""
    ends: dict[int, int] = {}
    open_: list[int] = []
    counts = Counter[str]()
    for index, match in enumerate(matches):
        if not match["tag"] or match["empty"]:
            continue
        if not match.group().startswith("</"):
            open_.append(index)
            counts[match["name"].lower()] += 1
            continue
        name = match["name"].lower()
        while counts[name]:  # those in between have no end
            last = open_.pop()
            counts[matches[last]["name"].lower()] -= 1
            if matches[last]["name"].lower() == name:
                ends[last] = index
                break
    return ends
