"""Texts of programs: with tags as in HTML, and places that the program fills in.

"<b>%s</b> Dateien, {count} gewählt"
text "%s Dateien, {count} gewählt"     elements: style, and in it opaque "%s"; opaque "{count}"
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape

from dragoman.documents.passage import EventKind, Marked, PassageBuilder, Translated
from dragoman.documents.text.mnemonics import Mnemonic, with_mnemonic
from dragoman.markup.html_names import OPAQUE
from dragoman.types import ElementKind

_MARKUP = re.compile(
    r"(?P<tag></?(?P<name>[A-Za-z][\w:-]*)(?:[\s.][^<>]*?)?(?P<empty>/)?>)"
    r"|(?P<time><[\d:.]+>)|(?P<override>\{\\[^{}]*\})|(?P<comment><!--[^<]*?-->)"
    r"|(?P<place><[%?][^<]*?[%?]>|\{\{[^{}]*\}\}|[$#%@]?\{[^{}\s]*\}|\$t\([^()]*\)|\[\[[^\[\]]*\]\]"
    # C and what is like it (%-5.2f, %ld, %1$s, %dpx), Python, Ruby.
    r"|%(?:\d+\$)?[-+0#']*(?:\*|\d*)(?:\.(?:\*|\d+))?(?:hh?|ll?|[Ljzt])?[diouxXfFgGcsp@](?!\w)"
    r"|(?<!\d)(?<!\d )%d(?=[A-Za-z]{1,2}\b)"
    r"|%\([\w.]+\)[-+0#]?\d*(?:\.\d+)?[sdifrx]|%<\w+>[-+0#]?\d*(?:\.\d+)?[sdifx]"
    # KDE and Qt (%1, %n), Drupal (%name), Windows (%NAME%), browsers' extensions ($NAME$).
    r"|%[A-Za-z_]{2,}%|(?<![\d%])(?<!\d )%(?:L?\d{1,2}|n|[a-z]\w+(?:-\w+)*)(?!\w)|%%"
    r"|\$[A-Za-z_]\w*\$"
    # Links of vue-i18n to other messages.
    r"|@(?:\.[a-z]+)?:(?:\([\w.]+\)|\w+(?:\.\w+)*)"
    r"|&(?:[A-Za-z]+|#\d+|#x[\da-fA-F]+);)"
)
_TAG = re.compile(r"<[^<>]*>")
# {count, plural, one {...} other {...}}: a small language of its own.
_ICU = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,")
_STYLES_NAMES = """
    b big c del em font i ins mark s small span strike strong sub sup u
"""
_STYLES = frozenset(_STYLES_NAMES.split())
# What is in these is read by programs, and by nobody.
_UNREAD = frozenset(["script", "style"])
_STAYS = re.compile(r"\btranslate=[\"']?no\b|\bnotranslate\b", re.IGNORECASE)


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
    closing = frozenset(ends.values())
    at = 0
    for index, match in enumerate(matches):
        if match.start() < at:  # in what is not translated
            continue
        builder.text(text[at : match.start()])
        at = match.end()
        letter = unescape(match.group()) if match.group().startswith("&") else ""
        if len(letter) == 1 and not letter.isascii() and not letter.isspace():
            builder.text(letter)  # "f&uuml;r" is a word, and UTF-8 needs no reference for it
        elif index in closing:
            builder.close()
        elif index in ends and _is_untouched(match):
            end = matches[ends[index]]
            inside = _TAG.sub("", text[match.end() : end.start()])
            unread = match["name"].lower() in _UNREAD
            builder.atom(TagMark(text[match.start() : end.end()]), "" if unread else inside)
            at = end.end()
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


def untagged(
    marked: Marked[TagMark], translated: Translated, mnemonic: Mnemonic | None = None
) -> str:
    """The text of a translation, with its tags.

    Args:
        mnemonic: which the source had.
    """
    events = marked.events(translated)
    texts = [text for _, text, mark in events if mark is None] or [""]
    said = iter(with_mnemonic(texts, mnemonic) if mnemonic else texts)
    parts: list[str] = []
    for kind, _, mark in events:
        if mark is None:
            parts.append(next(said))
        else:
            parts.append(mark.closing if kind is EventKind.CLOSE else mark.opening)
    return "".join([*parts, *said])


def _is_untouched(tag: re.Match[str]) -> bool:
    """Whether what is in an element stays as it is."""
    name = tag["name"].lower()
    return name in OPAQUE or name in _UNREAD or _STAYS.search(tag.group()) is not None


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
