"""Where the tags go: the cheapest way through the words of a translation.

The order of the elements is chosen first: by where their words went. Then the tags, in that order,
are a fixed sequence of K events, and a placement is a monotone path through a grid of atoms and
events:

              atom 0    atom 1    atom 2          consuming an atom costs what it costs in the
    start       o---------o                       element that is open at that point; an event
    OPEN a                o---------o             costs nothing, but for insets, which want to be
    CLOSE a                         o---------o   beside their neighbours

The cheapest path is found exactly, in time atoms x events (Viterbi). An element that must not be
empty has an event of its own that consumes an atom. Elements cannot overlap, whatever the
alignment says, because no path leaves the sequence.

Where an element whose source says anything would be on punctuation alone, as its word was linked to
nothing or to a mark, a second way is looked for, on which that event consumes an atom that says
something. All other sentences stay where the first way has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import NamedTuple

from dragoman.placement.atoms import Atom, WordPart
from dragoman.placement.tree import ROOT, Inset, Node, Tree
from dragoman.types import Span


@dataclass(frozen=True, slots=True)
class Costs:
    """What a wrong place costs, for an atom of weight 1 (docs/adr/0011).

    Attributes:
        left_out: an atom of an element outside it: text that leaves its link.
        taken_in: an atom of another element inside it.
        unlinked: an atom that is linked to nothing inside an element.
        astray: an atom's distance from where an element without links should be.
        moved: an atom between an opaque element and where the model put it.
        far: as `astray`, on the second way: of equal words the nearest is taken, and no word that
            counts little is worth going far.
    """

    left_out: float = 2.0
    taken_in: float = 1.0
    unlinked: float = 0.2
    astray: float = 0.05
    moved: float = 1.0
    far: float = 0.6


class EventKind(StrEnum):
    OPEN = "open"
    NEED = "need"  # consumes an atom
    SAY = "say"  # consumes one that says something
    INSET = "inset"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Event:
    kind: EventKind
    node: Node
    inset: Inset | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence to be placed.

    Attributes:
        owners: node of each part.
        renditions: of each opaque inset: how many atoms are before it, or None.
        text: the source, to see whether white space is beside an inset.
    """

    tree: Tree
    parts: Sequence[WordPart]
    owners: Sequence[int]
    atoms: Sequence[Atom]
    renditions: dict[Inset, int | None]
    text: str


def place(sentence: Sentence, costs: Costs = Costs()) -> list[list[Event]] | None:
    """The events before each atom, and after the last one: atoms + 1 lists.

    None if there are too few atoms for all elements that need one.
    """
    gaps = _cheapest(_Layout(sentence, costs))
    if gaps is None or not (mute := _mute(gaps, sentence)):
        return gaps
    return _cheapest(_Layout(sentence, costs, mute))


def _mute(gaps: Sequence[Sequence[Event]], sentence: Sentence) -> frozenset[int]:
    """Nodes that need a word that says something, and have none."""
    mute = {node.index for node in sentence.tree.nodes[1:] if node.needs_to_say}
    open_ = {ROOT, *(node.index for node in sentence.tree.nodes if node.open_left)}
    for gap, atom in zip(gaps, sentence.atoms, strict=False):
        for event in gap:
            if event.kind is EventKind.OPEN:
                open_.add(event.node.index)
            elif event.kind is EventKind.CLOSE:
                open_.discard(event.node.index)
        if atom.says:
            mute -= open_
    return frozenset(mute)


