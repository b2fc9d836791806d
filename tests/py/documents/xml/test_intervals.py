from __future__ import annotations

import pytest

from dragoman.documents.xml.intervals import nested


@pytest.mark.parametrize(
    ("intervals", "result"),
    [
        ([], {}),
        ([(0, 1, 4), (2, 2, 3)], {0: (1, 4), 2: (2, 3)}),
        ([(0, 0, 3), (2, 2, 5)], {0: (0, 3)}),  # they cross
        ([(1, 1, 2), (0, 3, 5)], {0: (3, 5)}),  # a field in the instruction of a field
        ([(0, 0, 1), (3, 3, 4)], {0: (0, 1), 3: (3, 4)}),
    ],
)
def test_what_crosses_is_no_element(
    intervals: list[tuple[int, int, int]], result: dict[int, tuple[int, int]]
) -> None:
    assert nested(intervals) == result
