"""The smallest things that placement tells apart: parts of source words, atoms of target words.

A source word that markup begins or ends inside of has several parts ("H", "2", "O"). A target word
is one atom, unless it is cut where the source word is: both begin alike up to there, or end alike
from there on ("CO2-Ausstoß", "CO2-emissions"), or a single first letter is set apart (an initial).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dragoman.graphemes import inside_graphemes
from dragoman.types import AlignedSegment, Span

# How much an atom counts: what carries the sense of a sentence should be in the right element.
_CONTENT, _FUNCTION, _MARK = 1.0, 0.5, 0.2
# Punctuation that is read as a word: "50 Prozent" is "50%", "und Co." is "& Co.".
_READ_MARKS = frozenset("#%&+@§‰")
_UNKNOWN = "\ufffd"  # stands for what is no character, as half of a surrogate pair
_FUNCTION_LENGTH = 3  # letters of "the", "und"; in all of our languages most of these carry little


@dataclass(frozen=True, slots=True)
class WordPart:
    """A source word, or a part of one that markup cuts.

    Attributes:
        span: in the source text of the segment.
        word: index of the source word.
    """

    span: Span
    word: int


@dataclass(slots=True)
class Atom:
    """A target word, or a part of one.

    Attributes:
        span: in the target text of the segment.
        word: index of the target word.
        weight: how much it counts, above 0.
        links: (index of a part, share); shares sum to 1, or there are none.
        says: whether it says anything, or is punctuation only.
    """

    span: Span
    word: int
    weight: float
    links: list[tuple[int, float]] = field(default_factory=list)
    says: bool = True

    @property
    def linked(self) -> bool:
        return bool(self.links)


def parts_of(words: Sequence[Span], cuts: Sequence[int]) -> list[WordPart]:
    """Parts in order; `cuts` are offsets in the source text, ascending."""
    parts: list[WordPart] = []
    for index, word in enumerate(words):
        inside = cuts[bisect_right(cuts, word.start) : bisect_right(cuts, word.end - 1)]
        edges = sorted({word.start, *inside, word.end})
        parts += [WordPart(Span(start, end), index) for start, end in pairwise(edges)]
    return parts


def atoms_of(
    aligned: AlignedSegment, source: str, parts: Sequence[WordPart], without: Sequence[Span]
) -> list[Atom]:
    """Atoms in order, with their links.

    Args:
        source: text of the segment.
        without: stretches of the target text, in order, that no atom may cover.
    """
    by_word: dict[int, list[int]] = {}
    for index, part in enumerate(parts):
        by_word.setdefault(part.word, []).append(index)
    linked: dict[int, list[int]] = {}
    for source_word, target_word in aligned.links:
        linked.setdefault(target_word, []).append(source_word)
    atoms: list[Atom] = []
    for index, word in enumerate(aligned.target_words):
        groups = [by_word[source_word] for source_word in linked.get(index, ())]
        for span, links in _cut(word, groups, aligned.target.text, source, parts):
            for rest in _outside(span, without):
                text = rest.of(aligned.target.text)
                atoms.append(Atom(rest, index, _weight(text), links, says(text)))
    return atoms


def graphemes_of(atoms: Sequence[Atom], text: str) -> list[Atom]:
    """The atoms cut as small as they go."""
    return [
        Atom(
            Span(start, end),
            atom.word,
            atom.weight / len(atom.span),
            atom.links,
            says(text[start:end]),
        )
        for atom in atoms
        for start, end in pairwise(_edges(text, atom.span))
    ]


def says(text: str) -> bool:
    """Whether there is anything but punctuation: a letter, a figure, a sign that is read as a word.

    "ja." "5" "€" "%" "😀" -> True; "." "(" "-" -> False
    """
    return any(char.isalnum() or char in _READ_MARKS or _is_symbol(char) for char in text)


def _is_symbol(char: str) -> bool:
    """Of money, a picture; not of the sort of "=", ">" and "|", which part words as marks do."""
    return unicodedata.category(char) in ("Sc", "So") and char != _UNKNOWN


def _edges(text: str, span: Span) -> list[int]:
    """Where the graphemes of a span begin, and its end; white space is no text of its own."""
    inside = inside_graphemes(text, span)
    spaces = {at for at in range(span.start + 1, span.end) if text[at].isspace()}
    return [at for at in range(span.start, span.end + 1) if at not in inside and at not in spaces]


def _weight(text: str) -> float:
    if not any(char.isalnum() for char in text):
        return _MARK
    short = len(text) <= _FUNCTION_LENGTH and text.isalpha() and not text.isupper()
    return _FUNCTION if short else _CONTENT


def _outside(span: Span, without: Sequence[Span]) -> list[Span]:
    """What is left of a span."""
    rest = []
    start = span.start
    for other in without:
        if other.start >= span.end or other.end <= start:
            continue
        if other.start > start:
            rest.append(Span(start, other.start))
        start = max(start, other.end)
    if start < span.end:
        rest.append(Span(start, span.end))
    return rest


_Links = list[tuple[int, float]]


def _cut(
    word: Span,
    groups: Sequence[Sequence[int]],
    target: str,
    source: str,
    parts: Sequence[WordPart],
) -> list[tuple[Span, _Links]]:
    """A target word in atoms, with links to the parts of each source word it is linked to."""
    for group in groups:
        if len(group) > 1:
            cuts = _common_cuts([parts[index].span for index in group], word, source, target)
            if cuts:
                return _along(word, group, cuts, parts, target)
    share = 1 / len(groups) if groups else 0.0
    return [(word, [link for group in groups for link in _by_length(group, parts, share)])]


def _by_length(group: Sequence[int], parts: Sequence[WordPart], share: float) -> _Links:
    length = sum(len(parts[index].span) for index in group)
    return [(index, share * len(parts[index].span) / length) for index in group]


def _along(
    word: Span,
    group: Sequence[int],
    cuts: dict[int, int],
    parts: Sequence[WordPart],
    target: str,
) -> list[tuple[Span, _Links]]:
    """`cuts`: number of parts before the cut -> offset in the target."""
    atoms = []
    done, start = 0, word.start
    for count, at in [*cuts.items(), (len(group), word.end)]:
        end = start + len(target[start:at].rstrip())  # the space is between them: "No. 5"
        atoms.append((Span(start, end), _by_length(group[done:count], parts, 1.0)))
        done, start = count, at
    return atoms


def _common_cuts(spans: Sequence[Span], word: Span, source: str, target: str) -> dict[int, int]:
    """Where the target word is cut as the source word is: parts before it -> offset."""
    before = source[spans[0].start : spans[-1].end]
    after = word.of(target)
    head, tail = _common(before, after), _common(before[::-1], after[::-1])
    inside = inside_graphemes(after, Span(0, len(after)))
    cuts: dict[int, int] = {}
    last = 0
    for count, span in enumerate(spans[1:], 1):
        offset = span.start - spans[0].start
        if offset <= head:
            at = offset
        elif len(before) - offset <= tail:
            at = len(after) - (len(before) - offset)
        elif offset == 1 and count == 1 and before[0].isalpha():
            at = 1  # an initial
        else:
            continue
        # What both say around the cut is cut as the source has it, were it within a character.
        same = offset < head or before == after
        if last < at < len(after) and (same or at not in inside):
            cuts[count] = word.start + at
            last = at
    return cuts


def _common(left: str, right: str) -> int:
    """Length of what both begin with."""
    length = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        length += 1
    return length
