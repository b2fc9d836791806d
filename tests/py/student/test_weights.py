from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.student.weights import Int8Matrix, positions, quantize


def test_the_largest_value_is_127() -> None:
    values, scale = quantize(np.array([[-63.5, 0.7], [31.5, -0.2]], np.float32))
    assert (values.tolist(), scale) == ([[-127, 1], [63, 0]], 0.5)
    assert values.dtype == np.int8


def test_nothing_but_zeros() -> None:
    values, scale = quantize(np.zeros((2, 2), np.float32))
    assert (values.tolist(), scale) == ([[0, 0], [0, 0]], 1.0)


def test_denormal_weights_are_zeros_beside_a_scale_that_is_none() -> None:
    values, scale = quantize(np.array([[1e-45, -3e-44]], np.float32))
    assert (values.tolist(), scale) == ([[0, 0]], 2.0**-126)
    values, scale = quantize(np.array([[2.0**-120, -(2.0**-126)]], np.float32))
    assert (values.tolist(), scale) == ([[64, -1]], 2.0**-126)


@given(st.lists(st.integers(-9_999, 9_999), min_size=1, max_size=20))
def test_no_value_is_off_by_more_than_half_a_step(thousandths: list[int]) -> None:
    weight = np.array([[each / 1_000 for each in thousandths]], np.float32)
    values, scale = quantize(weight)
    assert values.min() >= -127
    restored = Int8Matrix(values, scale).floats()
    assert np.abs(restored - weight).max() <= scale * 0.501


def test_positions_are_sines_then_cosines() -> None:
    made = positions(3, 4)
    assert made[0].tolist() == [0, 0, 1, 1]
    assert made[2].tolist() == pytest.approx(
        [np.sin(2), np.sin(2e-4), np.cos(2), np.cos(2e-4)], abs=1e-6
    )
