from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import CorpusError
from dragoman.models.data.batches import (
    NO_TAG,
    BatchPlan,
    Ragged,
    batch_indices,
    batches_of,
    make_batch,
)
from tests.support.workshop import made_data

lengths = st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=60)


@given(rows=st.lists(st.lists(st.integers(0, 65_535), max_size=9), max_size=20))
def test_ragged_rows_round_trip(rows: list[list[int]]) -> None:
    ragged = Ragged.of(rows, np.uint16)
    assert len(ragged) == len(rows)
    assert [ragged.row(n).tolist() for n in range(len(rows))] == rows
    assert ragged.lengths().tolist() == [len(row) for row in rows]


def test_an_id_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(OverflowError):
        Ragged.of([[65_536]], np.uint16)


@given(sizes=lengths, budget=st.integers(1, 200), epoch=st.integers(0, 3))
def test_batches_are_a_permutation_within_the_budget(
    sizes: list[tuple[int, int]], budget: int, epoch: int
) -> None:
    data = made_data([([5] * s, [6] * t, []) for s, t in sizes])
    batches = batch_indices(data, BatchPlan(1, budget), epoch, window=25)
    assert Counter(np.concatenate(batches).tolist()) == Counter(range(len(sizes)))
    for indices in batches:
        width = max(max(sizes[index]) + 1 for index in indices)
        assert len(indices) * width <= budget or len(indices) == 1
    again = batch_indices(data, BatchPlan(1, budget), epoch, window=25)
    assert [row.tolist() for row in batches] == [row.tolist() for row in again]


def test_batches_differ_by_seed_and_epoch() -> None:
    data = made_data([([5] * (n % 9 + 1), [6], []) for n in range(100)])
    seen = {
        tuple(np.concatenate(batch_indices(data, BatchPlan(seed, 60), epoch)).tolist())
        for seed in (1, 2)
        for epoch in (0, 1)
    }
    assert len(seen) == 4


def test_batches_hold_sentences_of_similar_length() -> None:
    data = made_data([([5] * (n % 30 + 1), [6] * (n % 30 + 1), []) for n in range(3_000)])
    padded = real = 0
    for indices in batch_indices(data, BatchPlan(1, 400), 0):
        batch = make_batch(data, indices)
        padded += batch.source.size
        real += int(batch.source_mask.sum())
    assert real / padded > 0.97


def test_weights_are_expected_copies() -> None:
    data = made_data([([5], [6], [])] * 3, weights=[2.0, 0.25, 0.0])
    counts = Counter(np.concatenate([data.epoch(1, n) for n in range(2_000)]).tolist())
    assert counts[0] == 4_000
    assert 420 <= counts[1] <= 580
    assert counts[2] == 0


def test_an_empty_epoch_is_an_error_and_no_endless_loop() -> None:
    data = made_data([([5], [6], [])], weights=[0.0])
    with pytest.raises(CorpusError, match="every weight is too small"):
        next(data.batches(BatchPlan(1, 100), 0, 0))


def test_a_batch_by_hand() -> None:
    data = made_data([([5, 6, 7], [8, 9], [(0, 1), (1, 1), (2, 0)]), ([4], [3], [])])
    batch = make_batch(data, np.array([0, 1]))
    assert batch.source.tolist() == [[5, 6, 7, 0], [4, 0, 0, 0]]
    assert batch.source_mask.tolist() == [[True] * 4, [True, True, False, False]]
    assert batch.target.tolist() == [[8, 9, 0], [3, 0, 0]]
    assert batch.target_mask.tolist() == [[True] * 3, [True, True, False]]
    assert batch.guide.tolist() == [
        [[0, 0, 1, 0], [0.5, 0.5, 0, 0], [0, 0, 0, 1]],  # EOS looks at EOS
        [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]],  # no link: no opinion
    ]


