"""Paragraphs and headings, from the lines of a PDF.

A PDF does not say what is a paragraph. What tells: a gap that is larger than between other lines,
an indent, another size of letters, the sign of a list, a line that ends a sentence and had room for
the next word. Letters that are larger than most are a heading's. A paragraph goes on over the end
of a column or a page where its last line ends no sentence, and is full or the next line begins with
a small letter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dragoman.documents.pdf.line import Line
from dragoman.text.lines.hyphens import SOFT_HYPHEN, joint

# Sizes are told apart from this ratio on, and so is what is larger than the text.
_OTHER_SIZE = 1.08
_HEADING_SIZE = 1.14
_HEADING_CHARACTERS = 200
_HEADING_LEVELS = 4
# Of the usual distance of lines, which is this where nothing tells: distances over sizes.
_WIDE = 1.25
_USUAL_DISTANCE = 1.2
_INDENT = 0.8
# A line is full from this share of the longest on, counted in letters, which differ in width.
_FULL = 0.85
# What stands at the edge of so many pages, and is not larger than the text, is no text of theirs.
_EDGE_LINES = 2
_REPEATED = 3
_SAME_PLACE = 3.0
_DIGITS = re.compile(r"\d{1,9}")
# A header's page number is at most so far from the page's place, or says that it is one.
_FIRST_PAGE = 50
_PAGE = re.compile(r"^\W*\d+\W*$|\b(?:Seite|S\.|Blatt|page|p\.|pág|pagina|strona)", re.IGNORECASE)

_ITEM = re.compile(r"(?:[•‣▪▫◦●○■□–—*·]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s")
_ENDS_SENTENCE = re.compile(r"[.!?:;…。！？][\"'»«”’)\]]*$")


@dataclass(frozen=True, slots=True)
class Block:
    """Args:
    text: of a paragraph or heading.
    level: of a heading from 1, 0 of a paragraph.
    """

    text: str
    level: int = 0


@dataclass(frozen=True, slots=True)
class Blocks:
    """What a PDF says.

    Attributes:
        body: in reading order.
        repeated: headers and footers, each once.
    """

    body: list[Block]
    repeated: list[Block]


def blocks_of(lines: Sequence[Line]) -> Blocks:
    """Paragraphs and headings of lines in reading order."""
    usual = _most(((line.size, 1, len(line.text)) for line in lines), 0.0)
    body, repeated = _apart(lines, usual)
    distance = _most(
        (
            (_distance(above, line), 2, len(line.text))
            for above, line in pairwise(body)
            if above.page == line.page and 0.5 < _distance(above, line) < 4
        ),
        _USUAL_DISTANCE,
    )
    groups = _grouped(body, distance)
    larger = sorted({_step(group) for group in groups if _is_heading(group, usual)}, reverse=True)
    levels = {size: min(place + 1, _HEADING_LEVELS) for place, size in enumerate(larger)}
    blocks = [
        Block(_joined(group), levels[_step(group)] if _is_heading(group, usual) else 0)
        for group in groups
    ]
    return Blocks(blocks, [Block(text) for text in repeated])


def _distance(above: Line, line: Line) -> float:
    """Of two lines, in sizes of the letters; 0 of letters that have none and are not seen."""
    return (above.y - line.y) / line.size if line.size else 0.0


# --- headers and footers -------------------------------------------------------------------------


def _apart(lines: Sequence[Line], usual: float) -> tuple[list[Line], list[str]]:
    """Lines without those that stand at the same edge of page after page, and these once.

    Args:
        usual: size of letters; what is larger is a heading, of which each is wanted.
    """
    pages: dict[int, list[Line]] = {}
    for line in lines:
        pages.setdefault(line.page, []).append(line)
    edges: dict[tuple[str, int], list[Line]] = {}
    for page in pages.values():
        small = (page[n] for n in _edge(page) if page[n].size <= usual * _OTHER_SIZE)
        for key, line in {_repeating(line): line for line in small}.items():
            edges.setdefault(key, []).append(line)
    often = {key for key, found in edges.items() if len(found) >= _REPEATED and _is_same(found)}
    body, repeated = [], dict[str, str]()
    for page in pages.values():
        at_edge = {n for n in _edge(page) if _repeating(page[n]) in often}
        for n, line in enumerate(page):
            if n not in at_edge:
                body.append(line)
            elif any(map(str.isalpha, line.text)):
                repeated.setdefault(_repeating(line)[0], line.text)
    return body, list(repeated.values())


def _edge(page: Sequence[Line]) -> list[int]:
    """The highest and the lowest lines, by their places in it."""
    by_height = sorted(range(len(page)), key=lambda n: page[n].y)
    return by_height[:_EDGE_LINES] + by_height[-_EDGE_LINES:]


def _is_same(lines: Sequence[Line]) -> bool:
    """Whether lines of several pages, alike but for their numbers, differ in that of the page at
    most: else they are forms that were filled in."""
    numbers = ([int(number) for number in _DIGITS.findall(line.text)] for line in lines)
    other = [found for found in zip(*numbers, strict=True) if len(set(found)) > 1]
    if not other:
        return True
    before = {number - line.page for number, line in zip(other[0], lines, strict=True)}
    # Of a text with numbers of its own, one that begins far from 1 counts something else.
    counts_pages = max(map(abs, before)) <= _FIRST_PAGE or _PAGE.search(lines[0].text) is not None
    return len(other) == len(before) == 1 and counts_pages


def _repeating(line: Line) -> tuple[str, int]:
    return _DIGITS.sub("#", line.text), round(line.y / _SAME_PLACE)


# --- paragraphs ----------------------------------------------------------------------------------


def _grouped(lines: Sequence[Line], distance: float) -> list[list[Line]]:
    """Lines that belong together."""
    groups: list[list[Line]] = []
    for line in lines:
        if groups and _continues(groups[-1], line, distance):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _continues(group: Sequence[Line], line: Line, distance: float) -> bool:
    """Whether a line goes on with what was said.

    Args:
        distance: of lines in a paragraph, in sizes of their letters.
    """
    last = group[-1]
    if _is_other_size(last.size, line.size):
        return False
    if _ITEM.match(line.text):
        return False
    goes_on = line.text[0].islower()
    ends = bool(_ENDS_SENTENCE.search(last.text))
    word = line.text.split(maxsplit=1)[0]
    longest = max(len(each.text) for each in group)
    is_short = len(last.text) + 1 + len(word) < _FULL * longest  # the word had room there
    below = last.y - line.y
    if last.page != line.page or below < -0.5 * line.size:  # another page or column
        return not ends and (goes_on or (len(group) > 1 and not is_short))
    if below > distance * _WIDE * line.size:
        return False
    hangs = len(group) == 1 and _ITEM.match(last.text)
    if line.x - last.x > _INDENT * line.size and not hangs:
        return False
    return goes_on or not (ends and is_short)


def _is_other_size(one: float, other: float) -> bool:
    small, large = sorted((one, other))
    return large > small * _OTHER_SIZE


def _is_heading(group: Sequence[Line], usual: float) -> bool:
    characters = sum(len(line.text) for line in group)
    has_words = any(character.isalpha() for line in group for character in line.text)
    larger = group[0].size > usual * _HEADING_SIZE
    return larger and has_words and characters <= _HEADING_CHARACTERS


def _step(group: Sequence[Line]) -> int:
    """Sizes as near as headings of one level have them."""
    return round(group[0].size)


def _joined(group: Iterable[Line]) -> str:
    """The text of lines; words that were divided at their ends are whole again."""
    text = ""
    for line in group:
        cut, between = joint(text, line.text) if text else (0, "")
        text = text[: len(text) - cut] + between + line.text
    return text.rstrip(SOFT_HYPHEN)


def _most(weighed: Iterable[tuple[float, int, int]], otherwise: float) -> float:
    """The value that weighs most: of values, their digits, and weights."""
    counted: Counter[float] = Counter()
    for value, digits, weight in weighed:
        counted[round(value, digits)] += weight
    return counted.most_common(1)[0][0] if counted else otherwise
