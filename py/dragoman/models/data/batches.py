"""Training batches: how they are cut, and the one interface behind which all data stand.

    PreparedData   a shard: encoded, aligned, weighted pairs in memory-mapped arrays
    ShardedData    a folder of shards, one in memory at a time         (`prepared`)
    RawData        a file of text, encoded on the way, part by part    (`raw`)

All are `TrainingData`. Batches are a function of plan, epoch and position alone: a resumed run sees
what the killed one would have seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import CorpusError

Offsets = NDArray[np.int64]
EOS = 0
NO_TAG = -1
WINDOW = 40_000  # pairs that are sorted by length together


@dataclass(frozen=True)
class BatchPlan:
    """How batches are cut.

    Attributes:
        seed: of the order.
        pieces: most padded pieces of the longer side in a batch (word-based size).
        sentences: pairs in a batch instead (sentence-based size); 0: by `pieces`.
        bucket_width: 0: pairs are sorted by length in windows of the shuffled epoch. Above 0: a
            batch is cut from one bucket of (source, target) lengths, each so many pieces wide.
    """

    seed: int
    pieces: int
    sentences: int = 0
    bucket_width: int = 0


@dataclass(frozen=True)
class Batch:
    """A training batch.

    Attributes:
        source: int64 [B, S], EOS at the end of each row, then EOS as padding.
        source_mask: bool [B, S], True for real pieces (EOS included).
        target: int64 [B, T], as `source`.
        target_mask: bool [B, T].
        guide: float32 [B, T, S], each row with links sums to 1, rows without are zero.
    """

    source: NDArray[np.int64]
    source_mask: NDArray[np.bool_]
    target: NDArray[np.int64]
    target_mask: NDArray[np.bool_]
    guide: NDArray[np.float32]


Place = tuple[int, int, Batch]  # epoch, position in it after this batch, the batch


class TrainingData(Protocol):
    """What a trainer needs of its data."""

    @property
    def vocabulary_size(self) -> int: ...

    def fingerprint(self) -> dict[str, int | float]:
        """What tells these data from others, for a run that is resumed."""
        ...

    def batches(self, plan: BatchPlan, epoch: int, position: int) -> Iterator[Place]:
        """Endless batches from a position of an epoch on."""
        ...


@dataclass(frozen=True)
class Ragged:
    """Rows of different lengths in one flat array: row i is ``flat[offsets[i]:offsets[i + 1]]``."""

    flat: NDArray[np.generic]
    offsets: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, index: int) -> NDArray[np.generic]:
        return self.flat[self.offsets[index] : self.offsets[index + 1]]

    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.offsets)

    @staticmethod
    def of(rows: Sequence[Sequence[int]], dtype: type[np.generic]) -> Ragged:
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        flat = np.empty(int(offsets[-1]), dtype=dtype)
        for index, row in enumerate(rows):
            flat[offsets[index] : offsets[index + 1]] = row
        return Ragged(flat, offsets)


@dataclass(frozen=True)
class PreparedData:
    """Pairs of one direction of translation: what a batch is cut from.

    Attributes:
        links: pairs (index in first, index in second) back to back; of the other direction where
            `links_swapped`.
        source_of: the index in `weights` of each pair's source.
        weights: copies of each pair in an epoch, on average.
        tags: of each source the piece that stands before its source texts, `NO_TAG` for none.
        pack: a checksum of the pack that they came in, in an order of its own; 0: of none.
    """

    source: Ragged
    target: Ragged
    links: Ragged
    links_swapped: bool
    source_of: NDArray[np.integer]
    weights: NDArray[np.float64]
    tags: NDArray[np.int64]
    vocabulary_size: int
    pack: int = 0

    def tag(self, pair: int) -> list[int]:
        """What stands before the source pieces of a pair: its tag, or nothing."""
        tag = int(self.tags[self.source_of[pair]])
        return [] if tag == NO_TAG else [tag]

    def fingerprint(self) -> dict[str, int | float]:
        return {
            "pairs": len(self.source),
            "source pieces": len(self.source.flat),
            "target pieces": len(self.target.flat),
            "weight": float(self.weights[self.source_of].sum()),
            **({"pack": self.pack} if self.pack else {}),
        }

    def epoch(self, seed: int, epoch: int) -> NDArray[np.int64]:
        """Indices of one epoch in random order: each pair `weight` times on average."""
        rng = np.random.default_rng((seed, epoch))
        weight = self.weights[self.source_of]
        copies = np.floor(weight + rng.random(len(weight))).astype(np.int64)
        return rng.permutation(np.repeat(np.arange(len(weight)), copies))

    def batches(self, plan: BatchPlan, epoch: int, position: int) -> Iterator[Place]:
        return batches_of(lambda _: [self], plan, epoch, position)


class Parts(Protocol):
    def __call__(self, epoch: int, /) -> Iterable[PreparedData]:
        """The parts of an epoch in their order; each may be dropped when the next is taken."""


def batches_of(parts: Parts, plan: BatchPlan, epoch: int, position: int) -> Iterator[Place]:
    """Endless batches, part by part, from a position of an epoch on.

    Raises:
        CorpusError: an epoch is empty.
    """
    while True:
        count = 0
        for part in parts(epoch):
            indices = batch_indices(part, plan, epoch)
            for number in range(max(0, position - count), len(indices)):
                yield epoch, count + number + 1, make_batch(part, indices[number])
            count += len(indices)
        if not count:
            raise CorpusError("an epoch of this data is empty: every weight is too small")
        epoch, position = epoch + 1, 0


def batch_indices(
    data: PreparedData, plan: BatchPlan, epoch: int, window: int = WINDOW
) -> list[NDArray[np.int64]]:
    """The batches of an epoch of one part, in random order: similar lengths together.

    A pair that is longer than the budget is a batch of its own.
    """
    order = data.epoch(plan.seed, epoch)
    source, target = data.source.lengths() + 1, data.target.lengths() + 1
    batches: list[NDArray[np.int64]] = []
    if plan.bucket_width:
        batches = list(_from_buckets(order, source, target, plan))
    else:
        for start in range(0, len(order), window):
            chunk = order[start : start + window]
            chunk = chunk[np.lexsort((target[chunk], source[chunk] + target[chunk]))]
            batches += _cut(chunk, np.maximum(source[chunk], target[chunk]), plan)
    rng = np.random.default_rng((plan.seed, epoch, 1))
    return [batches[index] for index in rng.permutation(len(batches))]


def _cut(
    chunk: NDArray[np.int64], widest: NDArray[np.int64], plan: BatchPlan
) -> Iterator[NDArray[np.int64]]:
    """Runs of a sorted chunk; `widest` is the longer side of each pair."""
    if plan.sentences:
        yield from (chunk[n : n + plan.sentences] for n in range(0, len(chunk), plan.sentences))
        return
    first, width = 0, 0
    for index, length in enumerate(widest):
        width = max(width, int(length))
        if (index - first + 1) * width > plan.pieces and index > first:
            yield chunk[first:index]
            first, width = index, int(length)
    if len(chunk):
        yield chunk[first:]


def _from_buckets(
    order: NDArray[np.int64],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    plan: BatchPlan,
) -> Iterator[NDArray[np.int64]]:
    """Batches of one bucket each; their size is the bucket's own: budget / its longer side."""
    rows, columns = bucket_of(source[order], plan), bucket_of(target[order], plan)
    by_bucket = np.lexsort((columns, rows))  # stable: the order within a bucket stays random
    rows, columns, order = rows[by_bucket], columns[by_bucket], order[by_bucket]
    edges = np.flatnonzero((np.diff(rows) != 0) | (np.diff(columns) != 0)) + 1
    bounds = [0, *edges.tolist(), len(order)]
    for start, end in pairwise(bounds):
        if start == end:
            continue
        longest = plan.bucket_width * int(max(rows[start], columns[start]))
        size = plan.sentences or max(1, plan.pieces // longest)
        yield from (order[n : min(n + size, end)] for n in range(start, end, size))


def bucket_of(lengths: NDArray[np.int64], plan: BatchPlan) -> NDArray[np.int64]:
    """Number of each length's bucket: bucket n has the lengths (n - 1) * width + 1 to n * width."""
    return -(-lengths // plan.bucket_width)


def make_batch(data: PreparedData, indices: NDArray[np.int64]) -> Batch:
    tags = [data.tag(index) for index in indices]
    sources = [
        np.concatenate((tag, data.source.row(index))) if tag else data.source.row(index)
        for tag, index in zip(tags, indices, strict=True)
    ]
    source, source_mask = _padded(sources)
    target, target_mask = _padded([data.target.row(index) for index in indices])
    guide = np.zeros((*target.shape, source.shape[1]), dtype=np.float32)
    for row, index in enumerate(indices):
        links = np.asarray(data.links.row(index), dtype=np.intp).reshape(-1, 2)
        s, t = (links[:, 1], links[:, 0]) if data.links_swapped else (links[:, 0], links[:, 1])
        guide[row, t, s + len(tags[row])] = 1.0
        # EOS aligns with EOS: the attention needs somewhere to go when the sentence is over.
        guide[row, len(data.target.row(index)), len(sources[row])] = 1.0
    guide /= np.maximum(guide.sum(axis=2, keepdims=True), 1.0)
    return Batch(source, source_mask, target, target_mask, guide)


def _padded(
    rows: Sequence[NDArray[np.generic]],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    lengths = np.array([len(row) + 1 for row in rows])
    ids = np.full((len(rows), int(lengths.max())), EOS, dtype=np.int64)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
    return ids, np.arange(ids.shape[1])[None, :] < lengths[:, None]
