from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import torch

from dragoman.errors import TrainingError
from dragoman.models.network.student import Architecture, Student
from dragoman.models.training.optimizers import make_optimizers, make_stacked
from dragoman.models.training.settings import OptimizerKind, TrainSettings

SIZES = Architecture(40, 8, 16, 2, 1, 1)


def _shapes(optimizer: torch.optim.Optimizer) -> list[tuple[int, ...]]:
    return [tuple(p.shape) for group in optimizer.param_groups for p in group["params"]]


def test_adam_has_all_parameters() -> None:
    model = Student(SIZES)
    (adam,) = make_optimizers(model, OptimizerKind.ADAM, 1e-3).parts
    assert len(_shapes(adam)) == len(list(model.parameters()))


def test_muon_has_the_matrices_inside_and_adam_the_rest() -> None:
    model = Student(SIZES)
    muon, adam = make_optimizers(model, OptimizerKind.MUON, 1e-3).parts
    # Encoder: 4 of attention, 2 of feed-forward; decoder: 2 of the recurrence, 4, 2.
    assert len(_shapes(muon)) == 14
    assert set(_shapes(muon)) == {(8, 8), (8, 16), (16, 8)}
    assert (40, 8) in _shapes(adam)  # the embedding
    assert len(_shapes(muon)) + len(_shapes(adam)) == len(list(model.parameters()))


def test_a_step_changes_all_and_the_state_goes_on() -> None:
    torch.manual_seed(1)
    source, target = torch.randint(2, 40, (3, 5)), torch.randint(2, 40, (3, 6))

    def step(model: Student, optimizers: Any) -> None:
        optimizers.zero_grad()
        forced = model(source, torch.ones(3, 5, dtype=torch.bool), target)
        (model.logits(forced.output).logsumexp(-1).sum() + forced.guided[:, :, 0].sum()).backward()
        optimizers.step()

    first = Student(SIZES)
    ours = make_optimizers(first, OptimizerKind.MUON, 1e-2)
    before = {name: value.clone() for name, value in first.state_dict().items()}
    step(first, ours)
    assert all(not torch.equal(before[n], v) for n, v in first.state_dict().items() if v.ndim == 2)
    second = Student(SIZES)
    second.load_state_dict(first.state_dict())
    theirs = make_optimizers(second, OptimizerKind.MUON, 1e-2)
    theirs.load(deepcopy(ours.state()))  # as from a file
    step(first, ours)
    step(second, theirs)
    for name, value in first.state_dict().items():
        assert torch.equal(value, second.state_dict()[name])


@pytest.mark.parametrize("before", [False, True])
def test_muon_goes_on_on_a_machine_with_bfloat16_or_without(before: bool) -> None:
    model = Student(SIZES)
    first, second = (
        make_optimizers(model, OptimizerKind.MUON, 1e-2, bfloat16=there)
        for there in (before, not before)
    )
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    first.step()
    second.load(deepcopy(first.state()))
    kept = {name: value.clone() for name, value in model.state_dict().items()}
    second.set_rate(1e-2)
    second.step()
    assert all(not torch.equal(kept[name], value) for name, value in model.state_dict().items())


def test_the_rate_is_that_of_all_parts() -> None:
    optimizers = make_optimizers(Student(SIZES), OptimizerKind.MUON, 1e-3)
    optimizers.set_rate(0.25)
    assert [group["lr"] for part in optimizers.parts for group in part.param_groups] == [0.25] * 2


def test_stacks_of_the_matrices_inside_and_adam_with_a_share_of_the_rate() -> None:
    optimizers = make_stacked(Student(SIZES), 1e-3, torch.float32, decay=0.1, adam_share=0.5)
    stacked, adam = optimizers.parts
    assert [len(group["params"]) for group in stacked.param_groups] == [10, 2, 2]
    assert (40, 8) in _shapes(adam)
    optimizers.set_rate(0.25)
    assert {group["lr"] for group in stacked.param_groups} == {0.25}
    assert {group["lr"] for group in adam.param_groups} == {0.125}


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(TrainingError, match="'sgd' is no optimizer; known: adam, muon"):
        TrainSettings(optimizer="sgd")
