"""Marks that open, such as „ and (, stand apart from the word behind them.

SentencePiece knows by the space before a word that it begins there, and a word behind a mark that
opens has none: "Many" is one piece, `"Many` is `"`, `M`, `an`, `y`. A small model has hardly ever
seen that, in news every sixth sentence has it, and words came out as names or as nonsense
(docs/adr/0055). With a space put in, the word is the one that it is elsewhere; in a translation the
space is taken out again.

    >>> Openings('„"(').apart('He said: "Many (of us)."')
    Respaced(text='He said: " Many ( of us)."', spaces=(10, 17))
    >>> Openings('„"(').together('„ Viele ( von uns).“')
    Respaced(text='„Viele (von uns).“', spaces=(1, 9))

A vocabulary says by itself which marks it wants apart: the name of its `denormalizer_spec` (field 5
of `ModelProto` in sentencepiece_model.proto), the last thing in its file. SentencePiece keeps the
field, and does nothing with one that has no rules.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.types import Span

# Of `ModelProto`: field 5, a message. Of that: field 1, a text. Each is followed by its length.
_FIELD, _NAME = b"\x2a", b"\x0a"
_WORD = b"openings "
_MOST_BYTES = 120  # of the name: all lengths are single bytes


@dataclass(frozen=True, slots=True)
class Respaced:
    """A text with spaces put in or taken out.

    Attributes:
        text: what it is now.
        spaces: places of these spaces in the text that has them, ascending.
    """

    text: str
    spaces: tuple[int, ...]

    def without(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Spans of the text with the spaces in the one without them."""
        spaces = self.spaces
        if not spaces:
            return tuple(spans)
        return tuple(
            Span(
                span.start - bisect_left(spaces, span.start),
                span.end - bisect_left(spaces, span.end),
            )
            for span in spans
        )


class Openings:
    """Takes marks and words apart and puts them together.

    Args:
        marks: those that open, such as ``„"(``; none of them white space or part of a word.
    """

    def __init__(self, marks: str) -> None:
        self.marks = marks
        # A mark in the middle of a word is none that opens, nor is one with a space behind it.
        run = rf"(?<!\S)[{re.escape(marks)}]+"
        self._touching = re.compile(rf"{run}(?=\w)")
        self._apart = re.compile(rf"{run}( )(?=\w)")

    def apart(self, text: str) -> Respaced:
        """With a space between each mark that opens and the word behind it."""
        ends = [match.end() for match in self._touching.finditer(text)]
        if not ends:
            return Respaced(text, ())
        parts = [text[start:end] for start, end in zip([0, *ends], [*ends, None], strict=True)]
        return Respaced(" ".join(parts), tuple(end + n for n, end in enumerate(ends)))

    def together(self, text: str) -> Respaced:
        """Without these spaces."""
        places = tuple(match.start(1) for match in self._apart.finditer(text))
        if not places:
            return Respaced(text, ())
        starts = [0, *(place + 1 for place in places)]
        parts = (text[a:b] for a, b in zip(starts, [*places, None], strict=True))
        return Respaced("".join(parts), places)


def openings_of(vocabulary: bytes) -> Openings | None:
    """The marks that a vocabulary wants apart; None: it wants none."""
    name = vocabulary[max(vocabulary.rfind(_WORD, -_MOST_BYTES), 0) :]
    if len(name) > _MOST_BYTES or not vocabulary.endswith(_field(name)):
        return None
    marks = name[len(_WORD) :].decode(errors="replace")
    return Openings(marks) if _good(marks) else None


def with_openings(vocabulary: bytes, marks: str) -> bytes:
    """A vocabulary that wants these marks apart; as it is where there are none.

    Raises:
        ValueError: there are too many of them, or one is white space or part of a word.
    """
    if not marks:
        return vocabulary
    name = _WORD + marks.encode()
    if not _good(marks) or len(name) > _MOST_BYTES:
        raise ValueError(f"these are no marks that open: {marks!r:.80}")
    known = openings_of(vocabulary)
    own = b"" if known is None else _field(_WORD + known.marks.encode())
    return vocabulary[: len(vocabulary) - len(own)] + _field(name)


def _field(name: bytes) -> bytes:
    return _FIELD + bytes((len(name) + 2,)) + _NAME + bytes((len(name),)) + name


def _good(marks: str) -> bool:
    return bool(marks) and not re.search(r"[\w\s\ufffd]", marks)
