import time
from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.batching import SegmentQueue, mini_batch
from dragoman.config import Limits
from dragoman.errors import QueueFullError
from helpers import segment

LIMITS = Limits(queued_sentences=50, batch_pieces=24, batch_rows=4)


def queue(widths: list[int], limits: Limits = LIMITS) -> SegmentQueue:
    """A queue of segments of these widths (EOS counted), a request each, numbered from 0."""
    made = SegmentQueue(limits)
    for request, width in enumerate(widths):
        made.add([segment(width - 1, request=request)])
    return made


def taken(made: SegmentQueue) -> list[int]:
    return [row.request for row in made.take().segments]


def test_mini_batch_pads_with_eos():
    batch = mini_batch([segment([5, 6, 7], limit=18), segment([8], limit=14)])
    assert batch.rows == 2
    assert batch.width == 4
    assert batch.ids == array("i", [5, 6, 7, 0, 8, 0, 0, 0])
    assert batch.lengths == array("i", [4, 2])
    assert batch.limits == array("i", [18, 14])


@pytest.mark.parametrize(
    ("widths", "first"),
    [
        ([3], [0]),
        ([3, 3, 3], [0, 1, 2]),
        ([3, 3, 3, 3, 3], [0, 1, 2, 3]),  # four rows at most
        ([6, 2, 9, 6, 5], [1, 4, 0, 3]),  # like widths together; 4 rows of 6
        ([12, 2, 12, 2], [0, 2]),  # 2 rows of 12, and full
        ([30, 2], [0]),  # over the limit by itself: alone
        ([2, 30], [0]),
    ],
)
def test_take(widths, first):
    assert taken(queue(widths)) == first


def test_take_from_an_empty_queue():
    with pytest.raises(IndexError):
        queue([]).take()


def test_the_rest_stays_in_order_of_arrival():
    made = queue([12, 3, 12, 3, 4])
    assert taken(made) == [0, 2]
    assert len(made) == 3
    assert taken(made) == [1, 3, 4]
    assert len(made) == 0


def test_full():
    made = queue([2] * 48)
    with pytest.raises(QueueFullError) as caught:
        made.add([segment(1, request=99, index=i) for i in range(3)])
    assert (caught.value.requested, caught.value.allowed) == (51, 50)
    assert len(made) == 48
    made.add([segment(1, request=99, index=i) for i in range(2)])
    assert len(made) == 50


def test_drop():
    made = SegmentQueue(LIMITS)
    made.add([segment(2, request=1, index=0), segment(2, request=1, index=1)])
    made.add([segment(2, request=2, index=0)])
    made.add([segment(2, request=1, index=2)])
    assert made.drop(1) == 3
    assert made.drop(1) == 0
    assert made.drop(77) == 0
    assert len(made) == 1
    assert taken(made) == [2]


def test_drop_after_a_part_was_taken():
    made = SegmentQueue(LIMITS)
    made.add([segment(2, request=1, index=index) for index in range(6)])
    assert [row.index for row in made.take().segments] == [0, 1, 2, 3]
    assert made.drop(1) == 2
    assert len(made) == 0


@given(
    st.lists(st.integers(2, 30), min_size=1, max_size=40),
    st.integers(1, 100),
    st.integers(1, 8),
)
def test_a_permutation_within_the_limits(widths, batch_pieces, batch_rows):
    limits = Limits(batch_pieces=batch_pieces, batch_rows=batch_rows)
    made = queue(widths, limits)
    seen: list[int] = []
    while len(made):
        oldest = min(set(range(len(widths))) - set(seen))
        batch = made.take()
        requests = [row.request for row in batch.segments]
        assert oldest in requests
        assert batch.rows <= batch_rows
        assert batch.rows == 1 or batch.rows * batch.width <= batch_pieces
        assert batch.width == max(row.width for row in batch.segments)
        assert len(batch.ids) == batch.rows * batch.width
        seen += requests
    assert sorted(seen) == list(range(len(widths)))


@given(st.lists(st.one_of(st.integers(0, 4), st.none()), max_size=60))
def test_every_segment_leaves_once(steps):
    """Steps: None takes, an even number drops that request, an odd one adds to it."""
    made = SegmentQueue(Limits(batch_pieces=12, batch_rows=3))
    waiting: list[tuple[int, int]] = []
    for number, step in enumerate(steps):
        if step is None:
            if waiting:
                rows = [(row.request, row.index) for row in made.take().segments]
                assert waiting[0] in rows
                assert set(rows) <= set(waiting)
                waiting = [key for key in waiting if key not in rows]
        elif step % 2:
            made.add([segment(number % 5 + 1, request=step - 1, index=number)])
            waiting.append((step - 1, number))
        else:
            gone = [key for key in waiting if key[0] == step]
            assert made.drop(step) == len(gone)
            waiting = [key for key in waiting if key not in gone]
        assert len(made) == len(waiting)


def test_the_window_of_companions_moves_on():
    """Far more segments than a maxi-batch holds: all leave, like widths together."""
    made = queue([2 + index % 7 for index in range(3_000)], Limits())
    batches = []
    while len(made):
        batches.append(made.take())
    assert sum(batch.rows for batch in batches) == 3_000
    assert all(batch.rows == 64 for batch, _ in pairwise(batches))


def test_ten_thousand_drops_are_fast():
    """Dropping looks at the segments of its request only: no closing or cancelling in O(n * n)."""
    made = queue([5] * 20_000, Limits())
    start = time.perf_counter()
    for number in range(0, 20_000, 2):
        made.drop(number)
    assert time.perf_counter() - start < 1.0
    assert len(made) == 10_000
