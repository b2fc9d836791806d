"""The text of a request as the language stages see it.

Flat markup, stand-ins, and where all of it came from.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from dragoman.types.spans import Span


class TagKind(StrEnum):
    """What an item of flat markup is: most are tags, hence the name."""

    OPEN = "open"
    CLOSE = "close"
    TEXT = "text"
    ATOM = "atom"  # the whole of an opaque or void element


@dataclass(frozen=True, slots=True)
class Tag:
    """Markup as a flat run: tags and the texts between them, in document order.

    Attributes:
        element: index of the element; -1 for a text.
        span: of a text or an atom, what it covers; of a tag, the empty span where it stands.
    """

    kind: TagKind
    element: int
    span: Span


# The word that a model sees in place of what must come through to the letter: the one that the
# shipped models copy best (docs/adr/0011, docs/adr/0014).
STAND_IN = "X1"


@dataclass(frozen=True, slots=True)
class StandIn:
    """A word that the model sees in place of opaque text.

    Attributes:
        span: in the annotated text.
        origin: what it stands for in the original.
        element: index of the opaque element.
    """

    span: Span
    origin: Span
    element: int


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """Text to translate, as the language stages see it.

    Attributes:
        original: what the client sent.
        text: the same, code point by code point, with what no stage can take (lone surrogates,
            NUL) replaced by U+FFFD or a space, and with stand-ins for opaque text.
        tags: the markup, with spans in `text`; empty when there are no elements.
        stand_ins: in order. Without any, spans of `text` fit the original.
    """

    original: str
    text: str
    tags: tuple[Tag, ...] = ()
    stand_ins: tuple[StandIn, ...] = ()

    def origin(self, span: Span) -> Span:
        """The span of the original for one of `text`."""
        if not self.stand_ins:
            return span
        return Span(self._origin(span.start, 0), self._origin(span.end, 1))

    def placed(self, span: Span) -> Span:
        """The span of `text` for one of the original; it takes in a stand-in that it cuts."""
        if not self.stand_ins:
            return span
        return Span(self._placed(span.start, 0), self._placed(span.end, 1))

    def _placed(self, at: int, edge: int) -> int:
        before = bisect_right(self.stand_ins, at, key=lambda stand_in: stand_in.origin.start) - 1
        if before < 0:
            return at
        stand_in = self.stand_ins[before]
        if stand_in.origin.start < at < stand_in.origin.end:
            return (stand_in.span.start, stand_in.span.end)[edge]
        if at == stand_in.origin.start:
            return stand_in.span.start
        return stand_in.span.end + at - stand_in.origin.end

    def without_stand_ins(self, span: Span) -> str:
        """Text that a client wrote, for a look at its letters."""
        if not self.stand_ins:
            return span.of(self.text)
        first = bisect_right(self.stand_ins, span.start, key=lambda stand_in: stand_in.span.end)
        last = bisect_left(self.stand_ins, span.end, key=lambda stand_in: stand_in.span.start)
        ends = [span.start, *(stand_in.span.end for stand_in in self.stand_ins[first:last])]
        starts = [*(stand_in.span.start for stand_in in self.stand_ins[first:last]), span.end]
        return " ".join(self.text[a:b] for a, b in zip(ends, starts, strict=True))

    def outside_stand_ins(self, offsets: Iterable[int]) -> list[int]:
        """Those offsets of `text` that are not inside a stand-in."""
        if not self.stand_ins:
            return list(offsets)
        inside = {
            at
            for stand_in in self.stand_ins
            for at in range(stand_in.span.start + 1, stand_in.span.end)
        }
        return [at for at in offsets if at not in inside]

    def run(self, span: Span) -> tuple[Tag, ...]:
        """The markup of a sentence.

        From its first text or atom to its last, and the tags right before and after it of elements
        that end, or begin, inside the sentence: not of those that enclose it.
        """
        return self._clipped(*self._run(span), span) if self.tags else ()

    def gap(self, before: Span | None, after: Span | None) -> tuple[Tag, ...]:
        """The markup between two sentences, or before the first, or after the last."""
        if not self.tags:
            return ()
        first, last = 0, len(self.tags)
        gap = Span(before.end if before else 0, after.start if after else len(self.text))
        if before:
            first = self._run(before)[1]
            first -= self.tags[first - 1].span.end > gap.start if first else 0
        if after:
            last = self._run(after)[0]
            last += self.tags[last].span.start < gap.end if last < len(self.tags) else 0
        return self._clipped(first, last, gap)

    def _run(self, span: Span) -> tuple[int, int]:
        first = bisect_right(self.tags, span.start, key=lambda tag: tag.span.end)
        last = bisect_left(self.tags, span.end, key=lambda tag: tag.span.start)
        closed = opened = 0  # of elements that begin before, or end after
        for tag in self.tags[first:last]:
            if tag.kind is TagKind.OPEN:
                opened += 1
            elif tag.kind is TagKind.CLOSE:
                closed, opened = (closed, opened - 1) if opened else (closed + 1, 0)
        # Text that reaches beyond the sentence is between it and the next tag.
        if self.tags[first].span.start < span.start:
            closed = 0
        if self.tags[last - 1].span.end > span.end:
            opened = 0
        before = (self.tags[index] for index in range(first - 1, -1, -1))
        after = (self.tags[index] for index in range(last, len(self.tags)))
        return (
            first - _count_tags(before, TagKind.OPEN, closed),
            last + _count_tags(after, TagKind.CLOSE, opened),
        )

    def _clipped(self, first: int, last: int, span: Span) -> tuple[Tag, ...]:
        return tuple(
            tag
            if span.start <= tag.span.start and tag.span.end <= span.end
            else replace(tag, span=tag.span.within(span))
            for tag in self.tags[first:last]
        )

    def _origin(self, at: int, side: int) -> int:
        """Inside a stand-in: the end of its origin that is on this side (0: start, 1: end)."""
        index = bisect_left(self.stand_ins, at, key=lambda stand_in: stand_in.span.end)
        if index < len(self.stand_ins) and self.stand_ins[index].span.start < at:
            stand_in = self.stand_ins[index]
            if at < stand_in.span.end:
                return (stand_in.origin.start, stand_in.origin.end)[side]
            return stand_in.origin.end
        if not index:
            return at
        before = self.stand_ins[index - 1]
        return at - before.span.end + before.origin.end


def _count_tags(tags: Iterator[Tag], kind: TagKind, wanted: int) -> int:
    """How many to take, going away from a sentence, for so many tags of its elements."""
    taken = depth = 0
    for count, tag in enumerate(tags, 1):
        if not wanted or len(tag.span):
            break
        if tag.kind is kind and depth:
            depth -= 1
        elif tag.kind is kind:
            wanted -= 1
            taken = count
        elif tag.kind is not TagKind.ATOM:
            depth += 1
    return taken