class _Layout:
    """The order of elements, and what each placement costs.

    Args:
        mute: nodes that had no word on the first way; none: this is it.
    """

    def __init__(
        self, sentence: Sentence, costs: Costs, mute: frozenset[int] = frozenset()
    ) -> None:
        self._sentence, self._costs, self._mute = sentence, costs, mute
        self.length = len(sentence.atoms)
        self._seen = _seen_at(sentence)
        shares = _shares(sentence)
        # Marks alone are no rendition of a word.
        self._lost = {
            node for node in mute if not any(sentence.atoms[a].says for a in shares[node])
        }
        for node in self._lost:
            shares[node] = {}
        self._middles = [self._middle(node, shares) for node in sentence.tree.nodes]
        self.node_costs = self._node_costs(shares)
        self._inset_costs: dict[Inset, list[float]] = {}

    def events(self) -> Iterator[Event]:
        """All tags and insets in the order of the translation."""
        root = self._sentence.tree.nodes[ROOT]
        stack: list[tuple[Node, Iterator[Node | Inset | Event]]]
        stack = [(root, iter(self._ordered(root)))]
        while stack:
            node, items = stack[-1]
            item = next(items, None)
            if item is None:
                stack.pop()
                if not node.open_right:
                    yield Event(EventKind.CLOSE, node)
            elif isinstance(item, Event):
                yield item
            elif isinstance(item, Inset):
                yield Event(EventKind.INSET, node, item)
            else:
                if not item.open_left:
                    yield Event(EventKind.OPEN, item)
                yield from self._first(item)
                rest = [i for i in self._ordered(item) if not _first_in(i)]
                stack.append((item, iter(self._with_need(item, rest))))

    def _first(self, node: Node) -> Iterator[Event]:
        for item in node.items:
            if _first_in(item) and isinstance(item, Inset):
                yield Event(EventKind.INSET, node, item)

    def _with_need(
        self, node: Node, items: Sequence[Node | Inset]
    ) -> Sequence[Node | Inset | Event]:
        """What is in a node, and what it needs: a word, or one that says something, which comes
        after the marks in elements of their own that it came after."""
        if self._mute and node.needs_to_say:
            before = [i for i, item in enumerate(items) if _is_before(item, node.says_at)]
            at = before[-1] + 1 if before else 0
            return [*items[:at], Event(EventKind.SAY, node), *items[at:]]
        return [Event(EventKind.NEED, node), *items] if node.needs_word else items

    def start(self) -> int:
        """The node in which the sentence begins."""
        inner = ROOT
        for node in self._sentence.tree.nodes[1:]:
            if not node.open_left:
                break
            inner = node.index
        return inner

    def says(self, atom: int) -> bool:
        return self._sentence.atoms[atom].says

    def inset_cost(self, inset: Inset, at: int) -> float:
        """Of an inset before atom `at`."""
        costs = self._inset_costs.get(inset)
        return costs[at] if costs else 0.0

    def _ordered(self, node: Node) -> list[Node | Inset]:
        """Items by where their words went; what says nothing stays after what it followed."""
        return sorted(node.items, key=self._key)

    def _key(self, item: Node | Inset) -> tuple[int, float]:
        if isinstance(item, Node):
            side = item.open_right - item.open_left
            return side, self._middles[item.index]
        if item.pinned:
            return item.pinned, 0.0
        inset_costs = self._place_inset(item)
        best = min(range(len(inset_costs)), key=inset_costs.__getitem__)
        return 0, float(best)

    def _middle(self, node: Node, shares: Sequence[dict[int, float]]) -> float:
        """Mean place of the atoms that belong in a node."""
        share = shares[node.index]
        weights = {a: s * self._sentence.atoms[a].weight for a, s in share.items()}
        total = sum(weights.values())
        if total:
            return sum((atom + 0.5) * weight for atom, weight in weights.items()) / total
        return self._expected(Span(node.start, node.end))

    def _expected(self, span: Span) -> float:
        """Where something without atoms of its own should be.

        Where the opaque text in it was put, else beside what it stood beside.
        """
        parts, seen = self._sentence.parts, self._seen
        before = [i for i, part in enumerate(parts) if part.span.end <= span.start]
        after = [i for i, part in enumerate(parts) if part.span.start >= span.end]
        inside = [seen[i] for i in range(len(before), len(parts) - len(after)) if i in seen]
        if inside:
            return fmean((place.before + place.after) / 2 for place in inside)
        left = next(((d, seen[i]) for d, i in enumerate(reversed(before)) if i in seen), None)
        right = next(((d, seen[i]) for d, i in enumerate(after) if i in seen), None)
        if left and (right is None or left[0] <= right[0]):
            return min(self.length, left[1].after)
        if right:
            return max(0.0, right[1].before)
        own = len(parts) - len(before) - len(after)
        return (len(before) + own / 2) / max(1, len(parts)) * self.length

    def _node_costs(self, shares: Sequence[dict[int, float]]) -> list[list[float]]:
        """[nodes, atoms]: of an atom when that node is the innermost one around it."""
        costs, atoms = self._costs, self._sentence.atoms
        rows = [[0.0] * self.length]
        for node in self._sentence.tree.nodes[1:]:
            share = shares[node.index]
            around = rows[node.parent]
            row = []
            for index, atom in enumerate(atoms):
                if atom.linked:
                    inside = share.get(index, 0.0)
                    cost = costs.taken_in * (1 - inside) - costs.left_out * inside
                else:
                    cost = costs.unlinked
                row.append(around[index] + cost * atom.weight)
            if not share:
                middle = self._middles[node.index]
                astray = costs.far if node.index in self._lost else costs.astray
                row = [cost + astray * abs(index + 0.5 - middle) for index, cost in enumerate(row)]
            rows.append(row)
        return rows

    def _place_inset(self, inset: Inset) -> list[float]:
        """Cost of an inset before each atom, and at the end."""
        costs = self._inset_costs.get(inset)
        if costs is None:
            rendition = self._sentence.renditions.get(inset)
            if rendition is None:
                costs = self._beside(inset)
            else:
                moved = self._costs.moved
                costs = [moved * abs(at - rendition) for at in range(self.length + 1)]
            self._inset_costs[inset] = costs
        return costs

    def _beside(self, inset: Inset) -> list[float]:
        """It wants to be beside what it stood beside: twice as much where no space parts them.

        A neighbour that is linked to nothing leaves its place to the next one, for half as much.
        """
        text, parts = self._sentence.text, self._sentence.parts
        before = [i for i, part in enumerate(parts) if part.span.end <= inset.at]
        after = [i for i, part in enumerate(parts) if part.span.start >= inset.end]
        left = 1.0 if text[inset.at - 1 : inset.at].isspace() else 2.0
        right = 1.0 if text[inset.end : inset.end + 1].isspace() else 2.0
        wishes = [(self._expected(Span(inset.at, inset.end)), _NEAR)]
        for side, weight, is_left in ((before[::-1], left, True), (after, right, False)):
            beside = next(((d, part) for d, part in enumerate(side) if part in self._seen), None)
            if beside:
                distance, seen = beside[0], self._seen[beside[1]]
                wishes.append((seen.after if is_left else seen.before, weight * 0.5**distance))
        return [
            sum(weight * abs(at - wanted) for wanted, weight in wishes)
            for at in range(self.length + 1)
        ]


