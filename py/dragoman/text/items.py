"""Items of a list within a line: "1. Foo 2. Bar" and "• Foo • Bar"; cells, with a tab between."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dragoman.text.abbreviations import LanguageRules
from dragoman.text.marks import BEHIND, BREATH, BULLETS, OPENERS, WORD, any_of
from dragoman.text.period import in_ordinal_place

_BULLET = re.compile(rf"(?<=\s){any_of(BULLETS)}(?=\s*\w)")
# Between cells. Many spaces may be the indentation of a page's source, within a sentence.
_TABS = re.compile(r"\t\s*")
_MARKER = re.compile(rf"(?:^|(?<=\s))\(?(\d{{1,2}}|[a-z])(\.\)|\)|\.)\s+{any_of(OPENERS)}?(?=\w)")


@dataclass(frozen=True, slots=True)
class ListMarker:
    """A list's marker, such as "2." or "b)"."""

    label: str
    style: str


@dataclass(frozen=True, slots=True)
class LineState:
    """From where on a line is read; what is before is only looked back at.

    Attributes:
        begin: the first code point that is in no sentence yet; 0: nothing was read.
        item: start of the item that `begin` is in, as far as it is kept.
        marker: the last marker of the list that the line begins with; None: with no list.
        scanned: where the next marker may begin.
    """

    begin: int = 0
    item: int = 0
    marker: ListMarker | None = None
    scanned: int = 0


LINE_START = LineState()


def item_starts(line: str, rules: LanguageRules, place: LineState) -> Iterator[int | None]:
    """Where a line is cut because an item of a list or a cell begins, in order.

    After each `BREATH` markers or tabs there is a None, for who does this bit by bit.
    """
    starts = {bullet.start() for bullet in _BULLET.finditer(line, place.begin)}
    for number, gap in enumerate(_TABS.finditer(line, place.begin), 1):
        starts.add(gap.end())
        if number % BREATH == 0:
            yield None
    for number, start in enumerate(_list_markers(line, rules, place), 1):
        if start is not None:
            starts.add(start)
        if number % BREATH == 0:
            yield None
    yield from sorted(starts)


def _list_markers(line: str, rules: LanguageRules, place: LineState) -> Iterator[int | None]:
    """Second and later markers of a list that begins with its line: "1. Foo 2. Bar"; None for what
    looks like one only."""
    markers = read_markers(line, rules, place)
    if not place.begin:
        next(markers, None)
    yield from (match.start() if is_next else None for match, is_next in markers)


def read_markers(
    line: str, rules: LanguageRules, place: LineState
) -> Iterator[tuple[re.Match[str], bool]]:
    """What looks like a marker in a line that begins with one, and whether it is the next one."""
    marker, at = place.marker, place.scanned
    if not place.begin:
        first = _MARKER.match(line, len(line) - len(line.lstrip()))
        if first is not None:
            yield first, True
            marker, at = ListMarker(first[1], first[2]), first.end()
    if marker is None:
        return
    for match in _MARKER.finditer(line, at):
        wanted = (_next_label(marker.label), marker.style)
        is_next = match.groups() == wanted and _begins_item(line, match, rules)
        if is_next:
            marker = ListMarker(match[1], match[2])
        yield match, is_next


def _next_label(label: str) -> str:
    return str(int(label) + 1) if label.isdecimal() else chr(ord(label) + 1)


def _begins_item(line: str, marker: re.Match[str], rules: LanguageRules) -> bool:
    word = WORD.match(line, marker.end())
    if word is None or word[0][0].islower():
        return False
    if marker[2] != "." or not marker[1].isdecimal() or rules.ordinals is None:
        return True
    before = line[max(0, marker.start() - BEHIND) : marker.start()].split()
    return not in_ordinal_place(before[-1] if before else "", word[0], rules.ordinals)
