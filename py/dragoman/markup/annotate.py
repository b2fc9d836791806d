"""Stage 1, markup: what a client sent becomes text that every later stage can take.

Invariant: outside stand-ins ``text`` has exactly the code points of ``original``, one for one; ""
stays "". Without opaque elements a span of one is a span of the other.

What an opaque element encloses is hidden from the later stages behind a stand-in: one word that
splits no sentence and makes no line, however long and strange the real thing is. White space
encloses nothing that needs hiding, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from dragoman.markup.bits import BIT, Work, at_once
from dragoman.types import STAND_IN, AnnotatedText, Span, StandIn, Tag, TagKind

# Lone surrogates have no UTF-8; controls that are not white space mean nothing to a model.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")


def annotate(original: str, tags: Sequence[Tag] = ()) -> AnnotatedText:
    """Lone surrogates as U+FFFD, control characters as spaces, opaque text as stand-ins.

    Args:
        tags: the markup of `original`, see `elements.tags_of`.
    """
    return at_once(annotated_bit_by_bit(original, tags))


def annotated_bit_by_bit(original: str, tags: Sequence[Tag]) -> Work[AnnotatedText]:
    """The same, bit by bit."""
    text = _LONE_SURROGATE.sub("\ufffd", original)
    text = _CONTROL.sub(" ", text)
    parts: list[str] = []
    moved: list[Tag] = []
    stand_ins: list[StandIn] = []
    written = 0
    for count, tag in enumerate(tags, 1):
        part = tag.span.of(text)
        if tag.kind is TagKind.ATOM and part.strip():
            part = STAND_IN
            place = Span(written, written + len(part))
            stand_ins.append(StandIn(place, tag.span, tag.element))
        parts.append(part)
        moved.append(replace(tag, span=Span(written, written + len(part))))
        written += len(part)
        if not count % BIT:
            yield
    shown = "".join(parts) if tags else text
    return AnnotatedText(original, shown, tuple(moved), tuple(stand_ins))
