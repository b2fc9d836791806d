"""A teacher's greedy translations of many sentences, shard by shard.

    Task: sources --numbers in a fixed random order--> shards --greedy, longest first--> NAME.000

A shard is whole or not there, and a chance sample of its task, so that one can go on before all are
there. Sentences of no shard, and those whose search did not end, have an empty translation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from dragoman.errors import CorpusError
from dragoman.models.data.batches import EOS, Ragged
from dragoman.models.network.teacher import Teacher
from dragoman.models.packing.streams import bytes_as_rows, rows_as_bytes
from dragoman.native.files import write_durably

SENTENCES = 12_288  # at a time
ROOM = {"cuda": 1_100_000, "cpu": 20_000}  # places of sources and targets at a time
LONGEST, MORE = 1.6, 10  # most pieces of a target: so many a source piece, and so many more


@dataclass(frozen=True)
class Task:
    """Sentences to be translated towards one language.

    Attributes:
        numbers: those of `sources` that are asked for.
        tag: of the language.
    """

    name: str
    sources: Ragged
    numbers: NDArray[np.int64]
    tag: int

    def shards(self, size: int) -> list[NDArray[np.int64]]:
        order = np.random.default_rng(1).permutation(self.numbers)
        return [order[start : start + size] for start in range(0, len(order), size)]


def translate_shards(
    model: Teacher, task: Task, folder: Path, size: int, over: Callable[[], bool]
) -> tuple[int, int]:
    """Translate shards that are not there yet until time is over; how many are there, of all."""
    folder.mkdir(parents=True, exist_ok=True)
    shards = task.shards(size)
    for number, numbers in enumerate(shards):
        if _path(folder, task, number).exists():
            continue
        rows = translated(model, task.sources, numbers, task.tag, over)
        if rows is None:
            break
        write_durably(_path(folder, task, number), [rows_as_bytes(rows)])
    return sum(_path(folder, task, n).exists() for n in range(len(shards))), len(shards)


def translations(task: Task, folder: Path, size: int) -> Ragged:
    """What the shards that are there have; a row for each of the task's sources.

    Raises:
        CorpusError: a shard is damaged, or of another task.
    """
    there: list[tuple[NDArray[np.int64], Ragged]] = []
    for number, numbers in enumerate(task.shards(size)):
        path = _path(folder, task, number)
        if not path.exists():
            continue
        try:
            rows = bytes_as_rows(path.read_bytes())
        except (OSError, ValueError) as error:
            raise CorpusError(f"{path} cannot be read: {error}") from error
        if len(rows) != len(numbers):
            raise CorpusError(f"{path} has {len(rows):,} translations, not {len(numbers):,}")
        there.append((numbers, rows))
    return _spread(there, len(task.sources))


def _path(folder: Path, task: Task, number: int) -> Path:
    return folder / f"{task.name}.{number:03}"


def translated(
    model: Teacher,
    sources: Ragged,
    numbers: NDArray[np.int64],
    tag: int,
    over: Callable[[], bool] = lambda: False,
) -> Ragged | None:
    """A row a number, empty where the search did not end; None where time was over on the way."""
    device = model.embedding.device
    lengths = sources.lengths()[numbers]
    order = np.argsort(lengths, kind="stable")[::-1]
    made: list[tuple[NDArray[np.int64], Ragged]] = []
    room, start = ROOM[device.type], 0
    while start < len(order):
        if over():
            return None
        # Widths are multiples of 8, which kernels like; a tag before, an EOS after.
        width = -(-int(lengths[order[start]] + 2) // 8) * 8
        most = max(1, min(SENTENCES, room // int(width * (1 + LONGEST) + MORE)))
        chosen = order[start : start + most]
        ids = _sources(sources, numbers[chosen], tag, width)
        whole = torch.from_numpy(lengths[chosen] + 2).to(device)
        limits = (whole * LONGEST).long() + MORE
        try:
            found = model.greedy(torch.from_numpy(ids).to(device), whole, limits)
        except torch.OutOfMemoryError:
            if most == 1:
                raise
            room //= 2
            torch.cuda.empty_cache()
            continue
        start += len(chosen)
        counts = (found != EOS).sum(dim=1)
        counts = counts.where(counts < limits, 0)
        made.append((chosen, _ended(found.cpu().numpy(), counts.cpu().numpy())))
    return _spread(made, len(numbers))


def _sources(
    sources: Ragged, numbers: NDArray[np.int64], tag: int, width: int
) -> NDArray[np.int64]:
    """Tag, pieces, EOS, and EOS as padding [B, S]."""
    lengths = (sources.offsets[numbers + 1] - sources.offsets[numbers])[:, None]
    place = np.arange(width)[None]
    ids = np.full((len(numbers), width), EOS, dtype=np.int64)
    inside = (place > 0) & (place <= lengths)
    where = sources.offsets[numbers][:, None] + place - 1
    ids[inside] = sources.flat[where[inside]]
    ids[:, 0] = tag
    return ids


def _ended(found: NDArray[np.int64], counts: NDArray[np.int64]) -> Ragged:
    flat = found[np.arange(found.shape[1])[None] < counts[:, None]].astype(np.uint16)
    return Ragged(flat, np.concatenate(([0], np.cumsum(counts))))


def _spread(parts: list[tuple[NDArray[np.int64], Ragged]], count: int) -> Ragged:
    """Rows of several parts, each at its number, in one; the others are empty."""
    lengths = np.zeros(count, dtype=np.int64)
    for numbers, rows in parts:
        lengths[numbers] = rows.lengths()
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    flat = np.empty(int(offsets[-1]), dtype=np.uint16)
    for numbers, rows in parts:
        within = np.arange(len(rows.flat)) - np.repeat(rows.offsets[:-1], rows.lengths())
        flat[np.repeat(offsets[numbers], rows.lengths()) + within] = rows.flat
    return Ragged(flat, offsets)
