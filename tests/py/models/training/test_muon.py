from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn

from dragoman.models.training.muon import Muon32, orthogonalized


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
