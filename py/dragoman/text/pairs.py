"""Quotation marks and brackets that a translation has lost, where it is plain where they belong.

Of news with quotation marks one sentence in fifteen comes out of a small model with one too few,
most often the one that closes. A pair of the source that closes at its very end, or right before
what closes around it, does so in the translation:

    source                   translation              with its marks
    Er kam ('gestern').      He came ('yesterday).    He came ('yesterday').
    „Ich weiß es nicht“.     "I don't know.           "I don't know".
    „Ich weiß es nicht.“     I don't know."           "I don't know."

Elsewhere only the model knows where its words for a quotation end, and nothing is put in; nor where
a mark of the source has no partner: it may be an inch, or the half of a smiley.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_QUOTES = {"„": "“", "“": "”", '"': '"', "»": "«", "«": "»"}
_SINGLE_QUOTES = {"‚": "‘", "‘": "’", "'": "'", "›": "‹", "‹": "›"}
_CLOSERS = {**_BRACKETS, **_QUOTES, **_SINGLE_QUOTES}
_OPENERS = {closer: opener for opener, closer in _CLOSERS.items()}
_DOUBLE, _SINGLE = '„“”«»"', "‚‘’‹›'"
# A single one within a word is an apostrophe.
_MARK = re.compile(rf"(?<!\w)[{_SINGLE}]|[{_SINGLE}](?!\w)|[{_DOUBLE}()\[\]{{}}]")
_STOPS = ".,;:!?…"
_DASHES = "-–—/"
# How much longer than in the source what a pair encloses may be: so many times, and characters.
_LONGER, _SPARE = 1.5, 4


class _Kind(Enum):
    BRACKET = auto()
    DOUBLE = auto()
    SINGLE = auto()


class _Place(Enum):
    """Where a mark closes: at the end, before what closes around it, or elsewhere."""

    END = auto()
    INSIDE = auto()
    ELSEWHERE = auto()


@dataclass(frozen=True, slots=True)
class _Pair:
    """Places of its marks; `end` of one that does not close is where it had to, at the latest."""

    kind: _Kind
    start: int
    end: int
    place: _Place


@dataclass(frozen=True, slots=True)
class _Marks:
    """Attributes:
    pairs: whole ones.
    open: that do not close.
    odd: places of marks that close nothing.
    """

    pairs: tuple[_Pair, ...]
    open: tuple[_Pair, ...]
    odd: tuple[int, ...]


def lost_marks(source: str, target: str) -> list[tuple[int, str]]:
    """Marks to put into a translation, and where: the last place first, each before those that
    were put there already."""
    if _MARK.search(source) is None or _MARK.search(target) is None:
        return []
    wanted, said = _marks(source), _marks(target)
    if wanted.odd or any(pair.kind is not _Kind.SINGLE for pair in wanted.open):
        return []
    if said.odd:
        return _opening(target, said) if _is_quotation(wanted) else []
    lost: list[tuple[int, str]] = []
    whole = list(said.pairs)
    for pair in said.open:  # what is around others comes first
        twins = [one for one in wanted.pairs if _is_alike(one, pair)]
        missing = len(twins) > sum(_is_alike(one, pair) for one in whole)
        if missing and (pair.place is _Place.INSIDE or _is_as_long(pair, twins[-1])):
            whole.append(pair)
            at = _closing_place(target, pair, source, twins[-1])
            lost.append((at, _CLOSERS[target[pair.start]]))
    return sorted(lost, key=lambda one: -one[0])


def _is_alike(one: _Pair, other: _Pair) -> bool:
    """Whether they close alike; a language may have single marks where another has double ones."""
    brackets = one.kind is _Kind.BRACKET, other.kind is _Kind.BRACKET
    return one.place is other.place is not _Place.ELSEWHERE and brackets[0] == brackets[1]


def _is_as_long(pair: _Pair, twin: _Pair) -> bool:
    """Whether it encloses no more than its twin: at the end may stand what does in no quotation."""
    return pair.end - pair.start <= _LONGER * (twin.end - twin.start) + _SPARE


def _is_quotation(marks: _Marks) -> bool:
    """Whether all of a sentence is between quotation marks."""
    return any(
        pair.start == 0 and pair.place is _Place.END and pair.kind is not _Kind.BRACKET
        for pair in marks.pairs
    )


def _opening(target: str, marks: _Marks) -> list[tuple[int, str]]:
    """The mark that opens all of a sentence, if only the one that closes it is there."""
    if len(marks.odd) != 1 or marks.open or target[0] in _CLOSERS:
        return []
    at = marks.odd[0]
    ends = _place(target, at, inside=False) is _Place.END
    return [(0, _OPENERS[target[at]])] if ends and _kind(target[at]) is _Kind.DOUBLE else []


def _closing_place(target: str, pair: _Pair, source: str, twin: _Pair) -> int:
    """Before the stop of a sentence, or behind it, as in the source."""
    end = len(target[: pair.end].rstrip())
    stop_follows = source[twin.end + 1 :].startswith(tuple(_STOPS))
    return len(target[:end].rstrip(_STOPS)) if stop_follows else end


def _marks(text: str) -> _Marks:
    """The marks of a text; an apostrophe is none."""
    stack: list[tuple[_Kind, int]] = []
    pairs: list[_Pair] = []
    left: list[_Pair] = []
    odd: list[int] = []
    for match in _MARK.finditer(text):
        at = match.start()
        kind = _kind(match.group())
        partner = _partner(text, at, kind, stack)
        if partner is not None:
            left += [_Pair(*inner, at, _Place.INSIDE) for inner in stack[partner + 1 :]]
            pairs.append(_Pair(*stack[partner], at, _place(text, at, inside=partner > 0)))
            del stack[partner:]
        elif _may_open(text, at):
            stack.append((kind, at))
        elif kind is not _Kind.SINGLE:
            odd.append(at)
    left += [_Pair(*inner, len(text), _Place.END) for inner in stack]
    return _Marks(tuple(pairs), tuple(sorted(left, key=lambda pair: pair.start)), tuple(odd))


def _kind(mark: str) -> _Kind:
    if mark in _SINGLE:
        return _Kind.SINGLE
    return _Kind.DOUBLE if mark in _DOUBLE else _Kind.BRACKET


def _partner(text: str, at: int, kind: _Kind, stack: Sequence[tuple[_Kind, int]]) -> int | None:
    """Index of the open mark that a mark closes; None if it closes none."""
    mark = text[at]
    if kind is not _Kind.BRACKET and (_is_space(text, at - 1) or _is_word(text, at + 1)):
        return None
    for index in reversed(range(len(stack))):
        other, start = stack[index]
        if kind is _Kind.BRACKET:
            if _BRACKETS.get(text[start]) == mark:
                return index
        elif other is _Kind.BRACKET:
            return None
        elif other is kind:
            return index
    return None


def _may_open(text: str, at: int) -> bool:
    if text[at] in _BRACKETS:
        return True
    before = text[at - 1 : at]
    opens = not before or before.isspace() or before in _CLOSERS or before in _DASHES
    return text[at] in _CLOSERS and opens and not _ends_here(text, at + 1)


def _place(text: str, at: int, *, inside: bool) -> _Place:
    """Where a mark closes, which is inside of another pair or not."""
    rest = text[at + 1 :].lstrip(_STOPS)
    if not rest.strip():
        return _Place.END
    closes = inside and _MARK.match(rest) is not None and not _is_word(rest, 1)
    return _Place.INSIDE if closes else _Place.ELSEWHERE


def _is_space(text: str, at: int) -> bool:
    """Whether there is white space, or nothing."""
    return not 0 <= at < len(text) or text[at].isspace()


def _ends_here(text: str, at: int) -> bool:
    """Whether nothing begins at a place: "...", and what is no stop, may."""
    return _is_space(text, at) or text[at] in ",;:!?"


def _is_word(text: str, at: int) -> bool:
    return text[at : at + 1].isalnum()
