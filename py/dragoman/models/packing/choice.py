"""Which pairs go into a pack that cannot hold all: by the weight of their source, then by quality.

Training through T epochs shows a pair of a source of weight w about w * T times. So a source gives
the share min(1, w * T) of its pairs, and weighs more in the pack, so that its part of an epoch is
what it was; T is as large as the limit allows. Of a source that gives a part, each octave of
lengths gives the same part, the pairs first of which links cover most: what a careless translator
left out, or a program put beside the wrong sentence, is linked the least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.models.data.batches import Ragged

Indices = NDArray[np.int64]
Floats = NDArray[np.float64]
BISECTIONS = 40
SEED = 1


@dataclass(frozen=True)
class Pairs:
    """Pairs of all shards in memory.

    Attributes:
        links: pairs (index in first, index in second) back to back.
        source_of: the index of each pair's source.
    """

    first: Ragged
    second: Ragged
    links: Ragged
    source_of: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.source_of)


@dataclass(frozen=True)
class Ranked:
    """Pairs of each source in the order in which they are taken.

    Attributes:
        pairs: indices, source by source, each source's best spread over its lengths.
        starts: of each source in `pairs`, and the end of the last.
        bits: what each of `pairs` is estimated to cost.
    """

    pairs: Indices
    starts: Indices
    bits: Floats

    def taken(self, weights: Floats, epochs: float) -> NDArray[np.int64]:
        """How many pairs of each source go in."""
        there = np.diff(self.starts)
        share = np.minimum(1.0, weights * epochs)
        return np.where(weights > 0, np.ceil(share * there - 1e-9), 0).astype(np.int64)

    def chosen(self, counts: NDArray[np.int64]) -> Indices:
        """Indices of the pairs that go in, in their order."""
        starts = self.starts[:-1]
        places = np.arange(len(self.pairs))
        source = np.repeat(np.arange(len(starts)), np.diff(self.starts))
        inside = places - starts[source] < counts[source]
        return np.sort(self.pairs[inside])


def ranked(pairs: Pairs, sources: int) -> Ranked:
    """Every source's pairs, best first, all lengths alike; equal ones by a fixed chance."""
    quality = coverage(pairs)
    longer = np.maximum(pairs.first.lengths(), pairs.second.lengths())
    octave = np.floor(np.log2(np.maximum(longer, 1))).astype(np.int64)
    chance = np.random.default_rng(SEED).permutation(len(pairs))
    group = pairs.source_of * 64 + octave
    order = np.lexsort((chance, -quality, group))
    place = _within(group[order])
    size = np.bincount(group, minlength=64 * sources)[group[order]]
    order = order[np.lexsort((chance[order], (place + 0.5) / size, pairs.source_of[order]))]
    starts = np.concatenate(([0], np.cumsum(np.bincount(pairs.source_of, minlength=sources))))
    return Ranked(order, starts.astype(np.int64), piece_bits(pairs)[order])


def coverage(pairs: Pairs) -> Floats:
    """Of each pair the share of its pieces, on both sides, that have a link; in [0, 1]."""
    links = np.asarray(pairs.links.flat, dtype=np.int64).reshape(-1, 2)
    linked = np.zeros(len(pairs))
    for side, rows in enumerate((pairs.first, pairs.second)):
        starts = np.repeat(rows.offsets[:-1], pairs.links.lengths() // 2)
        has = np.zeros(len(rows.flat) + 1, dtype=np.int64)
        has[1 + starts + links[:, side]] = 1
        sums = np.cumsum(has)
        linked += sums[rows.offsets[1:]] - sums[rows.offsets[:-1]]
    share: Floats = linked / np.maximum(pairs.first.lengths() + pairs.second.lengths(), 1)
    return share


def piece_bits(pairs: Pairs) -> Floats:
    """Bits of each pair if pieces were coded by their frequency alone: what it costs, about."""
    total = np.zeros(len(pairs))
    for side in (pairs.first, pairs.second):
        counts = np.bincount(side.flat)
        bits = -np.log2(np.maximum(counts, 1) / max(1, counts.sum()))[side.flat]
        sums = np.concatenate(([0.0], np.cumsum(bits)))
        total += sums[side.offsets[1:]] - sums[side.offsets[:-1]]
    return total


def epochs_for(ranking: Ranked, weights: Floats, bits: float) -> float:
    """The largest T whose choice is estimated at no more than so many bits."""
    sums = np.concatenate(([0.0], np.cumsum(ranking.bits)))

    def cost(epochs: float) -> float:
        counts = ranking.taken(weights, epochs)
        return float((sums[ranking.starts[:-1] + counts] - sums[ranking.starts[:-1]]).sum())

    least = weights[weights > 0]
    low, high = 0.0, 1.0 / float(least.min()) if len(least) else 0.0
    if cost(high) <= bits:
        return high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if cost(middle) <= bits else (low, middle)
    return low


def _within(groups: Indices) -> Indices:
    """The place of each entry in its run of equal ones."""
    places = np.arange(len(groups))
    begins = np.concatenate(([True], groups[1:] != groups[:-1])) if len(groups) else places > 0
    return places - np.maximum.accumulate(np.where(begins, places, 0))
