"""Stages 3 and 7: text that is to be kept is hidden from the model, and put back.

    "Schreiben Sie an a@b.de." --hidden--> "Schreiben Sie an X1."
                                                    | model
    "Write to a@b.de."     <--revealed--   "Write to X1."

Invariant: each literal of the source (`literals`) is in the translation as often as in the source,
to the letter. A model copies the stand-in most of the time, in the right place; where it drops one,
the literal goes where it stood in proportion, and stand-ins too many are left out.

    >>> hidden("a@b.de").text
    'X1'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.text.literals import literals
from dragoman.types import STAND_IN, DetokenizedText, Piece, Span

# A model may go on counting: "X12".
_COPIES = re.compile(rf"(?<![A-Za-z0-9]){STAND_IN}\d*(?![A-Za-z0-9])")
_CLOSING = re.compile(r"[\s.,;:!?…)\]»“\"]*$")


@dataclass(frozen=True, slots=True)
class Hiding:
    """A literal of the source.

    Attributes:
        glued: whether a space was put before, and after, its stand-in: the model is to see a word.
    """

    span: Span
    glued: tuple[bool, bool]


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A text as the model sees it.

    Attributes:
        source: without.
        text: with stand-ins.
        hidings: in order.
        origins: of each place in `text`, its end included, the place in the source; empty if
            nothing is hidden. A stand-in's first character has all of the literal.
    """

    source: str
    text: str
    hidings: tuple[Hiding, ...] = ()
    origins: tuple[int, ...] = ()

    def in_source(self, pieces: Sequence[Piece]) -> tuple[Piece, ...]:
        """Pieces of `text` with their spans in the source."""
        if not self.hidings:
            return tuple(pieces)
        at = self.origins
        return tuple(
            Piece(piece.id, Span(at[piece.span.start], at[piece.span.end])) for piece in pieces
        )

    def revealed(self, target: DetokenizedText) -> DetokenizedText:
        """The translation of `text` with the literals; pieces keep their places."""
        if not self.hidings:
            return target
        copies = [Span(*match.span()) for match in _COPIES.finditer(target.text)]
        chosen = _chosen(len(copies), len(self.hidings))
        for index in range(len(copies) - 1, -1, -1):
            if index in chosen:
                hiding = self.hidings[chosen[index]]
                target = _put_back(target, copies[index], self.source, hiding)
            else:
                target = _replaced(target, _with_space(target.text, copies[index]), "")
        kept = set(chosen.values())
        for index, hiding in enumerate(self.hidings):
            if index not in kept:
                target = _put_in(target, self.source, hiding.span)
        return target


def hidden(source: str) -> HiddenText:
    """The source with a stand-in for each literal; as it is if it says the stand-in itself."""
    found = literals(source)
    if not found or _COPIES.search(source):
        return HiddenText(source, source)
    parts: list[str] = []
    hidings: list[Hiding] = []
    origins: list[int] = []
    read = 0
    for span in found:
        between = source[read : span.start]
        # Beside a literal: the space after that one serves both.
        before = between[-1:].isalnum() or bool(hidings and not between)
        after = source[span.end : span.end + 1].isalnum()
        parts += [between, " " * before, STAND_IN, " " * after]
        origins += [*range(read, span.start), *[span.start] * before, span.start]
        origins += [span.end] * (len(STAND_IN) - 1 + after)
        hidings.append(Hiding(span, (before, after)))
        read = span.end
    origins += range(read, len(source) + 1)
    text = "".join(parts) + source[read:]
    return HiddenText(source, text, tuple(hidings), tuple(origins))


def _chosen(copies: int, places: int) -> dict[int, int]:
    """Place of each copy, in order; of fewer the first, and the last for the last."""
    chosen = {index: index for index in range(min(copies, places))}
    if 0 < copies < places:
        chosen[copies - 1] = places - 1 if copies > 1 else 0
    return chosen


def _put_back(target: DetokenizedText, copy: Span, source: str, hiding: Hiding) -> DetokenizedText:
    """The literal in place of its stand-in, without spaces that the source has not."""
    start, end = copy.start, copy.end
    if hiding.glued[0] and target.text[:start].endswith(" "):
        start -= 1
    if hiding.glued[1] and target.text.startswith(" ", end):
        end += 1
    return _replaced(target, Span(start, end), hiding.span.of(source))


def _put_in(target: DetokenizedText, source: str, span: Span) -> DetokenizedText:
    """A literal that was dropped: at the start, before the closing marks, or in proportion."""
    literal, text = span.of(source), target.text
    closing = _CLOSING.search(text)
    end = closing.start() if closing else len(text)
    if not source[: span.start].strip():
        return _replaced(target, Span(0, 0), f"{literal} " if text else literal)
    if _CLOSING.fullmatch(source[span.end :]):
        return _replaced(target, Span(end, end), f" {literal}" if end else literal)
    wanted = end * span.start // max(1, len(source))
    spaces = [match.start() for match in re.finditer(" ", text[:end])] or [end]
    at = min(spaces, key=lambda place: abs(place - wanted))
    return _replaced(target, Span(at, at), f" {literal}" if at else literal)


def _with_space(text: str, span: Span) -> Span:
    return Span(span.start - 1, span.end) if text[: span.start].endswith(" ") else span


def _replaced(target: DetokenizedText, span: Span, text: str) -> DetokenizedText:
    """The piece that the span begins with stands for all of it, others inside for nothing."""
    end, moved = span.start + len(text), len(text) - len(span)

    def place(at: int) -> int:
        if at <= span.start and not (at == span.end == span.start and at):
            return at
        return at + moved if at >= span.end else end

    spans = tuple(Span(place(piece.start), place(piece.end)) for piece in target.spans)
    return DetokenizedText(target.text[: span.start] + text + target.text[span.end :], spans)
