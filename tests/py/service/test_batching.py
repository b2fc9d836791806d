from array import array
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from dragoman.config import Limits
from dragoman.errors import QueueFullError
from dragoman.service.batching import SegmentQueue, mini_batch
from dragoman.types import GREEDY, PrefixStep, Priority, Search, prefix_rows
from tests.support.helpers import counted_calls, segment

INTERACTIVE, VISIBLE, NEAR, BACKGROUND = Priority

LIMITS = Limits(queued_sentences=50, batch_pieces=24, batch_rows=4)


def queue(widths: list[int], limits: Limits = LIMITS) -> SegmentQueue:
    """A queue of segments of these widths (EOS counted), a request each, numbered from 0."""
    made = SegmentQueue(limits)
    for request, width in enumerate(widths):
        made.add([segment(width - 1, request=request)], NEAR)
    return made


def taken(made: SegmentQueue) -> list[int]:
    return [row.request for row in made.take()]


def test_mini_batch_pads_with_eos() -> None:
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
def test_take(widths: list[int], first: list[int]) -> None:
    assert taken(queue(widths)) == first


def test_unlike_searches_do_not_go_together() -> None:
    made = SegmentQueue(LIMITS)
    beam = Search(4)
    for request, search in enumerate([GREEDY, beam, GREEDY, Search(4), Search(4, 4)]):
        made.add([replace(segment(2, request=request), search=search)], NEAR)
    assert [taken(made) for _ in range(3)] == [[0, 2], [1, 3], [4]]


def test_a_wide_beam_has_fewer_rows() -> None:
    made = SegmentQueue(LIMITS)
    for request in range(5):
        made.add([replace(segment(2, request=request), search=Search(8))], NEAR)
    assert taken(made) == [0, 1]
    assert len(taken(made)) == 2


def test_a_mini_batch_has_the_prefixes_of_its_rows() -> None:
    steps = (PrefixStep(5, (5, 9)), PrefixStep(7, (7,)))
    begun = replace(segment(2), prefix=steps)
    batch = mini_batch([segment(2), begun])
    assert batch.prefixes == array("i", [0, 2, 5, 2, 5, 9, 7, 1, 7])
    assert prefix_rows(batch.prefixes) == [(), steps]
    assert not batch.is_greedy
    assert mini_batch([segment(2)]).is_greedy
    assert mini_batch([segment(2)]).prefixes == array("i")


def test_take_from_an_empty_queue() -> None:
    with pytest.raises(IndexError):
        queue([]).take()


def test_the_rest_stays_in_order_of_arrival() -> None:
    made = queue([12, 3, 12, 3, 4])
    assert taken(made) == [0, 2]
    assert len(made) == 3
    assert taken(made) == [1, 3, 4]
    assert len(made) == 0


def test_requests_take_turns() -> None:
    """A short request does not wait behind all of a long one."""
    made = SegmentQueue(Limits(batch_rows=2))
    made.add([segment(2, request=1, index=index) for index in range(6)], NEAR)
    made.add([segment(2, request=2, index=0)], NEAR)
    assert [(row.request, row.index) for row in made.take()] == [(1, 0), (1, 1)]
    assert [(row.request, row.index) for row in made.take()] == [(2, 0), (1, 2)]
    assert [(row.request, row.index) for row in made.take()] == [(1, 3), (1, 4)]


# --- room ----------------------------------------------------------------------------------------


def test_full() -> None:
    made = queue([2] * 48)
    with pytest.raises(QueueFullError) as caught:
        made.add([segment(1, request=99, index=i) for i in range(3)], NEAR)
    assert (caught.value.requested, caught.value.allowed) == (51, 50)
    assert caught.value.counted == "sentences"
    assert len(made) == 48
    made.add([segment(1, request=99, index=i) for i in range(2)], NEAR)
    assert len(made) == 50


def test_full_of_characters() -> None:
    made = SegmentQueue(Limits(queued_characters=10))
    made.add([segment(8, request=1)], NEAR)
    assert made.characters == 8
    with pytest.raises(QueueFullError) as caught:
        made.add([segment(3, request=2)], NEAR)
    assert (caught.value.requested, caught.value.allowed) == (11, 10)
    assert caught.value.counted == "characters"
    assert caught.value.message == "too many characters wait: 11 requested, 10 allowed"


def test_each_priority_has_room_of_its_own() -> None:
    made = queue([2] * 50)
    made.add([segment(1, request=99)], INTERACTIVE)
    assert made.overflow([segment(1, request=100)], NEAR) is not None
    assert len(made) == 51


