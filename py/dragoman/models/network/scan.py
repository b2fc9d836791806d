"""c_t = f_t c_(t-1) + b_t along the rows of a batch: the recurrence where sentences share rows.

    f, b [R, L, D] --scan--> c [R, L, D]        float32

Where f is 0 a sentence begins: nothing comes over from the one before. On an accelerator that has
Triton the whole row is one kernel (`scan_kernels`); elsewhere it is a loop over the places. To the
compiler it is one operation that it knows the shapes of.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor

WIDTH = 64  # values of a vector that one program of a kernel has


@torch.library.custom_op("dragoman::scan", mutates_args=())
def scan(forget: Tensor, added: Tensor) -> Tensor:
    """The states; both are float32 [R, L, D]."""
    if _by_kernel(forget):
        states: Tensor = _kernels().forward(forget, added, WIDTH)
        return states
    return _states(forget, added)


@torch.library.custom_op("dragoman::scan_back", mutates_args=())
def scan_back(forget: Tensor, states: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients with respect to `forget` and `added`."""
    if _by_kernel(forget):
        made: tuple[Tensor, Tensor] = _kernels().backward(forget, states, gradient, WIDTH)
        return made
    return _gradients(forget, states, gradient)


@scan.register_fake
def _(_forget: Tensor, added: Tensor) -> Tensor:
    return torch.empty_like(added)


@scan_back.register_fake
def _(_forget: Tensor, _states: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor]:
    return torch.empty_like(gradient), torch.empty_like(gradient)


def _keep(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
    ctx.save_for_backward(inputs[0], output)


def _back(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
    forget, states = ctx.saved_tensors
    both: tuple[Tensor, Tensor] = scan_back(forget, states, gradient.float())
    return both


scan.register_autograd(_back, setup_context=_keep)


def _states(forget: Tensor, added: Tensor) -> Tensor:
    states = torch.empty_like(added)
    state = torch.zeros_like(added[:, 0])
    for place in range(added.shape[1]):
        state = torch.addcmul(added[:, place], forget[:, place], state)
        states[:, place] = state
    return states


def _gradients(forget: Tensor, states: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor]:
    totals = torch.empty_like(gradient)
    carried = torch.zeros_like(gradient[:, 0])
    for place in range(gradient.shape[1] - 1, -1, -1):
        totals[:, place] = gradient[:, place] + carried
        carried = totals[:, place] * forget[:, place]
    before = torch.cat((torch.zeros_like(states[:, :1]), states[:, :-1]), dim=1)
    return totals * before, totals


def _by_kernel(value: Tensor) -> bool:
    return value.is_cuda and value.shape[2] % WIDTH == 0 and find_spec("triton") is not None


@cache
def _kernels() -> Any:
    from dragoman.models.network import scan_kernels

    return scan_kernels
