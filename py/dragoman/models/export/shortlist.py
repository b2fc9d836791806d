"""The lexical shortlist: for each source piece, the target pieces that are worth a row of the
output layer. Read, written and checked in the binary format of the published models.

    u64 magic, u64 checksum, u64 first, u64 best, u64 a = source pieces + 1, u64 b
    a u64: where the list of each source piece begins, and an end
    b u32: target pieces, sorted within each list

The pieces of a mini-batch choose rows: the ids below `first` (the most frequent ones), the lists of
all source pieces, with a shared vocabulary the source pieces themselves (names are copied), and as
many ids from `first` on as make a multiple of 8.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import ModelFileError
from dragoman.models.data.batches import PreparedData
from dragoman.models.data.prepared import ShardedData

MAGIC = 0xF11A48D5013417F5
FIRST, BEST = 50, 50  # of the published models
MULTIPLE = 8
HEADER_BYTES = 48
CHECKED_FROM = 16  # the checksum leaves itself and the magic number out
WORD = (1 << 64) - 1
LINKS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Shortlist:
    """Lists of target pieces.

    Attributes:
        first: ids below it are always chosen.
        best: longest list, as the maker asked for.
        offsets: uint64 [source pieces + 1], rising from 0 to the number of ids.
        targets: uint32, the lists one after another.
    """

    first: int
    best: int
    offsets: NDArray[np.uint64]
    targets: NDArray[np.uint32]

    @property
    def sources(self) -> int:
        """Number of source pieces."""
        return len(self.offsets) - 1

    def of(self, source: int) -> NDArray[np.uint32]:
        """The list of a source piece; empty for an id that the file does not have."""
        if not 0 <= source < self.sources:
            return self.targets[:0]
        return self.targets[int(self.offsets[source]) : int(self.offsets[source + 1])]

    def chosen(
        self, source_ids: Iterable[int], vocabulary_size: int, *, shared: bool = True
    ) -> NDArray[np.uint32]:
        """Sorted target pieces for a batch: a multiple of 8, or the whole vocabulary."""
        ids = sorted({*source_ids})
        found = set(range(min(self.first, vocabulary_size)))
        for source in ids:
            found.update(int(target) for target in self.of(source))
        if shared:
            found.update(ids)
        found = {target for target in found if target < vocabulary_size}
        candidate = self.first
        while len(found) % MULTIPLE and candidate < vocabulary_size:
            found.add(candidate)
            candidate += 1
        return np.array(sorted(found), dtype=np.uint32)


def read_shortlist(content: bytes) -> Shortlist:
    """Read the binary format.

    Raises:
        ModelFileError: it is no shortlist, is cut off, too long, or damaged.
    """
    if len(content) < HEADER_BYTES:
        raise ModelFileError(f"this is no shortlist: {len(content)} bytes")
    magic, stored, first, best, offset_count, count = struct.unpack_from("<6Q", content)
    if magic != MAGIC:
        raise ModelFileError(f"this is no binary shortlist: it begins with {magic:#x}")
    expected = HEADER_BYTES + 8 * offset_count + 4 * count
    if expected != len(content):
        raise ModelFileError(
            f"the shortlist is cut off or damaged: {expected:,} bytes are named, "
            f"{len(content):,} are there",
            requested=expected,
            allowed=len(content),
        )
    found = checksum(content)
    if found != stored:
        raise ModelFileError(
            f"the shortlist is damaged: its checksum is {found:#x}, not {stored:#x}"
        )
    offsets = np.frombuffer(content, "<u8", offset_count, HEADER_BYTES)
    targets = np.frombuffer(content, "<u4", count, HEADER_BYTES + 8 * offset_count)
    if offset_count < 1 or offsets[0] != 0 or int(offsets[-1]) != count:
        raise ModelFileError("the shortlist is damaged: its lists do not cover it")
    if np.any(offsets[1:] < offsets[:-1]):
        raise ModelFileError("the shortlist is damaged: a list ends before it begins")
    return Shortlist(first, best, offsets.astype(np.uint64), targets.astype(np.uint32))


def write_shortlist(shortlist: Shortlist) -> bytes:
    """The binary format."""
    body = struct.pack(
        "<4Q", shortlist.first, shortlist.best, len(shortlist.offsets), len(shortlist.targets)
    )
    body += shortlist.offsets.astype("<u8").tobytes() + shortlist.targets.astype("<u4").tobytes()
    content = struct.pack("<QQ", MAGIC, 0) + body
    return content[:8] + struct.pack("<Q", checksum(content)) + body


def checksum(content: bytes) -> int:
    """Of the whole 64-bit words after the first two; a half word at the end is not looked at."""
    words = np.frombuffer(content, "<u8", (len(content) - CHECKED_FROM) // 8, CHECKED_FROM)
    total = 0
    for word in words.tolist():
        total ^= (word + 0x9E3779B9 + (total << 6) + (total >> 2)) & WORD
    return total


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
    """The links of prepared data, each pair with the weight of its source; a shard at a time."""
    if isinstance(data, ShardedData):
        for number in range(len(data.folders)):
            yield from linked_pieces(data.shard(number))
        return
    first, second = (1, 0) if data.links_swapped else (0, 1)
    for index in range(len(data.source)):
        links = data.links.row(index).astype(np.int64).reshape(-1, 2)
        source = data.source.row(index).astype(np.int64)[links[:, first]]
        target = data.target.row(index).astype(np.int64)[links[:, second]]
        yield LinkedPieces(source, target, float(data.weights[data.source_of[index]]))


def build_shortlist(
    aligned: Iterable[LinkedPieces], vocabulary_size: int, first: int = FIRST, best: int = BEST
) -> Shortlist:
    """The targets that each source piece is linked to most often in aligned text.

    Args:
        first: ids below it are always chosen, whatever the source.
        best: at most so many a source piece; of equally frequent ones, the smaller ids.
    """
    keys: NDArray[np.int64] = np.zeros(0, np.int64)
    counts: NDArray[np.float64] = np.zeros(0)
    for chunk in _chunks(aligned, vocabulary_size):
        merged, places = np.unique(np.concatenate((keys, chunk[0])), return_inverse=True)
        weights = np.concatenate((counts, chunk[1]))
        counts = np.bincount(places, weights, minlength=len(merged)).astype(np.float64)
        keys = merged
    sources, targets = keys // vocabulary_size, keys % vocabulary_size
    by_count = np.lexsort((targets, -counts, sources))
    starts = np.searchsorted(sources, np.arange(vocabulary_size + 1))
    rank = np.arange(len(sources)) - starts[sources]
    kept = np.sort(keys[by_count][rank < best])
    offsets = np.searchsorted(kept // vocabulary_size, np.arange(vocabulary_size + 1))
    return Shortlist(
        first, best, offsets.astype(np.uint64), (kept % vocabulary_size).astype(np.uint32)
    )


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
