import dataclasses
import inspect
from typing import Any

import pytest

from dragoman import types
from dragoman.types import Span
from tests.support.helpers import segment


@pytest.mark.parametrize(
    ("one", "other", "overlaps"),
    [
        ((0, 2), (1, 3), True),
        ((0, 2), (2, 3), False),
        ((0, 5), (1, 2), True),
        ((0, 1), (0, 1), True),
        ((2, 3), (0, 1), False),
    ],
)
def test_overlaps(one: tuple[int, int], other: tuple[int, int], overlaps: bool) -> None:
    assert Span(*one).overlaps(Span(*other)) is overlaps
    assert Span(*other).overlaps(Span(*one)) is overlaps


def test_span() -> None:
    assert len(Span(2, 5)) == 3
    assert Span(2, 5).of("abcdefg") == "cde"
    assert Span(2, 5).shifted(3) == Span(5, 8)
    assert sorted([Span(2, 3), Span(0, 9), Span(0, 1)]) == [Span(0, 1), Span(0, 9), Span(2, 3)]


def test_width_counts_eos() -> None:
    assert segment([7, 8, 9]).width == 4


def test_every_value_is_frozen_and_slotted() -> None:
    values: list[Any] = [
        value
        for _, value in inspect.getmembers(types, dataclasses.is_dataclass)
        if value.__module__.startswith(types.__name__)
    ]
    assert len(values) > 10
    for value in values:
        assert value.__dataclass_params__.frozen, value
        assert hasattr(value, "__slots__"), value
