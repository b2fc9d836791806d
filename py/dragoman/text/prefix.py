"""The start that a client has given a translation: hidden, as the source is, and to the letter.

    "Schreiben Sie an a@b.de."    prefix "Please write to a@b.de"
    what the model goes on with   "Please write to X1"
    the translation               "Please write to a@b.de, ..."

A vocabulary normalizes what it cuts ("ﬁ" is "fi", two spaces are one), and what is put back may
touch the start: `with_prefix` writes it as it was given, and leaves the pieces where their text is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from dragoman.text.protect import HiddenText, replaced
from dragoman.types import STAND_IN, DetokenizedText, Span


@dataclass(frozen=True, slots=True)
class Start:
    """Where a start ends in a translation.

    Attributes:
        piece: the last piece that has some of it; -1: there is none.
        inside: code points of that piece's text that are of the start; None: all.
    """

    piece: int
    inside: int | None

    @classmethod
    def of(cls, target: DetokenizedText, length: int) -> Start:
        """Of a start of so many code points."""
        if not length or not target.spans:
            return cls(-1, 0)
        piece = bisect_left([span.end for span in target.spans], length)
        piece = min(piece, len(target.spans) - 1)
        span = target.spans[piece]
        return cls(piece, None if span.end == length else length - span.start)

    def end(self, target: DetokenizedText) -> int:
        """Where it ends, after pieces have moved."""
        if self.piece < 0:
            return 0
        span = target.spans[self.piece]
        if self.inside is None:
            return span.end
        return min(span.start + self.inside, span.end)


def shown_prefix(prefix: str, shown: HiddenText) -> str:
    """A start as the model is to see it: with stand-ins for what the source has stand-ins for."""
    for hiding in shown.hidings:
        if hiding.text:
            prefix = prefix.replace(hiding.text, STAND_IN)
    return prefix


def with_prefix(target: DetokenizedText, prefix: str, start: Start) -> DetokenizedText:
    """A translation that begins with the prefix to the letter."""
    end = start.end(target)
    if target.text[:end] == prefix:
        return target
    steps = SequenceMatcher(None, target.text[:end], prefix, autojunk=False).get_opcodes()
    for kind, first, last, other, final in reversed(steps):
        if kind != "equal":
            target = replaced(target, Span(first, last), prefix[other:final])
    return target


def next_word(text: str, prefix: str, words: Sequence[Span]) -> str:
    """The first word of a translation that is not all in the prefix."""
    reached = next((word for word in words if word.end > len(prefix)), None)
    return "" if reached is None else reached.of(text)
