from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import torch
from torch import Tensor

from dragoman.errors import TrainingError
from dragoman.models.data.batches import EOS, Ragged
from dragoman.models.data.rows import Examples, Mix, Shape
from dragoman.models.network import teacher
from dragoman.models.network.packed import PackedTeacher, unpacked
from dragoman.models.network.teacher import Teacher, TeacherSizes
from dragoman.models.training.optimizers import make_stacked

SIZES = TeacherSizes(60, 32, 64, 2, 2)
UPDATES = 150


def _rows(seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(2, 60, n).tolist() for n in rng.integers(3, 9, 64)]


SOURCES, TARGETS = _rows(1), _rows(2)


@pytest.fixture(scope="module")
def learned() -> Teacher:
    """A teacher that knows 64 pairs by heart."""
    torch.manual_seed(1)
    model = Teacher(SIZES)
    packed = PackedTeacher(model, 64)
    optimizer = make_stacked(model, 1e-2, torch.float32, adam_share=0.5)
    sources, targets = (Ragged.of(rows, np.uint16) for rows in (SOURCES, TARGETS))
    mix = Mix([Examples.of(sources, targets, np.ones(64), np.array(SIZES.towards(1)))])
    for update, batch in enumerate(islice(mix.batches(Shape(8, 64), 1), UPDATES)):
        rows = unpacked(torch.from_numpy(batch), torch.float32)
        optimizer.zero_grad()
        (packed.loss(rows) / (rows.labels >= 0).sum()).backward()  # type: ignore[no-untyped-call]
        optimizer.set_rate(1e-2 * (1 - update / UPDATES))
        optimizer.step()
    return model.eval()


def _batch(rows: list[list[int]]) -> tuple[Tensor, Tensor]:
    lengths = torch.tensor([len(row) + 2 for row in rows])
    ids = torch.full((len(rows), int(lengths.max())), EOS, dtype=torch.long)
    for number, row in enumerate(rows):
        ids[number, : len(row) + 1] = torch.tensor([SIZES.towards(1), *row])
    return ids, lengths


def _found(model: Teacher, rows: list[list[int]], limit: int = 20) -> list[list[int]]:
    found = model.greedy(*_batch(rows), torch.full((len(rows),), limit))
    return [row[row != EOS].tolist() for row in found]


def test_what_it_learned_by_heart_it_says_again(learned: Teacher) -> None:
    assert _found(learned, SOURCES) == TARGETS


def test_companions_and_who_left_change_nothing(
    learned: Teacher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teacher, "FEW", 2)
    monkeypatch.setattr(teacher, "ASK_EVERY", 2)
    assert _found(learned, SOURCES) == TARGETS
    assert [_found(learned, [row])[0] for row in SOURCES[:5]] == TARGETS[:5]


def test_a_limit_cuts(learned: Teacher) -> None:
    assert [len(row) for row in _found(learned, SOURCES, limit=3)] == 64 * [3]


def test_tags_are_beyond_the_vocabulary_and_what_layers_add_is_zero_at_first() -> None:
    model = Teacher(TeacherSizes(126, 32, 64, 2, 1))
    assert (model.sizes.towards(0), model.sizes.towards(1), model.sizes.made) == (126, 127, 128)
    assert model.embedding.shape == (192, 32)
    x = torch.randn(1, 3, 32)
    for layer in model.encoder:
        assert torch.equal(layer(x, torch.zeros(1, 1, 1, 3)), x)


def test_sizes_that_cannot_be() -> None:
    with pytest.raises(TrainingError, match="a multiple of its heads"):
        TeacherSizes(dimension=30, heads=4)
    with pytest.raises(TrainingError, match="dimension is 2; the least is 4"):
        TeacherSizes(dimension=2, heads=1)
    with pytest.raises(TrainingError, match="at least 1"):
        TeacherSizes(layers=0)