def test_an_empty_line_takes_any_number() -> None:
    made = SegmentQueue(Limits(queued_sentences=2, queued_characters=2))
    made.add([segment(4, request=1, index=index) for index in range(5)], NEAR)
    assert len(made) == 5


# --- priorities ----------------------------------------------------------------------------------


def add(made: SegmentQueue, priority: Priority, *requests: int, width: int = 3) -> None:
    for request in requests:
        made.add([segment(width - 1, request=request)], priority)


def test_the_urgent_go_first() -> None:
    made = SegmentQueue(Limits(batch_rows=1))
    add(made, BACKGROUND, 1)
    add(made, VISIBLE, 2)
    add(made, INTERACTIVE, 3)
    add(made, NEAR, 4)
    assert made.leads() is INTERACTIVE
    assert [taken(made) for _ in range(4)] == [[3], [2], [4], [1]]
    assert made.leads() is None


def test_a_lone_request_takes_nobody_along() -> None:
    made = SegmentQueue(Limits())
    add(made, BACKGROUND, *range(10, 40))
    add(made, INTERACTIVE, 1)
    assert taken(made) == [1]


def test_fillers_are_few_short_and_urgent_ones_first() -> None:
    """Eight rows take two along (25 %), no wider than themselves."""
    made = SegmentQueue(Limits())
    add(made, VISIBLE, *range(8), width=5)
    add(made, BACKGROUND, 20, width=3)
    add(made, NEAR, 30, width=6)
    add(made, NEAR, 31, 32, 33, width=5)
    assert taken(made) == [*range(8), 31, 32]


def test_no_filler_that_would_take_more_steps() -> None:
    made = SegmentQueue(Limits())
    made.add([segment(4, request=request, limit=10) for request in range(8)], VISIBLE)
    made.add([segment(4, request=20, limit=11), segment(4, request=21, limit=10)], NEAR)
    assert taken(made) == [*range(8), 21]


def test_who_leads_out_of_turn_takes_the_urgent_along() -> None:
    made = SegmentQueue(Limits(patience=2, batch_rows=4))
    add(made, BACKGROUND, 99, width=4)
    for request in range(0, 60, 6):
        add(made, VISIBLE, *range(request, request + 6))
    rows = [taken(made) for _ in range(3)]
    assert rows == [[0, 1, 2, 3], [4, 5, 6, 7], [99, 8, 9, 10]]


def test_prioritize() -> None:
    made = SegmentQueue(Limits(batch_rows=1))
    add(made, BACKGROUND, 1, 2)
    made.add([segment(2, request=3, index=index) for index in range(2)], BACKGROUND)
    made.prioritize(3, VISIBLE)
    made.prioritize(3, VISIBLE)
    made.prioritize(77, VISIBLE)
    assert [taken(made) for _ in range(4)] == [[3], [3], [1], [2]]
    assert (len(made), made.characters) == (0, 0)


def test_later_segments_join_those_that_wait() -> None:
    made = SegmentQueue(Limits(batch_rows=1))
    made.add([segment(2, request=1, index=0)], BACKGROUND)
    made.prioritize(1, INTERACTIVE)
    made.add([segment(2, request=1, index=1)], BACKGROUND)
    add(made, VISIBLE, 2)
    assert [taken(made) for _ in range(3)] == [[1], [1], [2]]


@given(st.lists(st.tuples(st.sampled_from(Priority), st.integers(2, 9)), max_size=40))
def test_whoever_comes_alone_waits_for_nothing_but_what_runs(
    arrivals: list[tuple[Priority, int]],
) -> None:
    """Between any two mini-batches of a page: a typed sentence leads the next one."""
    made = SegmentQueue(Limits(batch_rows=2))
    page = [a for a in arrivals if a[0] is not INTERACTIVE]
    for request, (priority, width) in enumerate(page):
        made.add([segment(width - 1, request=request)], priority)
    request = 1_000
    while len(made):
        taken(made)
        add(made, INTERACTIVE, request)
        assert taken(made)[0] == request
        request += 1


@given(st.data(), st.sampled_from(Priority))
def test_nothing_starves(data: DataObject, priority: Priority) -> None:
    """One segment waits while as many of the other priorities come as an adversary likes."""
    made = SegmentQueue(Limits(batch_rows=1, patience=3))
    add(made, priority, 0)
    others = [other for other in Priority if other is not priority]
    for request in range(1, 2 * 3 + len(Priority) + 2):
        for other in data.draw(st.lists(st.sampled_from(others), max_size=2)):
            add(made, other, request * 10 + other.level)
        if 0 in taken(made):
            return
    raise AssertionError("it starves")


