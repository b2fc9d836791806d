from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dragoman.errors import CorpusError
from dragoman.models.data.batches import BatchPlan
from dragoman.models.data.prepared import load_prepared
from dragoman.models.training.feed import Ahead, on_device, pinned


def test_a_thread_makes_the_same_batches(toy_prepared: Path) -> None:
    data, plan = load_prepared(toy_prepared, "en", "de"), BatchPlan(1, 200)
    ahead = Ahead(data.batches(plan, 0, 3), ahead=2)
    for one, other in zip(islice(ahead, 20), data.batches(plan, 0, 3), strict=False):
        assert one[:2] == other[:2]
        assert np.array_equal(one[2].source, other[2].source)
    ahead.close()
    assert not ahead._thread.is_alive()


def test_what_fails_in_the_thread_is_raised_here() -> None:
    def failing() -> Iterator[Any]:
        raise CorpusError("an epoch is empty")
        yield

    with pytest.raises(CorpusError, match="an epoch is empty"):
        next(Ahead(failing()))


def test_places_are_those_of_the_real_pieces(toy_prepared: Path) -> None:
    data = load_prepared(toy_prepared, "en", "de")
    _, _, batch = next(data.batches(BatchPlan(1, 200), 0, 0))
    made = on_device(batch, torch.device("cpu"))
    assert made.target.flatten()[made.places].tolist() == batch.target[batch.target_mask].tolist()


def test_packed_batches_are_tensors() -> None:
    batches = iter([np.arange(6, dtype=np.int16).reshape(6, 1, 1)])
    (made,) = pinned(batches, torch.device("cpu"))
    assert made.dtype == torch.int16
    assert made.flatten().tolist() == [0, 1, 2, 3, 4, 5]
