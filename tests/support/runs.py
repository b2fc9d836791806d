"""The markup of a sentence, written as it reads."""

from __future__ import annotations

import re
from array import array

from dragoman.types import (
    AlignedSegment,
    DetokenizedText,
    Hypothesis,
    Piece,
    Segment,
    Span,
    Tag,
    TagKind,
)

_PART = re.compile(r"<(/?)(\d+)>|\[(\d+):([^]]*)\]|([^<\[]+)")


def run_of(written: str) -> tuple[list[Tag], str]:
    """Tags and text of "eins <0>zwei</0> [1:X1] drei"; "[2:]" is a void element.

    A tag without its other one is that of an element which goes on beyond the sentence.
    """
    tags: list[Tag] = []
    text = ""
    for close, number, atom, inside, words in _PART.findall(written):
        start = len(text)
        text += inside or words
        span = Span(start, len(text))
        if words:
            tags.append(Tag(TagKind.TEXT, -1, span))
        elif atom:
            tags.append(Tag(TagKind.ATOM, int(atom), span))
        else:
            tags.append(Tag(TagKind.CLOSE if close else TagKind.OPEN, int(number), span))
    return tags, text


def shown(tags: tuple[Tag, ...] | list[Tag], text: str) -> str:
    """What `run_of` reads."""
    forms = {
        TagKind.TEXT: "{1}", TagKind.OPEN: "<{0}>", TagKind.CLOSE: "</{0}>",
        TagKind.ATOM: "[{0}:{1}]",
    }  # fmt: skip
    return "".join(forms[tag.kind].format(tag.element, tag.span.of(text)) for tag in tags)


def words_of(text: str) -> tuple[Span, ...]:
    """What white space parts."""
    return tuple(Span(*match.span()) for match in re.finditer(r"\S+", text))


def aligned_words(source: str, target: str, *links: tuple[int, int]) -> AlignedSegment:
    """A translation whose words are linked so; a word is a piece."""
    sources, targets = words_of(source), words_of(target)
    pieces = tuple(Piece(index + 2, word) for index, word in enumerate(sources))
    segment = Segment(0, 0, Span(0, len(source)), pieces, 99)
    ids = tuple(range(2, len(targets) + 2))
    return AlignedSegment(
        Hypothesis(segment, ids, (0.0,) * (len(ids) + 1), array("f"), finished=True),
        DetokenizedText(target, targets),
        sources,
        targets,
        links,
        (1.0,) * len(targets),
        1.0,
    )
