"""Writes a translation with its elements in their places.

White space between two words is the translation's own; of the tags between them, it stands where it
stood in the source: before a tag that had white space before it, after one that had it after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from dragoman.placement.atoms import Atom
from dragoman.placement.path import Event, EventKind
from dragoman.placement.tree import Inset
from dragoman.types import Span, Tag, TagKind


@dataclass(frozen=True, slots=True)
class Rendition:
    """Where a model wrote a stand-in: in the target text, with so many atoms before it."""

    span: Span
    atoms: int


@dataclass(frozen=True, slots=True)
class Woven:
    """A translation with markup.

    Attributes:
        text: with the real text of opaque elements.
        tags: spans in `text`; texts and atoms cover it.
        atoms: where each atom is now.
        opaque: where each opaque inset is now.
    """

    text: str
    tags: tuple[Tag, ...]
    atoms: tuple[Span, ...]
    opaque: dict[Inset, Span]


class Texts:
    """What is woven.

    Args:
        target: the translation.
        source: what the spans of `run` are of.
        run: the source's markup.
        real: gives the text of an opaque element.
    """

    def __init__(
        self, target: str, source: str, run: Sequence[Tag], real: Callable[[Tag], str]
    ) -> None:
        self.target, self.source, self.real = target, source, real
        texts = [tag.span.of(source) if tag.kind is TagKind.TEXT else "" for tag in run]
        starts = [len(text) - len(text.lstrip()) for text in texts]
        ends = [len(text) - len(text.rstrip()) for text in texts]
        # No two of a run are equal: tags differ in their elements, no text is empty. A sentence
        # is parted from what is beside it.
        self._before = dict(zip(run, [1, *ends], strict=False))
        self._after = dict(zip(run, [*starts[1:], 1], strict=False))

    def spaced_before(self, tag: Tag) -> int:
        """How much white space is right before a tag of the run, in characters."""
        return self._before.get(tag, 0)

    def spaced_after(self, tag: Tag) -> int:
        return self._after.get(tag, 0)

    def space_before(self, at: int) -> bool:
        """Whether white space is before an offset, tags or not."""
        return self.source[at - 1 : at].isspace()

    def space_after(self, at: int) -> bool:
        return self.source[at : at + 1].isspace()


def weave(
    gaps: Sequence[Sequence[Event]],
    atoms: Sequence[Atom],
    texts: Texts,
    renditions: dict[Inset, Rendition | None],
) -> Woven:
    """The translation with the events of each gap in it.

    Args:
        gaps: events before each atom and after the last.
        renditions: of each opaque inset.
    """
    loom = _Loom(texts)
    for index, gap in enumerate(gaps):
        for event in gap:
            if event.inset is not None and event.inset.opaque:
                rendition = renditions[event.inset]
                in_place = rendition is not None and rendition.atoms == index
                loom.opaque(event.inset, rendition.span if rendition and in_place else None)
            else:
                loom.waiting += _marks(event)
        if index < len(atoms):
            loom.atom(atoms[index].span)
    loom.flush("")
    return Woven("".join(loom.parts), tuple(loom.tags), tuple(loom.atoms), loom.opaques)


def _marks(event: Event) -> Sequence[Tag]:
    """What an event writes, as it was in the source."""
    if event.inset is not None:
        return event.inset.tags
    tag = {EventKind.OPEN: event.node.opens, EventKind.CLOSE: event.node.closes}.get(event.kind)
    return [tag] if tag else []


@dataclass(slots=True)
class _Loom:
    """Tags wait until it is known what white space comes with the next words."""

    texts: Texts
    parts: list[str] = field(default_factory=list)
    written: int = 0
    tags: list[Tag] = field(default_factory=list)
    waiting: list[Tag] = field(default_factory=list)
    atoms: list[Span] = field(default_factory=list)
    opaques: dict[Inset, Span] = field(default_factory=dict)
    begun: bool = False
    wants_space: bool = False

    def atom(self, span: Span) -> None:
        space = self._space_before(span)
        if self.wants_space and not space and self.texts.target[span.start].isalnum():
            space = " "
        self.flush(space)
        self.atoms.append(self._write(TagKind.TEXT, -1, span.of(self.texts.target)))
        self._end(wants_space=False)

    def opaque(self, inset: Inset, rendition: Span | None) -> None:
        """In the place of its rendition; or by itself, with the white space of the source."""
        (tag,) = inset.tags
        if rendition is not None:
            self.flush(self._space_before(rendition))
        else:
            self.flush(" " if self.begun and self.texts.space_before(inset.at) else "")
        real = self.texts.real(tag)
        self.opaques[inset] = self._write(TagKind.ATOM, tag.element, real)
        self._end(wants_space=rendition is None and self.texts.space_after(inset.end))

    def flush(self, space: str) -> None:
        """Write the tags that wait, with the white space before the next words."""
        marks = self.waiting
        spaces, blanks = self._shared_out(space)
        for place, mark in enumerate(marks):
            self._write(TagKind.TEXT, -1, spaces.get(place, ""))
            if mark.kind is TagKind.ATOM:
                self._write(mark.kind, mark.element, self.texts.real(mark))
            elif mark.kind is TagKind.TEXT:
                own = mark.span.of(self.texts.source)
                self._write(mark.kind, -1, blanks.get(place, own))
            else:
                self._write(mark.kind, mark.element, "")
        self._write(TagKind.TEXT, -1, spaces.get(len(marks), ""))
        marks.clear()

    def _shared_out(self, space: str) -> tuple[dict[int, str], dict[int, str]]:
        """White space before each of the waiting marks, and inside those that are white space."""
        marks = self.waiting
        widths = [self._source_space(slot) for slot in range(len(marks) + 1)]
        wanted = [slot for slot, width in enumerate(widths) if width]
        blanks = [place for place, mark in enumerate(marks) if len(mark.span)]
        if not space:
            after = [slot for slot in wanted if slot and marks[slot - 1].kind is TagKind.ATOM]
            return dict.fromkeys([] if self.begun else after, " "), {}
        if 1 < len(wanted) + len(blanks) <= len(space):
            places = sorted(
                [(slot, 0, widths[slot]) for slot in wanted]
                + [(place, 1, len(marks[place].span)) for place in blanks]
            )
            shares = list(zip(places, _cut(space, [width for _, _, width in places]), strict=True))
            return (
                {place: share for (place, inside, _), share in shares if not inside},
                {place: share for (place, inside, _), share in shares if inside},
            )
        if blanks:  # they are where the white space belongs
            return {}, {blanks[0]: space}
        spaces = {slot: " " for slot in wanted if self._beside_atom(slot)}
        return spaces | {self._best_slot(wanted): space}, {}

    def _source_space(self, slot: int) -> int:
        """How much white space the source has where the slot is, other than that of a mark."""
        beside = self.waiting[max(0, slot - 1) : slot + 1]
        if any(len(mark.span) for mark in beside):
            return 0
        before = self.texts.spaced_after(beside[0]) if slot > 0 else 0
        after = self.texts.spaced_before(beside[-1]) if slot < len(self.waiting) else 0
        return max(before, after)

    def _beside_atom(self, slot: int) -> bool:
        beside = self.waiting[max(0, slot - 1) : slot + 1]
        return any(mark.kind is TagKind.ATOM for mark in beside)

    def _best_slot(self, wanted: Sequence[int]) -> int:
        """Where white space was; before how many of the waiting marks it pleases most of them."""
        wishes = [self._wish(mark) for mark in self.waiting]
        slots = wanted or range(len(wishes) + 1)
        return max(slots, key=lambda slot: sum(wishes[:slot]) - sum(wishes[slot:]))

    def _wish(self, mark: Tag) -> int:
        """1: white space after the mark; -1: before it; 0: it stood in the middle of a word."""
        before, after = self.texts.spaced_before(mark), self.texts.spaced_after(mark)
        if mark.kind is TagKind.CLOSE:
            return -1 if before else 1
        if mark.kind is TagKind.OPEN:
            return 1 if after and not before else -1
        return -1 if before else int(bool(after))

    def _space_before(self, span: Span) -> str:
        """White space of the translation before a word; none before the first."""
        if not self.begun:
            return ""
        before = self.texts.target[: span.start]
        return before[len(before.rstrip()) :]

    def _end(self, *, wants_space: bool) -> None:
        self.begun, self.wants_space = True, wants_space

    def _write(self, kind: TagKind, element: int, text: str) -> Span:
        span = Span(self.written, self.written + len(text))
        if text or kind is not TagKind.TEXT:
            self.parts.append(text)
            self.tags.append(Tag(kind, element, span))
            self.written = span.end
        return span


def _cut(space: str, widths: Sequence[int]) -> list[str]:
    """White space for so many places: as wide as they were, else one each and the last the rest.

    "abc", [2, 1] -> "ab", "c"; "abc", [1, 5] -> "a", "bc"
    """
    if sum(widths) != len(space):
        widths = [1] * (len(widths) - 1) + [len(space) - len(widths) + 1]
    ends = list(accumulate(widths))
    return [space[end - width : end] for width, end in zip(widths, ends, strict=True)]
