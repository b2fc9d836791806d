from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from dragoman.errors import TrainingError
from dragoman.models.data.batches import Ragged
from dragoman.models.data.rows import Examples, Mix, Shape
from dragoman.models.network.packed import PackedStudent, PackedTeacher, unpacked
from dragoman.models.network.student import Architecture, Student
from dragoman.models.network.teacher import Teacher, TeacherSizes
from tests.support.workshop import toy_student

PIECES = 340


def _mix(count: int = 30, tag: int = 5) -> Mix:
    rng = np.random.default_rng(3)
    first, second = (
        Ragged.of(
            [rng.integers(2, PIECES, n).tolist() for n in rng.integers(1, 9, count)], np.uint16
        )
        for _ in range(2)
    )
    return Mix([Examples.of(first, second, np.ones(count), np.array(tag))])


def _batch(tag: int = 5) -> Tensor:
    return torch.from_numpy(next(_mix(tag=tag).batches(Shape(4, 32), 1)))


def _sentences(batch: Tensor) -> list[tuple[Tensor, Tensor]]:
    """Source [1, S] and target [1, T] of each pair of a batch."""
    source, _, of_source, target, _, of_target = batch.long()
    return [
        (source[row][of_source[row] == number][None], target[row][of_target[row] == number][None])
        for row in range(len(source))
        for number in range(1, int(of_source[row].max()) + 1)
    ]


def test_masks_are_block_by_block() -> None:
    numbers = [[1, 1, 2, 0]]
    places = [[0, 1, 0, 0]]
    batch = torch.tensor([[[7, 0, 0, 0]], places, numbers, [[8, 0, 0, 0]], places, numbers])
    rows = unpacked(batch.to(torch.int16), torch.float32)
    same = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert (rows.source_mask[0, 0] == 0).long().tolist() == same
    assert (rows.mask[0, 0] == 0).long().tolist() == same
    assert (rows.target_mask[0, 0] == 0).long().tolist() == [
        [1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]
    ]  # fmt: skip
    assert rows.labels.tolist() == [[8, 0, 0, -100]]
    assert rows.previous.tolist() == [[0, 8, 0, 0]]


def test_the_packed_loss_of_a_student_is_the_padded_one_and_so_are_gradients() -> None:
    model, batch = toy_student(), _batch()
    sentences = _sentences(batch)
    assert len(sentences) > 12
    packed = PackedStudent(model, 32).loss(unpacked(batch, torch.float32))
    padded = torch.zeros(())
    for source, target in sentences:
        forced = model(source, torch.ones_like(source, dtype=torch.bool), target)
        padded = padded + functional.cross_entropy(
            model.logits(forced.output)[0], target[0], label_smoothing=0.1, reduction="sum"
        )
    assert packed.item() == pytest.approx(padded.item(), rel=1e-5)
    parameters = list(model.parameters())
    ours, theirs = (torch.autograd.grad(loss, parameters) for loss in (packed, padded))
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, rtol=1e-3, atol=1e-3)


def test_sentences_of_a_row_change_nothing_for_a_teacher() -> None:
    torch.manual_seed(2)
    sizes = TeacherSizes(PIECES, 32, 64, 4, 2)
    model = Teacher(sizes)
    for parameter in model.parameters():  # what a layer adds is zero at first
        torch.nn.init.normal_(parameter, std=0.2)
    packed, batch = PackedTeacher(model, 32), _batch(sizes.towards(1))
    whole = packed.loss(unpacked(batch, torch.float32))
    alone = 0.0
    for number in (1, 2, 3, 4, 5, 6):
        # Of each row one sentence, at the start of a row of its own.
        one = torch.zeros_like(batch)
        for row in range(batch.shape[1]):
            for side in (slice(0, 3), slice(3, 6)):
                chosen = batch[side, row][:, batch[side, row][2] == number]
                one[side, row, : chosen.shape[1]] = chosen
        alone += packed.loss(unpacked(one, torch.float32)).item()
    assert int(batch[2].max()) <= 6
    assert whole.item() == pytest.approx(alone, rel=1e-5)


def test_learning_lowers_the_loss_with_dropout_in_bfloat16() -> None:
    torch.manual_seed(2)
    sizes = TeacherSizes(PIECES, 32, 64, 4, 1)
    model = Teacher(sizes, torch.bfloat16, dropout=0.1)
    packed = PackedTeacher(model, 32)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for batch in islice(_mix(8).batches(Shape(4, 32), 1), 30):
        rows = unpacked(torch.from_numpy(batch), torch.bfloat16)
        loss = packed.loss(rows) / (rows.labels >= 0).sum()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]


def test_other_kinds_of_students_are_an_error() -> None:
    model = Student(Architecture(PIECES, 32, 64, 4, 1, 1, decoder="attention"))
    with pytest.raises(TrainingError, match="not transformer and attention"):
        PackedStudent(model, 32)
