"""Which of several spans of a source each of several spans of a translation stands for.

A translation may say things in another order: "am 3. Mai 12 €" is "€12 on 3 May". Where all of them
look alike, as stand-ins do, only the attention tells them apart:

    >>> counterparts([[0.1, 0.9], [0.8, 0.2]])
    {0: 1, 1: 0}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from dragoman.types import Span

# What a change of order must be worth, in attention, for each pair that it crosses (docs/adr/0021).
CROSSING = 0.1
# Of so many on the longer side all ways are compared: 720; of more, two.
EXACT = 6
# float32 summed in another order.
_EQUAL = 1e-6


@dataclass(frozen=True, slots=True)
class SpanAttention:
    """The attention of a hypothesis, asked for by spans.

    Attributes:
        matrix: [T, S] row-major, target pieces by source pieces, EOS the last column; rows sum
            to 1.
        sources: of the S - 1 source pieces, in order.
        moved: of each place in the text that is asked about, its end included, the place in the
            text that `sources` are of; empty if the text is the same.
    """

    matrix: Sequence[float]
    sources: Sequence[Span]
    moved: Sequence[int] = ()

    def weights(
        self, pieces: Sequence[Span], targets: Sequence[Span], sources: Sequence[Span]
    ) -> list[list[float]]:
        """[targets, sources]: how much a target's pieces look at a source's, in their mean.

        Args:
            pieces: of the T target pieces, in the text that `targets` are of.
        """
        columns = [self._columns(source) for source in sources]
        return [self._row(_overlapping(pieces, target), columns) for target in targets]

    def _columns(self, source: Span) -> list[int]:
        if self.moved:
            source = Span(self.moved[source.start], self.moved[source.end])
        return _overlapping(self.sources, source)

    def _row(self, rows: Sequence[int], columns: Sequence[Sequence[int]]) -> list[float]:
        width = len(self.sources) + 1
        return [
            sum(self.matrix[row * width + column] for row in rows for column in of) / len(rows)
            if rows
            else 0.0
            for of in columns
        ]


def _overlapping(pieces: Sequence[Span], span: Span) -> list[int]:
    """Indexes of the pieces in a span; an empty one belongs to what ends where it stands."""
    return [
        index
        for index, piece in enumerate(pieces)
        if (piece.start < span.end and span.start < piece.end)
        or piece.start == piece.end == span.end
    ]


def in_order(targets: int, sources: int) -> dict[int, int]:
    """Source of each target, in order; of fewer targets the first, and the last for the last."""
    chosen = {index: index for index in range(min(targets, sources))}
    if 1 < targets < sources:
        chosen[targets - 1] = sources - 1
    return chosen


def counterparts(weights: Sequence[Sequence[float]]) -> dict[int, int]:
    """Source of each target, one to one: as many as the smaller side has.

    It is the choice of the greatest weight, less `CROSSING` for each two that change their order;
    order decides between equals. Of more than `EXACT` on a side, either all are in order, or each
    has the heaviest that is left, the heaviest of all first.

    Args:
        weights: [targets, sources].
    """
    targets, sources = len(weights), len(weights[0]) if weights else 0
    best = in_order(targets, sources)
    most = _worth(weights, best)
    for other in _others(weights, targets, sources):
        worth = _worth(weights, other)
        if worth > most + _EQUAL:
            best, most = other, worth
    return best


def _others(
    weights: Sequence[Sequence[float]], targets: int, sources: int
) -> Iterator[dict[int, int]]:
    if max(targets, sources) > EXACT:
        yield _greedy(weights)
    elif targets <= sources:
        for places in permutations(range(sources), targets):
            yield dict(enumerate(places))
    else:
        for places in permutations(range(targets), sources):
            yield dict(zip(places, range(sources), strict=True))


def _worth(weights: Sequence[Sequence[float]], chosen: dict[int, int]) -> float:
    crossed = sum(
        (one < other) != (chosen[one] < chosen[other]) for one, other in combinations(chosen, 2)
    )
    total = sum(weights[target][source] for target, source in chosen.items())
    return total - CROSSING * crossed


def _greedy(weights: Sequence[Sequence[float]]) -> dict[int, int]:
    pairs = [
        (-weight, target, source)
        for target, row in enumerate(weights)
        for source, weight in enumerate(row)
    ]
    chosen: dict[int, int] = {}
    taken: set[int] = set()
    for _, target, source in sorted(pairs):
        if target not in chosen and source not in taken:
            chosen[target] = source
            taken.add(source)
    return chosen
