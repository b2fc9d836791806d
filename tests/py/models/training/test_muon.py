from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn

from dragoman.models.training.muon import Muon32, StackedMuon, orthogonalized, orthogonalized_stack


@pytest.mark.parametrize("shape", [(6, 20), (20, 6), (8, 8)])
def test_singular_values_become_about_one_and_directions_stay(shape: tuple[int, int]) -> None:
    torch.manual_seed(3)
    u, _, v = torch.linalg.svd(torch.randn(shape), full_matrices=False)
    matrix = u @ torch.diag(torch.linspace(1.0, 2.0, min(shape))) @ v
    values = torch.diagonal(u.T @ orthogonalized(matrix) @ v.T)
    assert values.min() > 0.65
    assert values.max() < 1.25
    assert torch.allclose(u.T @ orthogonalized(matrix) @ v.T, torch.diag(values), atol=1e-5)


def test_steps_are_those_of_pytorchs_own_but_for_its_rounding() -> None:
    torch.manual_seed(4)
    ours = [nn.Parameter(torch.randn(12, 40)), nn.Parameter(torch.randn(40, 12))]
    theirs = deepcopy(ours)
    optimizers = (
        Muon32(ours, 0.1),
        torch.optim.Muon(theirs, lr=0.1, weight_decay=0.0, adjust_lr_fn="match_rms_adamw"),
    )
    for _ in range(3):
        for one, other in zip(ours, theirs, strict=True):
            one.grad = torch.randn_like(one)
            other.grad = one.grad.clone()
        for optimizer in optimizers:
            optimizer.step()
    for one, other in zip(ours, theirs, strict=True):
        # bfloat16 has eight bits; the three steps together are of size 0.1.
        assert (one - other).abs().max() < 0.01


def test_the_state_goes_on() -> None:
    torch.manual_seed(5)
    matrix = nn.Parameter(torch.randn(4, 8))
    first = Muon32([matrix], 0.1)
    matrix.grad = torch.randn(4, 8)
    first.step()
    copy = nn.Parameter(matrix.detach().clone())
    second = Muon32([copy], 0.1)
    second.load_state_dict(deepcopy(first.state_dict()))
    matrix.grad = torch.randn(4, 8)
    copy.grad = matrix.grad.clone()
    first.step()
    second.step()
    assert torch.equal(matrix, copy)


def test_a_stack_is_made_orthogonal_as_each_matrix_alone() -> None:
    torch.manual_seed(6)
    for shape in ((3, 6, 20), (3, 20, 6)):
        stack = torch.randn(shape)
        alone = torch.stack([orthogonalized(matrix) for matrix in stack])
        assert torch.allclose(orthogonalized_stack(stack), alone, atol=1e-4)


def test_steps_of_stacks_are_those_of_the_matrices_and_decay() -> None:
    torch.manual_seed(7)
    shapes = [(4, 8), (8, 4), (4, 8)]
    ours = [nn.Parameter(torch.randn(shape)) for shape in shapes]
    theirs = deepcopy(ours)
    stacked, plain = StackedMuon(ours, 0.1), Muon32(theirs, 0.1)
    for step in range(3):
        for one, other in zip(ours, theirs, strict=True):
            one.grad = torch.randn_like(one)
            other.grad = one.grad.clone()
        if step == 2:  # as from a file
            state = deepcopy(stacked.state_dict())
            stacked = StackedMuon(ours, 0.1)
            stacked.load_state_dict(state)
        stacked.step()
        plain.step()
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, atol=1e-4)
    assert len(stacked.state) == 2  # one a shape
    (matrix,) = decayed = [nn.Parameter(torch.ones(2, 2))]
    matrix.grad = torch.zeros(2, 2)
    StackedMuon(decayed, 0.1, decay=0.5).step()
    assert torch.allclose(matrix, torch.full((2, 2), 0.95))
