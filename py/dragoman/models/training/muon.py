"""Muon (Jordan et al. 2024) in float32: `torch.optim.Muon` multiplies bfloat16 matrices.

A processor without instructions for bfloat16 does that sixty times slower than float32
(docs/adr/0014). Rate, momentum and state are those of `torch.optim.Muon` with `match_rms_adamw`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, overload

import torch
from torch import Tensor, nn

# The quintic polynomial of a step, its number of steps: as in the original.
_LINEAR, _CUBIC, _QUINTIC = 3.4445, -4.775, 2.0315
_STEPS = 5
_MOMENTUM = 0.95
_LEAST_NORM = 1e-7


class Muon32(torch.optim.Optimizer):
    """Muon with Nesterov momentum, without weight decay, for matrices only."""

    def __init__(self, matrices: Iterable[nn.Parameter], rate: float) -> None:
        super().__init__(matrices, {"lr": rate})

    @overload
    def step(self, closure: None = None) -> None: ...

    @overload
    def step(self, closure: Callable[[], float]) -> float: ...

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Updates each matrix that has a gradient; a closure makes them, and returns the loss."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for matrix in group["params"]:
                if matrix.grad is not None:
                    _update(matrix, matrix.grad, group["lr"], self.state[matrix])
        return loss


def _update(matrix: nn.Parameter, gradient: Tensor, rate: float, state: dict[str, Any]) -> None:
    if "momentum_buffer" not in state:
        state["momentum_buffer"] = torch.zeros_like(gradient)
    momentum = state["momentum_buffer"]
    momentum.lerp_(gradient, 1 - _MOMENTUM)
    update = orthogonalized(gradient.lerp(momentum, _MOMENTUM))
    matrix.add_(update, alpha=-rate * 0.2 * math.sqrt(max(matrix.shape)))


def orthogonalized(matrix: Tensor) -> Tensor:
    """U S V^T -> about U V^T, by Newton-Schulz steps: singular values between 0.7 and 1.2.

    X <- (a + b X X^T + c (X X^T)^2) X, on the shorter side. The factors are polynomials of the one
    product X X^T and commute, so that X itself is multiplied once, in the end: half of the
    work where one side is much longer.
    """
    if matrix.size(0) > matrix.size(1):
        return orthogonalized(matrix.T).T
    unit = matrix / matrix.norm().clamp(min=_LEAST_NORM)
    gram = unit @ unit.T
    whole = _factor(gram)
    last = whole
    for _ in range(_STEPS - 1):
        gram = last @ gram @ last
        last = _factor(gram)
        whole = last @ whole
    orthogonal: Tensor = whole @ unit
    return orthogonal


def _factor(gram: Tensor) -> Tensor:
    factor = torch.addmm(gram, gram, gram, beta=_CUBIC, alpha=_QUINTIC)
    factor.diagonal().add_(_LINEAR)
    return factor
