"""A teacher's translations of prepared data, shard by shard, and the student's data made of them.

    prepared --numbers in a fixed random order--> shards of `SHARD` --beam search--> 00000.npz ...
    prepared + shards --> prepared data whose targets the teacher made

A shard is whole or not there; a shard is a chance sample of the data, so that a student can begin
before all are there. Pairs keep their own target where the teacher's did not end, where a
program made the pair (`augmented`), and where its shard is missing.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from dragoman.errors import CorpusError
from dragoman.models.data.batches import EOS, PreparedData, Ragged
from dragoman.models.data.prepared import load_prepared, read_meta
from dragoman.models.network.beam_search import beam_search
from dragoman.models.network.student import Student
from dragoman.models.packing.choice import Pairs
from dragoman.models.packing.pack import VOCABULARY, write_prepared
from dragoman.models.packing.streams import no_links
from dragoman.native.files import write_durably

MADE_UP = "augmented"


@dataclass(frozen=True)
class Translating:
    """How a teacher translates.

    Attributes:
        shard: pairs of one file.
        beam: hypotheses of a sentence.
        pieces: padded source pieces of a batch, times the beam.
    """

    shard: int = 20_000
    beam: int = 4
    pieces: int = 60_000


def shards_of(data: PreparedData, names: list[str], how: Translating) -> list[NDArray[np.int64]]:
    """Numbers of the pairs of each shard: what trains towards the target and people wrote."""
    made_up = np.array([name == MADE_UP for name in names])
    wanted = np.flatnonzero((data.weights > 0)[data.source_of] & ~made_up[data.source_of])
    order = np.random.default_rng(1).permutation(wanted)
    return [order[start : start + how.shard] for start in range(0, len(order), how.shard)]


def translate_shards(
    model: Student,
    data: PreparedData,
    names: list[str],
    folder: Path,
    how: Translating,
    over: Callable[[], bool],
) -> tuple[int, int]:
    """Translate shards that are not there yet until time is over; how many are there, of all."""
    folder.mkdir(parents=True, exist_ok=True)
    shards = shards_of(data, names, how)
    for number, numbers in enumerate(shards):
        if _shard(folder, number).exists():
            continue
        if over():
            break
        rows = _translated(model, data, numbers, how, over)
        if rows is None:
            break
        stream = io.BytesIO()
        made = Ragged.of(rows, np.uint16)
        np.savez_compressed(stream, numbers=numbers, flat=made.flat, lengths=made.lengths())
        write_durably(_shard(folder, number), [stream.getvalue()])
    return sum(_shard(folder, number).exists() for number in range(len(shards))), len(shards)


def _shard(folder: Path, number: int) -> Path:
    return folder / f"{number:05}.npz"


def _translated(
    model: Student,
    data: PreparedData,
    numbers: NDArray[np.int64],
    how: Translating,
    over: Callable[[], bool],
) -> list[list[int]] | None:
    """A row a pair, empty where the search did not end; None where time was over on the way."""
    device = model.embedding.device
    sources = [[*data.tag(n), *data.source.row(n).tolist(), EOS] for n in numbers.tolist()]
    order = sorted(range(len(sources)), key=lambda index: -len(sources[index]))
    rows: list[list[int]] = [[] for _ in sources]
    start = 0
    while start < len(order):
        if over():
            return None
        width = len(sources[order[start]])
        chosen = order[start : start + max(1, how.pieces // (width * how.beam))]
        start += len(chosen)
        ids = torch.full((len(chosen), width), EOS, dtype=torch.long)
        lengths = torch.tensor([len(sources[index]) for index in chosen])
        for row, index in enumerate(chosen):
            ids[row, : lengths[row]] = torch.tensor(sources[index])
        mask = torch.arange(width)[None] < lengths[:, None]
        # Places of a link and of a piece are stored in a byte.
        limits = (2 * lengths + 8).clamp(max=255).to(device)
        hypotheses = beam_search(model, ids.to(device), mask.to(device), how.beam, limits)
        for index, best in zip(chosen, hypotheses, strict=True):
            rows[index] = best or []
    return rows


def taught_data(
    prepared: Path, source: str, target: str, translations: Path, folder: Path
) -> tuple[int, int]:
    """Write prepared data of one direction whose targets are the teacher's, as far as there are.

    Returns:
        How many pairs have a target of the teacher's, and how many pairs there are.
    """
    meta = read_meta(prepared)
    data = load_prepared(prepared, source, target)
    targets = [data.target.row(number).tolist() for number in range(len(data.target))]
    taught = 0
    for path in sorted(translations.glob("*.npz")):
        try:
            with np.load(path) as shard:
                ends = np.cumsum(shard["lengths"])
                rows = np.split(shard["flat"], ends[:-1])
                numbers = shard["numbers"].tolist()
        except (OSError, ValueError, KeyError) as error:
            raise CorpusError(f"{path} cannot be read: {error}") from error
        for number, row in zip(numbers, rows, strict=True):
            if len(row):
                targets[number] = row.tolist()
                taught += 1
    made = Ragged.of(targets, np.uint16)
    first, second = (made, data.source) if data.links_swapped else (data.source, made)
    pairs = Pairs(first, second, no_links(len(made)), data.source_of.astype(np.int64))
    write_prepared(folder, pairs, {**meta, "taught": taught}, (prepared / VOCABULARY).read_bytes())
    return taught, len(made)
