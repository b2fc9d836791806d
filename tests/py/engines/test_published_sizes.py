"""Published models in their published sizes: 300 sentences as exact NumPy has them.

`make test-published` runs each shape in a process of its own, and goes on after those that passed.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq

import pytest

from tests.bench.published.kernel import Compared
from tests.bench.published.load import MADE, SHAPES

pytestmark = pytest.mark.slow

COUNT, NEEDED = 300, 297  # 99 %


@pytest.mark.parametrize("shape", SHAPES)
def test_300_sentences_are_what_numpy_says(
    shape: str, record_property: Callable[[str, object], None]
) -> None:
    compared = Compared(MADE[shape]())
    said, expected = compared.both(COUNT)
    same = sum(map(eq, said, expected))
    record_property("same", same)
    assert same >= NEEDED
    assert len(set(map(tuple, said))) > COUNT / 3  # the weights are alive: the source decides
