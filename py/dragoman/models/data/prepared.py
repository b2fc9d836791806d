"""Prepared data on disk: what `prepare` writes and training reads.

A folder holds ``meta.json``, ``vocabulary.spm`` and shards: the folder itself if there is only one,
else the folders that ``meta.json`` names. A shard has memory-mapped arrays:

- ``first.flat.npy`` / ``second.flat.npy``: uint16 piece ids of all sentences back to back, no EOS;
- ``first.offsets.npy`` / ``second.offsets.npy``: int64, one more than there are pairs;
- ``links.flat.npy``, ``links.offsets.npy``: uint8 pairs (index in first, index in second);
- ``sources.npy``: uint8 or uint16, the index of each pair's source in ``meta.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import CorpusError
from dragoman.models.data.batches import NO_TAG, BatchPlan, Place, batches_of
from dragoman.models.data.batches import PreparedData as PreparedData
from dragoman.models.data.batches import Ragged as Ragged

PARTS = ("first", "second", "links")
# What wants links says so: of a pack they come back only if they were packed.
NO_LINKS = "these data have no links of words: take what `prepare` wrote, or `pack --links`"


@dataclass(frozen=True)
class ShardedData:
    """Several shards, of which one is in memory at a time; their order is another each epoch."""

    folders: tuple[Path, ...]
    pairs: tuple[int, ...]
    swapped: bool
    weights: NDArray[np.float64]
    tags: NDArray[np.int64]
    vocabulary_size: int

    def fingerprint(self) -> dict[str, int | float]:
        sums: dict[str, int | float] = {"shards": len(self.folders)}
        for number in range(len(self.folders)):
            for name, value in self.shard(number).fingerprint().items():
                sums[name] = sums.get(name, 0) + value
        return sums

    def shard(self, number: int) -> PreparedData:
        return load_shard(
            self.folders[number],
            self.pairs[number],
            self.swapped,
            self.weights,
            self.tags,
            self.vocabulary_size,
        )

    def batches(self, plan: BatchPlan, epoch: int, position: int) -> Iterator[Place]:
        def parts(epoch: int, /) -> Iterator[PreparedData]:
            rng = np.random.default_rng((plan.seed, epoch, 2))
            for number in rng.permutation(len(self.folders)).tolist():
                yield self.shard(number)

        return batches_of(parts, plan, epoch, position)


def open_prepared(
    folder: Path, source_language: str, target_language: str
) -> PreparedData | ShardedData:
    """Open prepared data, of one shard or of several, in one of its two directions.

    Raises:
        CorpusError: the folder is not prepared data, or has not these languages.
    """
    meta = read_meta_of(folder, source_language, target_language)
    swapped = meta["columns"][0] == target_language
    # What a model made is tagged as a source, and no target; but what was made as a target is
    # that alone.
    made = [row.get("synthetic") for row in meta["sources"]]
    backwards = [
        row.get("synthetic") == target_language or row.get("distilled") == source_language
        for row in meta["sources"]
    ]
    weights = np.array(
        [
            0.0 if left_out else row["weight"]
            for left_out, row in zip(backwards, meta["sources"], strict=True)
        ],
        dtype=np.float64,
    )
    if any(made) and not isinstance(meta.get("tag"), int):
        raise CorpusError(f"{folder}/meta.json names no tag for what a model made")
    tags = np.array([meta["tag"] if side == source_language else NO_TAG for side in made])
    size = int(meta["vocabulary_size"])
    shards = meta.get("shards")
    if not shards:
        whole = load_shard(folder, int(meta["pairs"]), swapped, weights, tags, size)
        return replace(whole, pack=int(str(meta.get("pack", "0"))[:12], 16))
    try:
        folders = tuple(folder / str(shard["folder"]) for shard in shards)
        pairs = tuple(int(shard["pairs"]) for shard in shards)
    except (KeyError, TypeError, ValueError) as error:
        raise CorpusError(f"{folder}/meta.json names its shards wrongly: {error!r}") from error
    return ShardedData(folders, pairs, swapped, weights, tags, size)


def load_prepared(folder: Path, source_language: str, target_language: str) -> PreparedData:
    """Prepared data of a single shard.

    Raises:
        CorpusError: as `open_prepared`, or there are several shards.
    """
    data = open_prepared(folder, source_language, target_language)
    if not isinstance(data, PreparedData):
        raise CorpusError(f"{folder} has several shards")
    return data


def load_shard(
    folder: Path,
    pairs: int,
    swapped: bool,
    weights: NDArray[np.float64],
    tags: NDArray[np.int64],
    vocabulary_size: int,
) -> PreparedData:
    """One shard; its arrays stay on disk until they are read.

    Raises:
        CorpusError: a file is missing or damaged, or they do not fit each other.
    """
    try:
        first, second, links = (load_ragged(folder / name) for name in PARTS)
        source_of = np.load(folder / "sources.npy")
    except (OSError, ValueError, EOFError) as error:
        raise CorpusError(f"{folder}: {error}") from error
    if not len(first) == len(second) == len(links) == len(source_of) == pairs:
        raise CorpusError(f"{folder}: its files are not of the same preparation")
    return PreparedData(
        source=second if swapped else first,
        target=first if swapped else second,
        links=links,
        links_swapped=swapped,
        source_of=source_of,
        weights=weights,
        tags=tags,
        vocabulary_size=vocabulary_size,
    )


def save_ragged(ragged: Ragged, path: Path) -> None:
    np.save(path.with_suffix(".flat.npy"), ragged.flat)
    np.save(path.with_suffix(".offsets.npy"), ragged.offsets)


def load_ragged(path: Path) -> Ragged:
    return Ragged(
        np.load(path.with_suffix(".flat.npy"), mmap_mode="r"),
        np.load(path.with_suffix(".offsets.npy")),
    )


def read_meta_of(folder: Path, source: str, target: str) -> dict[str, Any]:
    """``meta.json`` of prepared data, of two languages.

    Raises:
        CorpusError: the folder is not prepared data, or has not these languages.
    """
    meta = read_meta(folder)
    if sorted(meta["columns"]) != sorted((source, target)):
        raise CorpusError(f"{folder} holds {'-'.join(meta['columns'])}, not {source}-{target}")
    return meta


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