def test_a_tag_stands_before_the_source_and_its_links_move_on() -> None:
    data = made_data([([5, 6], [8, 9], [(0, 1), (1, 0)]), ([4], [3], [(0, 0)])])
    tagged = replace(data, tags=np.array([NO_TAG, 99]))
    batch = make_batch(tagged, np.array([0, 1]))
    assert batch.source.tolist() == [[5, 6, 0], [99, 4, 0]]
    assert batch.source_mask.tolist() == [[True] * 3, [True] * 3]
    assert batch.guide[1].tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_links_are_turned_round_with_the_direction() -> None:
    data = made_data([([5, 6], [8, 9, 10], [(2, 0), (1, 1)])], swapped=True)
    guide = make_batch(data, np.array([0])).guide[0]
    assert np.argwhere(guide).tolist() == [[1, 1], [2, 0], [3, 2]]  # (target, source)


def test_batches_go_on_from_any_place() -> None:
    data = made_data([([5] * (n % 7 + 1), [6] * (n % 5 + 1), []) for n in range(40)])
    whole = list(islice(data.batches(BatchPlan(1, 30), 0, 0), 40))
    assert {epoch for epoch, _, _ in whole} >= {0, 1, 2}
    for place in (0, 7, 20):
        epoch, position, _ = whole[place]
        rest = islice(data.batches(BatchPlan(1, 30), epoch, position), 10)
        for ours, theirs in zip(rest, whole[place + 1 : place + 11], strict=True):
            assert ours[:2] == theirs[:2]
            assert np.array_equal(ours[2].source, theirs[2].source)
            assert np.array_equal(ours[2].guide, theirs[2].guide)


@given(sizes=lengths, budget=st.integers(1, 200), width=st.integers(1, 12))
def test_a_bucket_is_the_home_of_its_lengths(
    sizes: list[tuple[int, int]], budget: int, width: int
) -> None:
    data = made_data([([5] * s, [6] * t, []) for s, t in sizes])
    plan = BatchPlan(1, budget, bucket_width=width)
    batches = batch_indices(data, plan, 0)
    assert Counter(np.concatenate(batches).tolist()) == Counter(range(len(sizes)))
    for indices in batches:
        # with EOS: 1 to width is the first bucket
        homes = {tuple(-(-(size + 1) // width) for size in sizes[index]) for index in indices}
        assert len(homes) == 1
        assert len(indices) * width * max(max(home) for home in homes) <= budget or (
            len(indices) == 1
        )


@pytest.mark.parametrize("width", [0, 4])
def test_a_batch_may_have_so_many_sentences(width: int) -> None:
    data = made_data([([5] * (n % 20 + 1), [6] * 3, []) for n in range(100)])
    batches = batch_indices(data, BatchPlan(1, 5, sentences=8, bucket_width=width), 0)
    assert Counter(np.concatenate(batches).tolist()) == Counter(range(100))
    assert max(map(len, batches)) == 8
    if not width:
        assert sorted(map(len, batches)) == [4, *[8] * 12]


def test_the_order_of_running_trainings_stays() -> None:
    """Literal: a checkpoint holds the position in this order, whatever version wrote it."""
    rows: list[Any] = [([5] * (n % 4 + 1), [6], []) for n in range(10)]
    data = made_data(rows, weights=[0.5] * 5 + [1] * 5)
    first = [row.tolist() for row in batch_indices(data, BatchPlan(1, 8), 0)]
    assert first == [[9, 6], [7], [0, 8], [1, 5], [3]]


def test_an_empty_part_is_passed_over() -> None:
    full = made_data([([5] * (n % 4 + 1), [6], []) for n in range(10)])
    empty = made_data([([5], [6], [])], weights=[0.0])
    alone = islice(batches_of(lambda _: [full], BatchPlan(1, 8), 0, 0), 9)
    both = islice(batches_of(lambda _: [empty, full, empty], BatchPlan(1, 8), 0, 0), 9)
    assert [place[:2] for place in alone] == [place[:2] for place in both]
