import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.counterparts import SpanAttention, counterparts, in_order
from dragoman.types import Span


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([[0.9, 0.1], [0.1, 0.9]], {0: 0, 1: 1}),
        ([[0.1, 0.9], [0.9, 0.1]], {0: 1, 1: 0}),
        # order decides where the attention says nothing, or hardly anything
        ([[0.0, 0.0], [0.0, 0.0]], {0: 0, 1: 1}),
        ([[0.5, 0.5], [0.5, 0.5]], {0: 0, 1: 1}),
        ([[0.48, 0.5], [0.5, 0.46]], {0: 0, 1: 1}),
        # what looks at another one most does not take it from who looks at it alone
        ([[0.6, 0.7], [0.0, 0.9]], {0: 0, 1: 1}),
        # one dropped: the middle one, the first one; in order where nothing is known
        ([[0.9, 0.0, 0.1], [0.0, 0.1, 0.8]], {0: 0, 1: 2}),
        ([[0.1, 0.9, 0.0], [0.0, 0.1, 0.8]], {0: 1, 1: 2}),
        ([[0.0, 0.0, 0.8], [0.7, 0.0, 0.0]], {0: 2, 1: 0}),
        ([[0.0, 0.9]], {0: 1}),
        ([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], {0: 0, 1: 2}),
        # one doubled: the one that looks more
        ([[0.9, 0.0], [0.4, 0.1], [0.0, 0.8]], {0: 0, 2: 1}),
        ([[0.2, 0.0], [0.0, 0.9], [0.8, 0.0]], {1: 1, 2: 0}),
        ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], {0: 0, 1: 1}),
        # two of four change places, the others hardly look
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0.30, 0.31], [0, 0, 0.31, 0.30]],
         {0: 1, 1: 0, 2: 2, 3: 3}),
        ([], {}),
        ([[]], {}),
    ],
)  # fmt: skip
def test_counterparts(weights: list[list[float]], expected: dict[int, int]) -> None:
    assert counterparts(weights) == expected


def test_of_many_all_are_in_order_or_each_has_its_heaviest() -> None:
    rows = [
        [1.0 if source == (target + 3) % 7 else 0.0 for source in range(7)] for target in range(7)
    ]
    assert counterparts(rows) == {0: 3, 1: 4, 2: 5, 3: 6, 4: 0, 5: 1, 6: 2}
    assert counterparts([[0.5] * 8 for _ in range(7)]) == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 7}


@given(
    st.integers(1, 8).flatmap(
        lambda width: st.lists(
            st.lists(st.floats(0, 1, width=32), min_size=width, max_size=width), max_size=8
        )
    )
)
def test_one_to_one_and_as_many_as_the_smaller_side_has(weights: list[list[float]]) -> None:
    chosen = counterparts(weights)
    assert (
        len(chosen)
        == len(set(chosen.values()))
        == min(len(weights), len(weights[0]) if weights else 0)
    )


def test_in_order() -> None:
    assert in_order(2, 2) == {0: 0, 1: 1}
    assert in_order(3, 2) == {0: 0, 1: 1}
    assert in_order(2, 3) == {0: 0, 1: 2}
    assert in_order(1, 2) == {0: 0}


# Three target pieces; source pieces "ab", "c", an empty one of "c", " d", and EOS.
PIECES = (Span(0, 2), Span(2, 3), Span(3, 3), Span(3, 5))
MATRIX = [
    0.5, 0.125, 0.25, 0.125, 0.0,
    0.0, 0.25, 0.25, 0.0, 0.5,
    0.0, 0.0, 0.0, 1.0, 0.0,
]  # fmt: skip


def test_weights_are_the_mean_over_target_pieces_of_sums_over_source_pieces() -> None:
    attention = SpanAttention(MATRIX, PIECES)
    targets = (Span(0, 1), Span(1, 3), Span(4, 6))
    weights = attention.weights(targets, [Span(0, 3), Span(4, 6)], [Span(2, 3), Span(4, 5)])
    assert weights == [[0.4375, 0.0625], [0.0, 1.0]]
    assert attention.weights(targets, [Span(3, 4)], [Span(2, 3)]) == [[0.0]]  # no piece is there


def test_weights_of_places_in_another_text() -> None:
    attention = SpanAttention(MATRIX, PIECES, moved=(0, 2, 3, 4, 5))
    targets = (Span(0, 1), Span(1, 3), Span(4, 6))
    assert attention.weights(targets, [Span(0, 1)], [Span(1, 2), Span(3, 4)]) == [[0.375, 0.125]]
