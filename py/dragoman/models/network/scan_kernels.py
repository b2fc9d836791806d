"""The recurrence of `scan` as two Triton kernels: a program has `width` values of a row.

This file is imported only where Triton is: a build of PyTorch for an accelerator brings it.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _forward(forget, added, states, places: tl.constexpr, size: tl.constexpr, width: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    base = tl.program_id(0).to(tl.int64) * places * size
    base = base + tl.program_id(1) * width + tl.arange(0, width)
    state = tl.zeros((width,), tl.float32)
    for place in range(places):
        at = base + place * size
        state = tl.load(forget + at) * state + tl.load(added + at)
        tl.store(states + at, state)


@triton.jit
def _backward(  # type: ignore[no-untyped-def]  # noqa: ANN202
    forget,  # noqa: ANN001
    states,  # noqa: ANN001
    gradient,  # noqa: ANN001
    of_forget,  # noqa: ANN001
    of_added,  # noqa: ANN001
    places: tl.constexpr,
    size: tl.constexpr,
    width: tl.constexpr,
):
    base = tl.program_id(0).to(tl.int64) * places * size
    value = tl.program_id(1) * width + tl.arange(0, width)
    total = tl.zeros((width,), tl.float32)
    for step in range(places):
        place = places - 1 - step
        at = base + value + place * size
        total = total + tl.load(gradient + at)
        # Nothing stands before the first place.
        before = tl.load(states + at - size, mask=value + place * size >= size, other=0.0)
        tl.store(of_added + at, total)
        tl.store(of_forget + at, total * before)
        total = total * tl.load(forget + at)


def forward(forget: Tensor, added: Tensor, width: int) -> Tensor:
    """As `scan._states`; the last dimension is a multiple of the width."""
    forget, added = forget.contiguous(), added.contiguous()
    states = torch.empty_like(added)
    rows, places, size = added.shape
    _forward[rows, size // width](forget, added, states, places, size, width, num_warps=2)
    return states


def backward(forget: Tensor, states: Tensor, gradient: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """As `scan._gradients`."""
    forget, states, gradient = (one.contiguous() for one in (forget, states, gradient))
    of_forget, of_added = torch.empty_like(gradient), torch.empty_like(gradient)
    rows, places, size = gradient.shape
    _backward[rows, size // width](
        forget, states, gradient, of_forget, of_added, places, size, width, num_warps=2
    )
    return of_forget, of_added
