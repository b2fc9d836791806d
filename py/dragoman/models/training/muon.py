"""Muon (Jordan et al. 2024), where `torch.optim.Muon` is not what a device wants.

    Muon32       in float32: a processor without instructions for bfloat16 multiplies matrices of
                 it, as PyTorch's own does, sixty times slower (docs/adr/0014)
    StackedMuon  matrices of one shape as one stack: an accelerator is told of ten products, not
                 of ten a matrix

Rate and momentum are those of `torch.optim.Muon` with `match_rms_adamw`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, overload

import torch
from torch import Tensor, nn

# The quintic polynomial of a step, its number of steps: as in the original.
_LINEAR, _CUBIC, _QUINTIC = 3.4445, -4.775, 2.0315
_STEPS = 5
_MOMENTUM = 0.95
_LEAST_NORM = 1e-7


class _Muon(torch.optim.Optimizer):
    """Muon with Nesterov momentum, for matrices only."""

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
            self._update(group)
        return loss

    @abstractmethod
    def _update(self, group: dict[str, Any]) -> None:
        """Update the matrices of a group."""


class Muon32(_Muon):
    """One matrix after the other, without weight decay."""

    def __init__(self, matrices: Iterable[nn.Parameter], rate: float) -> None:
        super().__init__(matrices, {"lr": rate})

    def _update(self, group: dict[str, Any]) -> None:
        for matrix in group["params"]:
            if matrix.grad is not None:
                _update(matrix, matrix.grad, group["lr"], self.state[matrix])


class StackedMuon(_Muon):
    """Matrices of one shape are multiplied together; all of them have gradients.

    The state of a stack is kept with its first matrix.

    Args:
        decay: each step takes rate times decay of a matrix away.
        compute_type: of the products.
    """

    def __init__(
        self,
        matrices: Iterable[nn.Parameter],
        rate: float,
        decay: float = 0.0,
        compute_type: torch.dtype = torch.float32,
    ) -> None:
        self.compute_type = compute_type
        stacks: dict[torch.Size, list[nn.Parameter]] = {}
        for matrix in matrices:
            stacks.setdefault(matrix.shape, []).append(matrix)
        groups = [{"params": stack} for stack in stacks.values()]
        super().__init__(groups, {"lr": rate, "weight_decay": decay})

    def _update(self, group: dict[str, Any]) -> None:
        stack, rate = list[Tensor](group["params"]), group["lr"]
        gradients = torch.stack([matrix.grad for matrix in stack if matrix.grad is not None])
        state = self.state[stack[0]]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(gradients)
        momentum = state["momentum_buffer"]
        momentum.lerp_(gradients, 1 - _MOMENTUM)
        update = orthogonalized_stack(gradients.lerp(momentum, _MOMENTUM).to(self.compute_type))
        if group["weight_decay"]:
            torch._foreach_mul_(stack, 1 - rate * group["weight_decay"])
        step = -rate * 0.2 * math.sqrt(max(stack[0].shape))
        torch._foreach_add_(stack, update.float().unbind(0), alpha=step)


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


def orthogonalized_stack(matrices: Tensor) -> Tensor:
    """As `orthogonalized`, of each matrix [N, A, B].

    X itself goes through all steps: powers of X X^T, as there, would lose more in bfloat16.
    """
    if matrices.size(1) > matrices.size(2):
        tall: Tensor = orthogonalized_stack(matrices.mT).mT
        return tall
    norms = torch.linalg.vector_norm(matrices, dim=(1, 2), keepdim=True, dtype=torch.float32)
    x: Tensor = matrices / norms.clamp(min=_LEAST_NORM).to(matrices.dtype)
    for _ in range(_STEPS):
        gram = x @ x.mT
        factor = torch.baddbmm(gram, gram, gram, beta=_CUBIC, alpha=_QUINTIC)
        x = torch.baddbmm(x, factor, x, beta=_LINEAR)
    return x
