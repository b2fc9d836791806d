from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from dragoman.errors import CorpusError
from dragoman.models.data.batches import NO_TAG, Ragged
from dragoman.models.data.rows import MISSES, Examples, Mix, Plane, Shape, best_fit

SOURCES = [[11, 12, 13], [14], [15, 16]]
TARGETS = [[21, 22], [23, 24, 25, 26], [27]]


def _ragged(rows: list[list[int]]) -> Ragged:
    return Ragged.of(rows, np.uint16)


def test_a_pair_goes_where_the_least_room_is_enough() -> None:
    source, target = [6, 5, 4, 2], [3, 5, 2, 2]
    # Row 0 has 6 of 8 places; pair 1 needs 5: row 1; pair 2 needs 4: row 2, as 8 - 5 is 3; pair 3
    # needs 2: row 0 has just that.
    placed, waiting = best_fit([], iter([0, 1, 2, 3, 0]), source, target, Shape(3, 8))
    assert placed == [(0, 0), (1, 1), (2, 2), (3, 0)]
    assert waiting == [0]


def test_who_waits_comes_first_and_a_batch_ends_when_enough_wait() -> None:
    numbers = iter([0] * 200)
    placed, waiting = best_fit([1], numbers, [8, 5], [8, 5], Shape(2, 8))
    assert placed == [(1, 0), (0, 1)]
    assert waiting == [0] * MISSES
    assert len(list(numbers)) == 200 - 1 - MISSES


def test_a_vocabulary_that_rows_cannot_number_is_refused() -> None:
    large, small = _ragged([[40_000]]), _ragged([[5]])
    with pytest.raises(CorpusError, match=r"piece 40,000 is too many for rows: .* up to 32,768"):
        Mix([Examples.of(large, small, np.ones(1))])
    with pytest.raises(CorpusError, match="piece 32,768 is too many"):
        Examples.of(small, small, np.ones(1), np.array(32_768))
    Mix([Examples.of(_ragged([[32_766]]), small, np.ones(1), np.array(32_767), np.array(NO_TAG))])


def test_a_row_has_sentences_side_by_side() -> None:
    tags = np.array([99, NO_TAG, 99])
    examples = Examples.of(_ragged(SOURCES), _ragged(TARGETS), np.ones(3), np.array(90), tags)
    mix = Mix([examples])
    batch = mix._batch([(1, 0), (0, 1), (2, 1)], Shape(2, 12))
    assert batch.dtype == np.int16
    assert batch[Plane.SOURCE].tolist() == [
        [90, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [90, 99, 11, 12, 13, 0, 90, 99, 15, 16, 0, 0],
    ]
    assert batch[Plane.SOURCE_PLACE].tolist() == [
        [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 0],
    ]
    assert batch[Plane.SOURCE_NUMBER].tolist() == [
        [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 0],
    ]
    assert batch[Plane.TARGET].tolist() == [
        [23, 24, 25, 26, 0, 0, 0, 0, 0, 0, 0, 0],
        [21, 22, 0, 27, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert batch[Plane.TARGET_PLACE].tolist() == [
        [0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0],
        [0, 1, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert batch[Plane.TARGET_NUMBER].tolist() == [
        [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0],
    ]


def test_an_epoch_has_each_pair_by_its_weight() -> None:
    examples = Examples.of(_ragged(SOURCES), _ragged(TARGETS), np.array([2.0, 0.0, 1.5]))
    mix = Mix([examples, examples])
    counts = sum(np.bincount(mix.epoch(1, epoch), minlength=6) for epoch in range(200)) / 200
    assert np.allclose(counts, [2, 0, 1.5, 2, 0, 1.5], atol=0.15)
    assert len(mix.pieces) == 6 + 7  # arrays that several examples have are there once


def test_batches_are_a_function_of_the_seed_and_nearly_full() -> None:
    rng = np.random.default_rng(1)
    rows = [rng.integers(2, 300, n).tolist() for n in rng.integers(3, 40, 2_000)]
    mix, shape = Mix([Examples.of(_ragged(rows), _ragged(rows), np.ones(2_000))]), Shape(16, 128)
    batches = list(islice(mix.batches(shape, 7), 30))
    for one, other in zip(batches, mix.batches(shape, 7), strict=False):
        assert np.array_equal(one, other)
    assert not np.array_equal(batches[0], next(mix.batches(shape, 8)))
    assert np.mean([(batch[Plane.TARGET_NUMBER] > 0).mean() for batch in batches]) > 0.95
    assert {batch.shape for batch in batches} == {(6, 16, 128)}


def test_what_is_longer_than_a_row_is_left_out() -> None:
    rows = [[5] * 9, [6] * 3]
    mix = Mix([Examples.of(_ragged(rows), _ragged(rows), np.ones(2))])
    batch = next(mix.batches(Shape(2, 8), 1))
    assert set(batch[Plane.SOURCE].flatten().tolist()) == {0, 6}
    with pytest.raises(CorpusError, match="an epoch of this data is empty"):
        next(mix.batches(Shape(2, 3), 1))
