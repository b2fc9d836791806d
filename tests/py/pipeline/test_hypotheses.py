import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import EngineError
from dragoman.pipeline.hypotheses import (
    FailedRow,
    hypotheses,
    rows,
    steps_without_loops,
    without_loop,
)
from dragoman.service.batching import mini_batch
from dragoman.types import EngineOutput, Hypothesis
from tests.support.helpers import output, segment

NAN = math.nan


def test_rows_end_at_their_eos() -> None:
    batch = mini_batch([segment([5, 6, 7]), segment([8])])
    made = hypotheses(
        batch,
        output([[3, 4, 0], [9, 0, 8]], [[-0.5, -0.25, -0.125], [-1.0, -2.0, -4.0]]),
        attention=False,
    )
    assert [h.segment for h in made] == list(batch.segments)
    assert [h.ids for h in made] == [(3, 4), (9,)]
    assert [h.log_probabilities for h in made] == [(-0.5, -0.25, -0.125), (-1.0, -2.0)]
    assert [h.finished for h in made] == [True, True]
    assert [list(h.attention) for h in made] == [[], []]


def test_attention_is_cut_to_ids_and_pieces() -> None:
    batch = mini_batch([segment([5, 6]), segment([8])])
    made = hypotheses(
        batch,
        output(
            [[3, 4, 0], [9, 0, 0]],
            attention=[
                [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                [[0.75, 0.25, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
            ],
        ),
        attention=True,
    )
    assert list(made[0].attention) == [0.5, 0.25, 0.25, 0.0, 1.0, 0.0]  # [2, 3]
    assert list(made[1].attention) == [0.75, 0.25]  # [1, 2]


def test_a_limit_cuts_the_row() -> None:
    batch = mini_batch([segment([5], limit=2), segment([6])])
    made = hypotheses(batch, output([[3, 4, 9, 0], [3, 4, 9, 0]]), attention=False)
    assert made[0].ids == (3, 4)
    assert not made[0].finished
    assert made[0].log_probabilities == (0.0, 0.0)
    assert made[1].ids == (3, 4, 9)
    assert made[1].finished


def test_an_empty_translation() -> None:
    batch = mini_batch([segment([5])])
    (hypothesis,) = hypotheses(batch, output([[0]], [[-0.5]], [[[0.25, 0.75]]]), attention=True)
    assert (hypothesis.ids, hypothesis.log_probabilities, hypothesis.finished) == (
        (),
        (-0.5,),
        True,
    )
    assert list(hypothesis.attention) == []


def test_no_steps_at_all() -> None:
    batch = mini_batch([segment([5])])
    (hypothesis,) = hypotheses(batch, output([[]]), attention=True)
    assert (hypothesis.ids, hypothesis.finished) == ((), False)


def test_an_unfinished_loop_is_cut() -> None:
    batch = mini_batch([segment([5], limit=8)])
    (hypothesis,) = hypotheses(batch, output([[7, 1, 2, 1, 2, 1, 2, 1]]), attention=False)
    assert hypothesis.ids == (7, 1, 2)
    assert len(hypothesis.log_probabilities) == 3


def test_a_finished_repetition_is_said_once() -> None:
    batch = mini_batch([segment([5])])
    (hypothesis,) = hypotheses(batch, output([[1, 1, 1, 1, 0]]), attention=False)
    assert hypothesis.ids == (1,)


@pytest.mark.parametrize(
    ("given_output", "attention"),
    [
        (output([[3, 0]]), False),  # a row too few
        (output([[3, 0], [3, 0], [3, 0]]), False),
        (output([[3, 0], [3, 0]], [[0.0], [0.0]]), False),
        (output([[3, 0], [3, 0]]), True),  # asked for, not given
        (output([[3, 0], [3, 0]], attention=[[[1.0, 0.0]] * 2] * 2), False),  # not asked for
        (output([[3, 0], [3, 0]], attention=[[[1.0]] * 2] * 2), True),  # too narrow
        (replace(output([[3, 0], [3, 0]]), steps=-2), False),
        (output([[3, 0], [3, 0]], [[NAN, 0.0], [0.0, 0.0]]), False),
        (output([[3, 0], [3, 0]], [[0.0, 0.0], [0.0, math.inf]]), False),
        (output([[3, 0], [3, 0]], attention=[[[NAN, 1.0]] * 2] * 2), True),
        (output([[3, 0], [3, 0]], attention=[[[1.0, math.inf]] * 2] * 2), True),
    ],
)  # fmt: skip
def test_nonsense_is_an_engine_error(given_output: EngineOutput, attention: bool) -> None:
    batch = mini_batch([segment([5]), segment([6])])
    with pytest.raises(EngineError):
        hypotheses(batch, given_output, attention)


def test_what_follows_eos_means_nothing() -> None:
    batch = mini_batch([segment([5]), segment([6, 7])])
    given_output = output([[3, 0, 7], [3, 4, 0]], [[0.0, 0.0, NAN], [0.0, 0.0, 0.0]])
    assert [h.ids for h in hypotheses(batch, given_output, attention=False)] == [(3,), (3, 4)]


def test_an_impossible_piece_has_no_probability() -> None:
    """Minus infinity is a logarithm of a probability, if an odd one to choose."""
    batch = mini_batch([segment([5])])
    (hypothesis,) = hypotheses(batch, output([[3, 0]], [[-math.inf, 0.0]]), attention=False)
    assert hypothesis.log_probabilities == (-math.inf, 0.0)


@pytest.mark.parametrize(
    ("ids", "length"),
    [
        ([], 0),
        ([1], 1),
        ([1, 1], 2),
        ([1, 1, 1], 1),
        ([1, 2, 3], 3),
        ([7, 1, 2, 1, 2, 1, 2, 1], 3),
        ([1, 2, 1, 2, 3], 5),
        ([1, 1, 1, 2], 4),  # not at the end
        ([9] * 100, 1),
        ([*range(1, 25)] * 3, 24),
        ([*range(1, 26)] * 3, 75),  # longer than what is looked for
    ],
)
def test_without_loop(ids: list[int], length: int) -> None:
    assert without_loop(ids) == length


@given(st.lists(st.integers(1, 3), max_size=40))
def test_without_loop_keeps_one_turn(ids: list[int]) -> None:
    length = without_loop(ids)
    assert 0 <= length <= len(ids)
    assert (length == 0) == (not ids)
    cut = len(ids) - length
    # What was cut repeats what was kept.
    assert cut == 0 or any(
        all(ids[i] == ids[i - period] for i in range(length, len(ids)))
        for period in range(1, length + 1)
    )


def test_a_row_of_no_numbers_leaves_its_companions_theirs() -> None:
    batch = mini_batch([segment([5]), segment([6]), segment([7])])
    given_output = output([[3, 0], [4, 0], [5, 0]], [[0.0, 0.0], [NAN, 0.0], [-1.0, 0.0]])
    first, failed, last = rows(batch, given_output, attention=False)
    assert isinstance(failed, FailedRow)
    assert failed.segment is batch.segments[1]
    assert isinstance(first, Hypothesis)
    assert isinstance(last, Hypothesis)
    assert (first.ids, last.ids) == ((3,), (5,))
    with pytest.raises(EngineError, match="not numbers"):
        hypotheses(batch, given_output, attention=False)


@pytest.mark.parametrize(
    ("ids", "source", "kept"),
    [
        ([], [], []),
        ([1, 2, 3], [], [0, 1, 2]),
        ([7, 1, 1, 1, 2], [], [0, 1, 4]),
        ([1, 1, 2], [], [0, 1, 2]),  # "had had"
        ([1, 2, 1, 2, 3], [], [0, 1, 2, 3, 4]),  # "bit by bit by"
        ([1, 2, 1, 2, 1, 2, 3], [], [0, 1, 6]),
        ([1, 2, 3, 1, 2, 3], [], [0, 1, 2]),
        ([9, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2], [], [0, 1, 2, 3, 4, 9, 10]),
        # the source says it as often
        ([1, 1, 1], [5, 5, 5], [0, 1, 2]),
        ([1, 2, 3, 1, 2, 3], [5, 6, 7, 5, 6, 7], [0, 1, 2, 3, 4, 5]),
        ([1, 2, 3, 1, 2, 3], [8, 8, 8], [0, 1, 2, 3, 4, 5]),
        # two letters of a word
        ([1, 2, 3, 1, 2, 3], [8, 8], [0, 1, 2]),
        ([1, 1, 1, 1, 1], [5, 6, 5, 6], [0, 1]),
        # one after the other
        ([1, 1, 1, 2, 2, 2], [], [0, 3]),
    ],
)
def test_steps_without_loops(ids: list[int], source: list[int], kept: list[int]) -> None:
    assert steps_without_loops(ids, source) == kept


def test_what_was_known_of_a_loop_goes_with_it() -> None:
    batch = mini_batch([segment([5, 6])])
    rows_of_attention = [[float(n), 0.0, 0.0] for n in range(6)]
    (hypothesis,) = hypotheses(
        batch,
        output(
            [[3, 4, 4, 4, 5, 0]],
            [[-0.5, -1.0, -2.0, -4.0, -8.0, -16.0]],
            attention=[rows_of_attention],
        ),
        attention=True,
    )
    assert (hypothesis.ids, hypothesis.loop_cut, hypothesis.finished) == ((3, 4, 5), True, True)
    assert hypothesis.log_probabilities == (-0.5, -1.0, -8.0, -16.0)
    assert list(hypothesis.attention) == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 4.0, 0.0, 0.0]


@given(st.lists(st.integers(0, 3), max_size=40), st.lists(st.integers(0, 3), max_size=9))
def test_nothing_is_cut_twice(ids: list[int], source: list[int]) -> None:
    kept = steps_without_loops(ids, source)
    assert kept == sorted(set(kept))
    assert {ids[n] for n in kept} == set(ids)
