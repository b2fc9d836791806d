"""Pairs packed into rows of one length: batches of one shape, so that a compiler compiles once.

    source  [a a a a] [b b] [c c c] .      one row: sentences side by side, each with its EOS;
    target  [a a a] [b b b] [c c c c]      the same pairs on both sides, in the same order

A batch is int16 [6, R, L], planes of `Plane`: the pieces of each side, the place of each piece in
its sentence, and the number of the sentence in its row, from 1. What is left over has number 0,
place 0 and piece 0. A pair goes to the row with the least room that has enough of it (best fit),
so that 94 to 98 % of the places of the longer side are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from dragoman.errors import CorpusError
from dragoman.models.data.batches import NO_TAG, Ragged

MOST_PIECES = 1 << 15  # of a vocabulary with its tags: what int16 can number
MISSES = 64  # pairs that fit nowhere: then a batch is full


class Plane(IntEnum):
    """What the planes of a batch are."""

    SOURCE = 0
    SOURCE_PLACE = 1
    SOURCE_NUMBER = 2
    TARGET = 3
    TARGET_PLACE = 4
    TARGET_NUMBER = 5


@dataclass(frozen=True)
class Shape:
    """R rows of L places a side."""

    rows: int
    places: int = 128


@dataclass(frozen=True)
class Examples:
    """Pairs to learn from.

    Attributes:
        source, target: pieces without EOS; the same arrays may be in several examples.
        tags: int16 [N, 2], what stands before each source; `NO_TAG` for nothing.
        weights: copies of each pair in an epoch, on average.
    """

    source: Ragged
    target: Ragged
    tags: NDArray[np.int16]
    weights: NDArray[np.float32]

    @staticmethod
    def of(
        source: Ragged, target: Ragged, weights: NDArray[np.floating], *tags: NDArray[np.integer]
    ) -> Examples:
        """With up to two tags a pair, each an array [N] or one for all []."""
        columns = np.full((len(source), 2), NO_TAG, dtype=np.int16)
        for column, tag in enumerate(tags):
            _check_pieces(tag)
            columns[:, column] = tag
        return Examples(source, target, columns, np.asarray(weights, dtype=np.float32))


@dataclass(frozen=True)
class _Side:
    """Where each pair has its pieces in one array of all."""

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]


class Mix:
    """Examples of several kinds, drawn by their weights.

    Raises:
        CorpusError: the number of a piece is too large for a batch.
    """

    def __init__(self, parts: Sequence[Examples]) -> None:
        flats: dict[int, tuple[int, NDArray[np.generic]]] = {}
        total = 0
        for rows in (side for part in parts for side in (part.source, part.target)):
            if id(rows.flat) not in flats:
                flats[id(rows.flat)] = total, rows.flat
                total += len(rows.flat)
        self.pieces = np.empty(total, dtype=np.int16)
        for start, flat in flats.values():
            _check_pieces(flat)
            self.pieces[start : start + len(flat)] = flat

        def side(rows: Sequence[Ragged]) -> _Side:
            starts = [flats[id(one.flat)][0] + one.offsets[:-1] for one in rows]
            return _Side(np.concatenate(starts), np.concatenate([one.lengths() for one in rows]))

        self.source = side([part.source for part in parts])
        self.target = side([part.target for part in parts])
        self.tags = np.concatenate([part.tags for part in parts])
        self.weights = np.concatenate([part.weights for part in parts])

    def epoch(self, seed: int, epoch: int) -> NDArray[np.int64]:
        """Numbers of the pairs of one epoch in random order: each `weight` times on average."""
        rng = np.random.default_rng((seed, epoch))
        copies = np.floor(self.weights + rng.random(len(self.weights), dtype=np.float32))
        return rng.permutation(np.repeat(np.arange(len(copies)), copies.astype(np.int64)))

    def batches(self, shape: Shape, seed: int) -> Iterator[NDArray[np.int16]]:
        """Endless batches, a function of the seed alone; longer pairs than a row are left out.

        Raises:
            CorpusError: an epoch has no pair that fits into a row.
        """
        source = self.source.lengths + 1 + (self.tags != NO_TAG).sum(axis=1)
        target = self.target.lengths + 1
        fits = np.maximum(source, target) <= shape.places
        numbers = self._endless(seed, fits)
        source_lengths, target_lengths = source.tolist(), target.tolist()
        waiting: list[int] = []
        while True:
            placed, waiting = best_fit(waiting, numbers, source_lengths, target_lengths, shape)
            yield self._batch(placed, shape)

    def _endless(self, seed: int, fits: NDArray[np.bool_]) -> Iterator[int]:
        """Numbers of pairs, epoch by epoch; a batch may have pairs of two."""
        for epoch in count():
            order = self.epoch(seed, epoch)
            order = order[fits[order]]
            if not len(order):
                raise CorpusError("an epoch of this data is empty: no weight, or longer than a row")
            yield from order.tolist()

    def _batch(self, placed: Placed, shape: Shape) -> NDArray[np.int16]:
        numbers, rows = (np.array(column, dtype=np.int64) for column in zip(*placed, strict=True))
        order = np.argsort(rows, kind="stable")
        numbers, rows = numbers[order], rows[order]
        made = np.zeros((len(Plane), shape.rows * shape.places), dtype=np.int16)
        tags = self.tags[numbers]
        tagged = tags != NO_TAG
        ahead = tagged.sum(axis=1)
        starts = _fill(made[: Plane.TARGET], self.pieces, self.source, numbers, rows, ahead, shape)
        # The first of two tags stands at the start, the second one place later.
        made[Plane.SOURCE][(starts[:, None] + tagged.cumsum(axis=1) - 1)[tagged]] = tags[tagged]
        _fill(made[Plane.TARGET :], self.pieces, self.target, numbers, rows, 0 * ahead, shape)
        return made.reshape(len(Plane), shape.rows, shape.places)


def _check_pieces(numbers: NDArray[np.generic]) -> None:
    largest = int(numbers.max(initial=0))
    if largest >= MOST_PIECES:
        raise CorpusError(
            f"piece {largest:,} is too many for rows: a vocabulary has up to {MOST_PIECES:,} "
            "there, with its tags",
            requested=largest + 1,
            allowed=MOST_PIECES,
        )


Placed = Sequence[tuple[int, int]]  # number of a pair, its row


def best_fit(
    waiting: Sequence[int],
    numbers: Iterator[int],
    source: Sequence[int],
    target: Sequence[int],
    shape: Shape,
) -> tuple[list[tuple[int, int]], list[int]]:
    """Fill one batch: (pair, row) of those that are in it; pairs that wait for the next one.

    The room of a row is that of its fuller side. Rows stand in stacks by their room; bit n of
    `there` tells whether a row has room n, so that the least room that is enough is found at once.

    Args:
        waiting: pairs that come first, fewer than can be left over: the first of them finds room.
        numbers: pairs that follow, as many as are asked for.
        source, target: by pair, its length with tags and EOS; at most `shape.places`.
    """
    places = shape.places
    stacks: list[list[int]] = [[] for _ in range(places + 1)]
    stacks[places] = list(range(shape.rows))[::-1]
    there = 1 << places
    source_room, target_room = [places] * shape.rows, [places] * shape.rows
    placed: list[tuple[int, int]] = []
    left: list[int] = []
    for number in chain(waiting, numbers):
        s, t = source[number], target[number]
        wide = s if s > t else t
        enough = there >> wide
        if not enough:
            left.append(number)
            if len(left) == MISSES:
                break
            continue
        room = wide + (enough & -enough).bit_length() - 1
        stack = stacks[room]
        row = stack.pop()
        if not stack:
            there ^= 1 << room
        placed.append((number, row))
        source_room[row] -= s
        target_room[row] -= t
        room = min(source_room[row], target_room[row])
        stacks[room].append(row)
        there |= 1 << room
    return placed, left


def _fill(
    planes: NDArray[np.int16],
    flat: NDArray[np.int16],
    side: _Side,
    numbers: NDArray[np.int64],
    rows: NDArray[np.int64],
    ahead: NDArray[np.int64],
    shape: Shape,
) -> NDArray[np.int64]:
    """Write pieces, places and numbers of one side; where each sentence begins in all rows.

    Args:
        planes: [3, R L].
        rows: of each pair, sorted.
        ahead: places that each sentence keeps free before its pieces.
    """
    pieces, places, ordinals = planes
    lengths = side.lengths[numbers]
    whole = ahead + lengths + 1
    starts, ordinal = _side_by_side(rows, whole, shape.places)
    where, within = _runs(starts, whole)
    places[where] = within
    ordinals[where] = np.repeat(ordinal, whole)
    pieces[_runs(starts + ahead, lengths)[0]] = flat[_runs(side.starts[numbers], lengths)[0]]
    return starts


def _side_by_side(
    rows: NDArray[np.int64], lengths: NDArray[np.int64], places: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of sentences sorted by their row: where each begins in all rows, its number in its own."""
    ends = np.cumsum(lengths)
    new = np.diff(rows, prepend=-1) != 0
    of_row = np.cumsum(new) - 1
    firsts = np.flatnonzero(new)
    begun = (ends - lengths)[firsts][of_row]
    return rows * places + ends - lengths - begun, np.arange(len(rows)) - firsts[of_row] + 1


def _runs(
    starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """start, start + 1, ... of each run, one run after the other; and 0, 1, ... of each."""
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(starts, lengths) + within, within
