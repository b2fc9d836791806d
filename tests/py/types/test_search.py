"""What a search is told, and what a hypothesis is worth."""

from __future__ import annotations

import pytest

from dragoman.types import LengthReward


@pytest.mark.parametrize(
    ("source", "target", "reward"),
    [
        (120, 0, 0.0),
        (120, 72, 0.3),
        (120, 144, 0.6),
        (120, 400, 0.6),  # what is said beyond is worth nothing
        (240, 144, 0.3),
        (60, 72, 0.3),  # a short source leaves little out
        (60, 144, 0.3),
        (0, 10, 0.0),
    ],
)
def test_what_length_is_worth(source: int, target: int, reward: float) -> None:
    assert LengthReward(reward=0.6, ratio=1.2).of(source, target) == pytest.approx(reward)
