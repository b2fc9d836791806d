"""What a model made of the stand-ins of a sentence.

A model copies a stand-in most of the time, in place. Sometimes it makes another word of it: the one
that is linked to it alone. Sometimes it drops it, or writes it twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.types import AlignedSegment, Span


@dataclass(frozen=True, slots=True)
class Renditions:
    """Spans in the target text.

    Attributes:
        found: of each stand-in, None where the model dropped it.
        spare: copies too many, to be left out.
    """

    found: tuple[Span | None, ...]
    spare: tuple[Span, ...] = ()


def renditions(stand_ins: Sequence[Span], source: str, aligned: AlignedSegment) -> Renditions:
    """Where the stand-ins went.

    Args:
        stand_ins: spans in `source`, in order; all cover the same word.
        source: text of the segment.
    """
    if not stand_ins:
        return Renditions(())
    word = stand_ins[0].of(source)
    copies = _copies(word, aligned.target.text)
    linked = [_linked(span, aligned) for span in stand_ins]
    found: list[Span | None] = [None] * len(stand_ins)
    free = list(copies)
    for index, words in enumerate(linked):
        own = [copy for copy in free if any(copy.overlaps(word) for word in words)]
        if own:
            found[index] = own[0]
            free.remove(own[0])
    for index, span in enumerate(found):
        if span is None and free:
            found[index] = free.pop(0)
    for index, span in enumerate(found):
        if span is None:
            taken = [other for other in (*found, *free) if other]
            found[index] = _other_word(stand_ins[index], aligned, taken)
    # The word may also stand in the text by itself.
    ordinary = len(_copies(word, source)) - len(stand_ins)
    return Renditions(tuple(found), tuple(free[max(0, ordinary) :]))


def _copies(word: str, text: str) -> list[Span]:
    """Those that stand alone, then those that are part of a word, as markup may be."""
    found = [Span(*match.span()) for match in re.finditer(rf"{re.escape(word)}(?!\d)", text)]
    alone = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return sorted(found, key=lambda span: alone.match(text, span.start) is None)


def _linked(stand_in: Span, aligned: AlignedSegment) -> list[Span]:
    """Target words that are linked to a source word in which the stand-in is."""
    return [
        aligned.target_words[target]
        for source, target in aligned.links
        if aligned.source_words[source].overlaps(stand_in)
    ]


def _other_word(stand_in: Span, aligned: AlignedSegment, taken: Sequence[Span]) -> Span | None:
    """The first target word that is linked to the stand-in alone."""
    by_target: dict[int, list[int]] = {}
    for source, target in aligned.links:
        by_target.setdefault(target, []).append(source)
    for target, sources in sorted(by_target.items()):
        word = aligned.target_words[target]
        if (
            all(aligned.source_words[source] == stand_in for source in sources)
            and any(char.isalnum() for char in word.of(aligned.target.text))
            and not any(word.overlaps(other) for other in taken)
        ):
            return word
    return None
