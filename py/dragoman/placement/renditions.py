"""What a model made of the stand-ins of a sentence.

A model copies a stand-in most of the time, in place. Sometimes it makes another word of it: the one
that is linked to it alone. Sometimes it drops it, or writes it twice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dragoman.types import AlignedSegment, Span


@dataclass(frozen=True, slots=True)
class Renditions:
    """Spans in the target text.

    Attributes:
        targets: of each stand-in, None where the model dropped it.
        spare: copies too many, to be left out.
    """

    targets: tuple[Span | None, ...]
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
    figures = {source[span.end : span.end + 1] for span in stand_ins}
    free = _copies(word, aligned.target.text, figures)
    # The word may also stand in the text by itself.
    said = sorted({*_copies(word, source, figures), *stand_ins})
    places: list[Span | None] = [_in_order(span, said, free, aligned) for span in stand_ins]
    free = [copy for copy in free if copy not in places]
    for index, stand_in in enumerate(stand_ins):
        words = _linked(stand_in, aligned)
        own = [copy for copy in free if any(copy.overlaps(word) for word in words)]
        if own and places[index] is None:
            places[index] = own[0]
            free.remove(own[0])
    for index, span in enumerate(places):
        if span is None and free:
            places[index] = free.pop(0)
    for index, span in enumerate(places):
        if span is None:
            taken = [other for other in (*places, *free) if other]
            places[index] = _other_word(stand_ins[index], aligned, taken)
    ordinary = len(said) - len(stand_ins)
    return Renditions(tuple(places), tuple(free[max(0, ordinary) :]))


def _in_order(
    stand_in: Span, said: Sequence[Span], copies: Sequence[Span], aligned: AlignedSegment
) -> Span | None:
    """Its copy where one source word and one target word, linked, say the word as often."""
    sources = [i for i, word in enumerate(aligned.source_words) if word.overlaps(stand_in)]
    targets = [target for source, target in aligned.links if source in sources]
    if len(sources) != 1 or len(targets) != 1:
        return None
    if sum(target in targets for _, target in aligned.links) != 1:
        return None
    word, other = aligned.source_words[sources[0]], aligned.target_words[targets[0]]
    before = [span for span in said if span.overlaps(word)]
    after = sorted(copy for copy in copies if copy.overlaps(other))
    return after[before.index(stand_in)] if len(after) == len(before) else None


def _copies(word: str, text: str, figures: Collection[str] = ()) -> list[Span]:
    """Those that stand alone, then those that are part of a word, as markup may be.

    A figure after it makes it another word, as models go on counting ("X12"), but for those in
    `figures`.
    """
    copies = [
        Span(*match.span())
        for match in re.finditer(re.escape(word), text)
        if not (after := text[match.end() : match.end() + 1]).isdecimal() or after in figures
    ]
    alone = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return sorted(copies, key=lambda span: alone.match(text, span.start) is None)


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