_NEAR = 0.01


def _first_in(item: Node | Inset) -> bool:
    return isinstance(item, Inset) and item.pinned < 0


def _is_before(item: Node | Inset, at: int) -> bool:
    return isinstance(item, Node) and item.start < at


class _Seen(NamedTuple):
    """Where a part of the source went: how many atoms are before and after it, on average."""

    before: float
    after: float


def _seen_at(sentence: Sentence) -> dict[int, _Seen]:
    """By part: the mean place of the atoms linked to it, or where its opaque text was put."""
    sums: dict[int, tuple[float, float]] = {}
    for index, atom in enumerate(sentence.atoms):
        for linked, share in atom.links:
            total, weight = sums.get(linked, (0.0, 0.0))
            sums[linked] = total + share * (index + 0.5), weight + share
    means = {linked: total / weight for linked, (total, weight) in sums.items()}
    seen = {linked: _Seen(mean - 0.5, mean + 0.5) for linked, mean in means.items()}
    opaque = {
        item.at: sentence.renditions.get(item)
        for node in sentence.tree.nodes
        for item in node.items
        if isinstance(item, Inset) and item.opaque
    }
    for index, part in enumerate(sentence.parts):
        at = opaque.get(part.span.start)
        if at is not None:  # it stands between atoms: none is its own
            seen[index] = _Seen(at, at)
    return seen


def _shares(sentence: Sentence) -> list[dict[int, float]]:
    """Of each node, how much each atom belongs in it: atom -> (0, 1]."""
    shares: list[dict[int, float]] = [{} for _ in sentence.tree.nodes]
    for index, atom in enumerate(sentence.atoms):
        for part, share in atom.links:
            node = sentence.owners[part]
            while node != ROOT:
                shares[node][index] = shares[node].get(index, 0.0) + share
                node = sentence.tree.nodes[node].parent
    return shares


_CONSUMING = (EventKind.NEED, EventKind.SAY)
_CONSUMED, _EVENT, _NEEDED = 0, 1, 2


def _cheapest(layout: _Layout) -> list[list[Event]] | None:
    """The cheapest path; see the drawing above."""
    events, length = list(layout.events()), layout.length
    open_nodes = [layout.start()]
    for event in events:
        inner = event.node.parent if event.kind is EventKind.CLOSE else event.node.index
        open_nodes.append(inner)
    shut = _shut(events)
    best = [0.0] + [math.inf] * len(events)
    came = [bytearray(len(events) + 1) for _ in range(length + 1)]
    for at in range(length + 1):
        if at:
            enter = [math.inf if no else cost for cost, no in zip(best, shut, strict=True)]
            best = _consume(enter, at - 1, events, open_nodes, layout, came[at])
        for index, event in enumerate(events):
            if event.kind in _CONSUMING:
                continue
            cost = best[index] + (layout.inset_cost(event.inset, at) if event.inset else 0.0)
            if cost < best[index + 1]:
                best[index + 1] = cost
                came[at][index + 1] = _EVENT
    return _followed(events, came) if best[-1] < math.inf else None


def _shut(events: Sequence[Event]) -> list[bool]:
    """After how many events no atom may come: between an inset and the edge it is pinned to."""
    shut = [False] * (len(events) + 1)
    for index, event in enumerate(events):
        if event.inset is not None and event.inset.pinned:
            shut[index + (event.inset.pinned > 0)] = True
    return shut


def _consume(
    best: list[float],
    atom: int,
    events: Sequence[Event],
    open_nodes: Sequence[int],
    layout: _Layout,
    came: bytearray,
) -> list[float]:
    costs = layout.node_costs
    after = [cost + costs[node][atom] for cost, node in zip(best, open_nodes, strict=True)]
    for index, event in enumerate(events):
        if event.kind is EventKind.NEED or (event.kind is EventKind.SAY and layout.says(atom)):
            cost = best[index] + costs[open_nodes[index]][atom]
            if cost < after[index + 1]:
                after[index + 1] = cost
                came[index + 1] = _NEEDED
    return after


def _followed(events: Sequence[Event], came: Sequence[bytearray]) -> list[list[Event]]:
    """The path from its end to its start, as events before each atom."""
    gaps: list[list[Event]] = [[] for _ in came]
    at, done = len(came) - 1, len(events)
    while at or done:
        step = came[at][done]
        if step == _EVENT:
            gaps[at].append(events[done - 1])
            done -= 1
        elif step == _NEEDED:
            at -= 1
            done -= 1
        else:
            at -= 1
    for gap in gaps:
        gap.reverse()
    return gaps
