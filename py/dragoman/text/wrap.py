"""Parts of a sentence that is too long for the model.

Invariant: gap, part, gap, part, ..., gap, as in `split`: the parts are in order, none is empty,
none begins or ends with white space, no two overlap; the gaps are white space or empty; together
they are the span. No part has more than `limit` pieces, unless it is one that cannot be cut. Worked
(two letters a piece, limit 2):

    ""            no part
    " "           no part
    "hi"          [0, 2): nothing to cut
    "abcdef"      "ab", "cdef": at a piece, for want of better
    "ab, cdef"    "ab,", "cdef": after the comma

A cut is at the end of a piece, never inside a grapheme. Where there is a choice, the best kind of
place wins (`_CutKind`), then the one that makes the parts most alike. Linear in the span.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import pairwise

from dragoman.graphemes import inside_graphemes
from dragoman.text.marks import CLOSERS
from dragoman.types import Span

_STRONG = tuple("!?…;:。！？；：।؟؛.")
_WEAK = tuple(",–—、，،")
_WIDE = tuple("。！？；：、，")  # clause ends without white space
_CONJUNCTIONS_TEXT = """
    and or but because although though while whereas which who that if when where since unless so
    und oder aber sondern denn weil dass daß obwohl während wenn damit sodass ob wobei sowie bevor
    nachdem et ou mais car donc que qui dont lorsque quand parce puisque y pero porque aunque cuando
    e ma perché quando mentre en maar omdat terwijl hoewel mas porque embora enquanto i ale lecz
    ponieważ który która gdy že protože nebo když který která и но или что потому который когда если
"""
_CONJUNCTIONS = frozenset(_CONJUNCTIONS_TEXT.split())


class _CutKind(IntEnum):
    """Kinds of places for a cut, the best last."""

    FORBIDDEN = 0  # inside a grapheme
    PIECE = 1
    STOP = 2  # after a full stop that ends no sentence: "Dr. Who"
    SPACE = 3
    CONJUNCTION = 4  # before one
    WEAK_CLAUSE = 5  # after , or –
    STRONG_CLAUSE = 6  # after ; or : or the end of a quoted sentence


def wrap(text: str, span: Span, piece_ends: Sequence[int], limit: int) -> tuple[Span, ...]:
    """Cut `span` of `text` into parts of at most `limit` pieces each, as balanced as it goes.

    Args:
        text: where `span` and `piece_ends` are offsets, in code points.
        span: the sentence.
        piece_ends: end of each of its pieces, ascending; the pieces of one code point (bytes)
            share its end.
        limit: most pieces of a part, 1 or more.

    Returns:
        The parts in order; only the trimmed span if that is short enough. A stretch that cannot be
        cut (one grapheme, one piece) is a part of its own even if it exceeds the limit.

    Raises:
        ValueError: `limit` is less than 1.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, got {limit}")
    ends = [end for end in piece_ends if span.start < end <= span.end]
    edges = [span.start, *(ends[cut - 1] for cut in _cuts(text, span, ends, limit)), span.end]
    parts = (_trimmed(text, start, end) for start, end in pairwise(edges))
    return tuple(part for part in parts if len(part))


def _trimmed(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return (
        Span(end - len(part.lstrip()), start + len(part.rstrip())) if part.strip() else Span(0, 0)
    )


def _cuts(text: str, span: Span, ends: list[int], limit: int) -> Iterator[int]:
    """How many pieces lie before each cut."""
    if len(ends) <= limit:
        return
    places = _places(text, span, ends)
    done = 0
    while len(ends) - done > limit:
        cut = _next_cut(places, done, limit)
        if cut is None:
            return
        yield cut
        done = cut


def _next_cut(places: list[_CutKind], done: int, limit: int) -> int | None:
    """The best cut after `done` pieces; None if the rest cannot be cut.

    places[k] is what a cut after k + 1 pieces would be; the last is the end of the span.
    """
    rest = len(places) - done
    ideal = rest / -(-rest // limit)  # pieces a part, if all were alike
    least = max(1, int(ideal) // 2)  # nothing shorter is left on either side
    window = range(done + least, done + min(limit, rest - least) + 1)
    cut = max(window, key=lambda k: (places[k - 1], -abs(k - done - ideal)))
    if places[cut - 1] is not _CutKind.FORBIDDEN:
        return cut
    shorter = range(done + least - 1, done, -1)
    longer = range(window.stop, len(places))
    return next((k for r in (shorter, longer) for k in r if places[k - 1]), None)


# --- places --------------------------------------------------------------------------------------


def _places(text: str, span: Span, ends: list[int]) -> list[_CutKind]:
    """What a cut after each piece would be. Those of one code point can only be kept together."""
    inside = inside_graphemes(text, span)
    return [
        _CutKind.FORBIDDEN if end in inside or end == after else _place(text, span, end)
        for end, after in zip(ends, [*ends[1:], -1], strict=True)
    ]


def _place(text: str, span: Span, at: int) -> _CutKind:
    before, after = _around(text, span, at)
    if not (text[at - 1].isspace() or text[at : at + 1].isspace() or before.endswith(_WIDE)):
        return _CutKind.PIECE
    if before.endswith("."):
        return _CutKind.STOP
    said = before.rstrip(CLOSERS)
    if said.endswith(_STRONG):
        return _CutKind.STRONG_CLAUSE
    if said.endswith(_WEAK):
        return _CutKind.WEAK_CLAUSE
    return _CutKind.CONJUNCTION if after in _CONJUNCTIONS else _CutKind.SPACE


def _around(text: str, span: Span, at: int) -> tuple[str, str]:
    """The few code points before `at` and the word after it, white space between left out."""
    before = text[max(span.start, at - 8) : at].rstrip()
    after = text[at : min(span.end, at + 16)].split(maxsplit=1)[:1]
    return before, after[0].lower() if after else ""
