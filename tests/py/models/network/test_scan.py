from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
import torch
from torch import Tensor

from dragoman.models.network.scan import scan


def test_a_state_is_kept_until_a_sentence_begins() -> None:
    forget = torch.tensor([[0.0, 0.5, 0.0, 0.25]])[..., None]
    added = torch.tensor([[1.0, 2.0, 3.0, 4.0]])[..., None]
    assert scan(forget, added).flatten().tolist() == [1.0, 2.5, 3.0, 4.75]


def test_gradients_are_those_of_the_steps_one_by_one() -> None:
    torch.manual_seed(1)
    forget = torch.rand(3, 7, 4, requires_grad=True)
    added = torch.randn(3, 7, 4, requires_grad=True)
    weights = torch.randn(3, 7, 4)
    state, states = torch.zeros(3, 4), list[Tensor]()
    for place in range(7):
        state = forget[:, place] * state + added[:, place]
        states.append(state)
    plain = torch.stack(states, dim=1)
    assert torch.allclose(scan(forget, added), plain, atol=1e-5)
    ours = torch.autograd.grad((scan(forget, added) * weights).sum(), (forget, added))
    theirs = torch.autograd.grad((plain * weights).sum(), (forget, added))
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, atol=1e-5)


def test_the_compiler_knows_its_shapes() -> None:
    values = torch.rand(2, 5, 4, requires_grad=True), torch.rand(2, 5, 4, requires_grad=True)
    torch.library.opcheck(torch.ops.dragoman.scan.default, values)


INTERPRETED = """
import torch
from dragoman.models.network import scan, scan_kernels
torch.manual_seed(1)
forget, added, gradient = torch.rand(2, 5, 128), torch.randn(2, 5, 128), torch.randn(2, 5, 128)
forget[:, 3] = 0
states = scan_kernels.forward(forget, added, scan.WIDTH)
assert torch.allclose(states, scan._states(forget, added), atol=1e-6)
made = scan_kernels.backward(forget, states, gradient, scan.WIDTH)
for one, other in zip(made, scan._gradients(forget, states, gradient), strict=True):
    assert torch.allclose(one, other, atol=1e-6)
"""


@pytest.mark.skipif(find_spec("triton") is None, reason="Triton comes with PyTorch for CUDA")
def test_kernels_do_as_the_loop() -> None:
    """Triton's interpreter runs them on a processor."""
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    subprocess.run([sys.executable, "-c", INTERPRETED], check=True, env=environment)
