"""Prepared data: encoded, aligned sentence pairs on disk, and the batches cut from them.

A folder holds ``meta.json``, ``vocabulary.spm`` and memory-mapped arrays:

- ``first.flat.npy`` / ``second.flat.npy``: uint16 piece ids of all sentences back to back, no EOS;
- ``first.offsets.npy`` / ``second.offsets.npy``: int64, one more than there are pairs;
- ``links.flat.npy``, ``links.offsets.npy``: uint8 pairs (index in first, index in second);
- ``sources.npy``: uint8 or uint16, the index of each pair's source in ``meta.json``.

Batches depend on the seed and the epoch alone: a resumed run sees what the killed one would have.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import CorpusError

Ids = NDArray[np.uint16]
Offsets = NDArray[np.int64]
EOS = 0


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

    def save(self, path: Path) -> None:
        np.save(path.with_suffix(".flat.npy"), self.flat)
        np.save(path.with_suffix(".offsets.npy"), self.offsets)

    @staticmethod
    def load(path: Path) -> Ragged:
        return Ragged(
            np.load(path.with_suffix(".flat.npy"), mmap_mode="r"),
            np.load(path.with_suffix(".offsets.npy")),
        )

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
    """What `prepare` wrote, read back for one direction of translation."""

    source: Ragged
    target: Ragged
    links: Ragged
    links_swapped: bool
    source_of: NDArray[np.integer]
    weights: NDArray[np.float64]
    vocabulary_size: int

    def fingerprint(self) -> dict[str, int | float]:
        """What tells prepared data from other prepared data, for a run that is resumed."""
        return {
            "pairs": len(self.source),
            "source pieces": len(self.source.flat),
            "target pieces": len(self.target.flat),
            "weight": float(self.weights[self.source_of].sum()),
        }

    def epoch(self, seed: int, epoch: int) -> NDArray[np.int64]:
        """Indices of one epoch in random order: each pair `weight` times on average."""
        rng = np.random.default_rng((seed, epoch))
        weight = self.weights[self.source_of]
        copies = np.floor(weight + rng.random(len(weight))).astype(np.int64)
        return rng.permutation(np.repeat(np.arange(len(weight)), copies))


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


def load_prepared(folder: Path, source_language: str, target_language: str) -> PreparedData:
    """Open prepared data in one of its two directions.

    Raises:
        CorpusError: the folder is not prepared data, or has not these languages.
    """
    meta = read_meta(folder)
    if sorted(meta["columns"]) != sorted((source_language, target_language)):
        raise CorpusError(f"{folder} holds {'-'.join(meta['columns'])}")
    swapped = meta["columns"][0] == target_language
    try:
        first, second, links = (Ragged.load(folder / name) for name in ("first", "second", "links"))
        source_of = np.load(folder / "sources.npy")
    except (OSError, ValueError, EOFError) as error:
        raise CorpusError(f"{folder}: {error}") from error
    if not len(first) == len(second) == len(links) == len(source_of) == meta["pairs"]:
        raise CorpusError(f"{folder}: its files are not of the same preparation")
    return PreparedData(
        source=second if swapped else first,
        target=first if swapped else second,
        links=links,
        links_swapped=swapped,
        source_of=source_of,
        weights=np.array([row["weight"] for row in meta["sources"]], dtype=np.float64),
        vocabulary_size=int(meta["vocabulary_size"]),
    )


def read_meta(folder: Path) -> dict[str, Any]:
    """``meta.json`` of prepared data.

    Raises:
        CorpusError: the folder is not prepared data.
    """
    needed = {"columns", "vocabulary_size", "pairs", "sources"}
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        missing = needed - meta.keys()
    except (OSError, ValueError, AttributeError) as error:
        raise CorpusError(f"{folder} is not prepared data: {error}") from error
    if missing:
        raise CorpusError(f"{folder}/meta.json lacks {', '.join(sorted(missing))}")
    return dict(meta)


def batch_indices(
    data: PreparedData, seed: int, epoch: int, budget: int, window: int = 40_000
) -> list[NDArray[np.int64]]:
    """The batches of an epoch: similar lengths together, at most `budget` padded pieces a side.

    Sentences are sorted within windows of the shuffled epoch, so that batches stay random in
    content; the order of the batches is random again. A pair that is longer than the budget is a
    batch of its own.

    Raises:
        CorpusError: the weights leave no pair.
    """
    order = data.epoch(seed, epoch)
    if not len(order):
        raise CorpusError("an epoch of this data is empty: every weight is too small")
    source, target = data.source.lengths() + 1, data.target.lengths() + 1
    batches: list[NDArray[np.int64]] = []
    for start in range(0, len(order), window):
        chunk = order[start : start + window]
        chunk = chunk[np.lexsort((target[chunk], source[chunk] + target[chunk]))]
        widest = np.maximum(source[chunk], target[chunk])
        first, width = 0, 0
        for index, length in enumerate(widest):
            width = max(width, int(length))
            if (index - first + 1) * width > budget and index > first:
                batches.append(chunk[first:index])
                first, width = index, int(length)
        batches.append(chunk[first:])
    rng = np.random.default_rng((seed, epoch, 1))
    return [batches[index] for index in rng.permutation(len(batches))]


def make_batch(data: PreparedData, indices: NDArray[np.int64]) -> Batch:
    source, source_mask = _padded([data.source.row(index) for index in indices])
    target, target_mask = _padded([data.target.row(index) for index in indices])
    guide = np.zeros((*target.shape, source.shape[1]), dtype=np.float32)
    for row, index in enumerate(indices):
        links = np.asarray(data.links.row(index)).reshape(-1, 2)
        s, t = (links[:, 1], links[:, 0]) if data.links_swapped else (links[:, 0], links[:, 1])
        guide[row, t, s] = 1.0
        # EOS aligns with EOS: the attention needs somewhere to go when the sentence is over.
        guide[row, len(data.target.row(index)), len(data.source.row(index))] = 1.0
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


def batches_from(
    data: PreparedData, seed: int, budget: int, epoch: int, position: int
) -> Iterator[tuple[int, int, Batch]]:
    """Endless (epoch, position after this batch, batch), starting at a position of an epoch."""
    while True:
        indices = batch_indices(data, seed, epoch, budget)
        for number in range(position, len(indices)):
            yield epoch, number + 1, make_batch(data, indices[number])
        epoch, position = epoch + 1, 0
