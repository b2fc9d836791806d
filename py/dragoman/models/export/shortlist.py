"""A lexical shortlist is made of the links of prepared data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import CorpusError
from dragoman.marian.shortlist import EOS_ID, Shortlist
from dragoman.models.data.batches import PreparedData
from dragoman.models.data.prepared import NO_LINKS, ShardedData

FIRST, BEST = 50, 50  # of the published models
LINKS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class LinkedPieces:
    """The links of a sentence pair: source piece i was translated by target piece i.

    Attributes:
        source, target: of the same length.
        weight: how much the pair counts.
    """

    source: NDArray[np.integer]
    target: NDArray[np.integer]
    weight: float = 1.0


def linked_pieces(data: PreparedData | ShardedData) -> Iterator[LinkedPieces]:
    """The links of prepared data, each pair with the weight of its source; a shard at a time.

    Raises:
        CorpusError: there are none: of such a shortlist only the first pieces could be chosen.
    """
    if isinstance(data, ShardedData):
        for number in range(len(data.folders)):
            yield from linked_pieces(data.shard(number))
        return
    if not len(data.links.flat):
        raise CorpusError(NO_LINKS)
    first, second = (1, 0) if data.links_swapped else (0, 1)
    for index in range(len(data.source)):
        links = data.links.row(index).astype(np.int64).reshape(-1, 2)
        source = data.source.row(index).astype(np.int64)[links[:, first]]
        target = data.target.row(index).astype(np.int64)[links[:, second]]
        yield LinkedPieces(source, target, float(data.weights[data.source_of[index]]))


def build_shortlist(
    aligned: Iterable[LinkedPieces],
    vocabulary_size: int,
    first: int = FIRST,
    best: int = BEST,
    common: int = 0,
) -> Shortlist:
    """The targets that each source piece is linked to most often in aligned text.

    Args:
        first: ids below it are always chosen, whatever the source.
        best: at most so many a source piece; of equally frequent ones, the smaller ids.
        common: so many pieces that are linked to most often can always be said: they are the list
            of EOS, which every sentence has, and in no other one.
    """
    keys: NDArray[np.int64] = np.zeros(0, np.int64)
    counts: NDArray[np.float64] = np.zeros(0)
    for chunk in _chunks(aligned, vocabulary_size):
        merged, places = np.unique(np.concatenate((keys, chunk[0])), return_inverse=True)
        weights = np.concatenate((counts, chunk[1]))
        counts = np.bincount(places, weights, minlength=len(merged)).astype(np.float64)
        keys = merged
    sources, targets = keys // vocabulary_size, keys % vocabulary_size
    always = _most_linked(targets, counts, vocabulary_size, common)
    listed = ~np.isin(targets, always) & ((sources != EOS_ID) | (common == 0))
    sources, targets, counts = sources[listed], targets[listed], counts[listed]
    by_count = np.lexsort((targets, -counts, sources))
    starts = np.searchsorted(sources, np.arange(vocabulary_size + 1))
    rank = np.arange(len(sources)) - starts[sources]
    kept = (sources * vocabulary_size + targets)[by_count][rank < best]
    kept = np.sort(np.concatenate((kept, EOS_ID * vocabulary_size + always)))
    offsets = np.searchsorted(kept // vocabulary_size, np.arange(vocabulary_size + 1))
    return Shortlist(
        first, best, offsets.astype(np.uint64), (kept % vocabulary_size).astype(np.uint32)
    )


def _most_linked(
    targets: NDArray[np.int64], counts: NDArray[np.float64], vocabulary_size: int, most: int
) -> NDArray[np.int64]:
    totals = np.bincount(targets, counts, minlength=vocabulary_size)
    order = np.lexsort((np.arange(vocabulary_size), -totals))[:most]
    return order[totals[order] > 0].astype(np.int64)


def _chunks(
    aligned: Iterable[LinkedPieces], vocabulary_size: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Keys (source * size + target) and weights of some million links at a time."""
    keys: list[NDArray[np.int64]] = []
    weights: list[NDArray[np.float64]] = []
    waiting = 0
    for pair in aligned:
        keys.append(pair.source.astype(np.int64) * vocabulary_size + pair.target)
        weights.append(np.full(len(pair.source), pair.weight))
        waiting += len(pair.source)
        if waiting >= LINKS_AT_ONCE:
            yield np.concatenate(keys), np.concatenate(weights)
            keys, weights, waiting = [], [], 0
    if keys:
        yield np.concatenate(keys), np.concatenate(weights)