# --- leaving -------------------------------------------------------------------------------------


def test_drop() -> None:
    made = SegmentQueue(LIMITS)
    made.add([segment(2, request=1, index=0), segment(2, request=1, index=1)], NEAR)
    made.add([segment(2, request=2, index=0)], NEAR)
    made.add([segment(2, request=1, index=2)], NEAR)
    assert made.drop(1) == 3
    assert made.drop(1) == 0
    assert made.drop(77) == 0
    assert len(made) == 1
    assert taken(made) == [2]


def test_drop_after_a_part_was_taken() -> None:
    made = SegmentQueue(LIMITS)
    made.add([segment(2, request=1, index=index) for index in range(6)], NEAR)
    assert [row.index for row in made.take()] == [0, 1, 2, 3]
    assert made.drop(1) == 2
    assert len(made) == 0


@given(
    st.lists(st.tuples(st.integers(2, 30), st.sampled_from(Priority)), min_size=1, max_size=40),
    st.integers(1, 100),
    st.integers(1, 8),
)
def test_a_permutation_within_the_limits(
    segments: list[tuple[int, Priority]], batch_pieces: int, batch_rows: int
) -> None:
    made = SegmentQueue(Limits(batch_pieces=batch_pieces, batch_rows=batch_rows))
    for request, (width, priority) in enumerate(segments):
        made.add([segment(width - 1, request=request)], priority)
    seen: list[int] = []
    while len(made):
        batch = mini_batch(made.take())
        assert batch.rows <= batch_rows
        assert batch.rows == 1 or batch.rows * batch.width <= batch_pieces
        assert batch.width == max(row.width for row in batch.segments)
        assert len(batch.ids) == batch.rows * batch.width
        seen += [row.request for row in batch.segments]
    assert sorted(seen) == list(range(len(segments)))


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "take", "drop", "prioritize"]),
        st.integers(0, 4),
        st.sampled_from(Priority),
    ),
    max_size=60,
)


@given(STEPS)
def test_every_segment_leaves_once(steps: list[Any]) -> None:
    made = SegmentQueue(Limits(batch_pieces=12, batch_rows=3))
    waiting: set[tuple[int, int]] = set()
    for number, (name, request, priority) in enumerate(steps):
        if name == "add":
            made.add([segment(number % 5 + 1, request=request, index=number)], priority)
            waiting.add((request, number))
        elif name == "take" and waiting:
            rows = [(row.request, row.index) for row in made.take()]
            assert len(rows) == len(set(rows))
            assert set(rows) <= waiting
            waiting -= set(rows)
        elif name == "drop":
            gone = {key for key in waiting if key[0] == request}
            assert made.drop(request) == len(gone)
            waiting -= gone
        elif name == "prioritize":
            made.prioritize(request, priority)
        assert len(made) == len(waiting)
        assert made.characters == sum(number % 5 + 1 for _, number in waiting)
        assert (made.leads() is None) == (not waiting)


def test_the_window_of_companions_moves_on() -> None:
    """Far more segments than a maxi-batch holds: all leave, like widths together."""
    made = queue([2 + index % 7 for index in range(3_000)], Limits())
    batches = []
    while len(made):
        batches.append(made.take())
    assert sum(map(len, batches)) == 3_000
    assert [len(batch) for batch in batches] == [64] * 45 + [60, 30, 16, 14]


def test_of_little_half_goes_at_a_time() -> None:
    """So that some is finished while the engine has the rest; a priority counts by itself."""
    made = queue([5] * 50, Limits())
    made.add([segment(4, request=99, index=number) for number in range(40)], BACKGROUND)
    batches = []
    while made.leads() is NEAR:
        batches.append(taken(made))
    assert [len(batch) - batch.count(99) for batch in batches] == [25, 16, 9]


def test_dropping_costs_so_much_a_request() -> None:
    """Dropping looks at its request only: no closing or cancelling in O(n * n)."""

    def dropping(number: int) -> int:
        made = queue([5] * number, Limits())
        with counted_calls() as calls:
            for dropped in range(0, number, 2):
                made.drop(dropped)
        assert len(made) == number // 2
        return calls.total()

    assert dropping(4_000) < 5 * dropping(1_000)
